//! Reading what a command line names.

use super::args::Source;
use super::open::{Target, open};
use super::say::say;
use super::{signals, steps};
use crate::input::Progress;
use crate::model::Profile;
use crate::query;
use anyhow::Result;

/// Reads what a command line names; with `both_forms` the chosen threads also as they were recorded.
pub fn read(source: &Source, both_forms: bool) -> Result<Profile> {
    let target = Target::new(Some(&source.file));
    let progress = Progress::default();
    let steps = steps::Watch::on_terminal(&progress);
    // reading a pipe can't be cancelled while it waits for more
    let watch = target.is_file_on_disk().then(|| signals::Watch::start(&progress)).transpose()?;
    let outcome = open(&target, &source.reading.how(), progress);
    drop(steps);
    if let Some(watch) = watch {
        watch.end();
    }
    let profile = source.reading.range.of(outcome?)?;
    let chosen = query::chosen(profile, &source.reading.threads.request(), both_forms)?;
    chosen.remarks.iter().for_each(|remark| say(remark));
    Ok(chosen.profile)
}

/// Reads a profile and says its warnings on standard error.
pub fn read_and_warn(source: &Source) -> Result<Profile> {
    let profile = read(source, false)?;
    say_warnings(&profile);
    Ok(profile)
}

/// Cautions are about how numbers are read, which `info` and the explorer say; here is what is wrong with them.
pub fn say_warnings(profile: &Profile) {
    for warning in &profile.warnings {
        say(&format!("warning: {warning}"));
    }
}
