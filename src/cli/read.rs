//! Reading what a command line names.

use super::args::Source;
use super::open::{Content, OpenOptions, Target, open, open_content};
use super::say::say;
use super::{signals, steps};
use crate::input::{ImportError, Progress};
use crate::model::Profile;
use crate::query;
use anyhow::Result;

/// Has what a command line names opened by `open`, while the user sees what is done and can end it.
fn watched<T>(source: &Source, open: impl FnOnce(&Target, Progress) -> Result<T, ImportError>) -> Result<T> {
    let target = Target::new(Some(&source.file));
    let progress = Progress::default();
    let steps = steps::Watch::on_terminal(&progress);
    // reading a pipe can't be cancelled while it waits for more
    let watch = target.is_file_on_disk().then(|| signals::Watch::start(&progress)).transpose()?;
    let outcome = open(&target, progress);
    drop(steps);
    if let Some(watch) = watch {
        watch.end();
    }
    Ok(outcome?)
}

/// Reads what a command line names, all threads of it, or the sums of its methods.
pub fn read_content(source: &Source, options: &OpenOptions) -> Result<Content> {
    watched(source, |target, progress| open_content(target, options, progress))
}

/// The range of time and the threads of a profile that a command line chooses.
pub fn chosen(source: &Source, profile: Profile) -> Result<Profile> {
    let profile = source.reading.range.of(profile)?;
    let chosen = query::chosen(profile, &source.reading.threads.request())?;
    chosen.remarks.iter().for_each(|remark| say(remark));
    Ok(chosen.profile)
}

/// Reads what a command line names, in the threads that it chooses.
pub fn read(source: &Source) -> Result<Profile> {
    let options = source.reading.options();
    let profile = watched(source, |target, progress| open(target, &options, progress))?;
    chosen(source, profile)
}

/// Reads a profile and says its warnings on standard error.
pub fn read_and_warn(source: &Source) -> Result<Profile> {
    let profile = read(source)?;
    say_warnings(&profile);
    Ok(profile)
}

/// Cautions are about how numbers are read, which `info` and the explorer say; here is what is wrong with them.
pub fn say_warnings(profile: &Profile) {
    for warning in &profile.warnings {
        say(&format!("warning: {warning}"));
    }
}
