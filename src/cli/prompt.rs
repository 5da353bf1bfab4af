//! `dotspot report`: a part of a profile that fits a prompt.

use super::args::Report;
use super::files::{self, Destination};
use super::read::{changed, read_watched};
use super::say::say;
use crate::model::format::{size, thousands};
use crate::query::{self, ReportAbout, ReportRequest};
use anyhow::Result;
use std::io::Write;

/// Writes a report to standard output or to a file.
///
/// # Errors
/// Those of the importers; there is no such metric, node or method; the budget is too small; the file can't be written.
pub(super) fn report(out: &mut dyn Write, args: &Report) -> Result<()> {
    let (view, watch) = read_watched(&args.source)?;
    let view = changed(view, &args.changing)?;
    let file = args.source.file.display().to_string();
    let request = ReportRequest {
        file: &file,
        within: view.root,
        metric: args.weighing.metric.as_deref(),
        waiting: args.weighing.counts_waiting(),
        about: ReportAbout::named(args.method.as_deref(), args.node.as_deref()),
        budget: args.budget,
        form: args.form().into(),
        question: args.question.as_deref(),
        has_raw_names: args.raw_names,
    };
    let report = query::report(&view, &request)?;
    let Some(path) = args.path() else {
        out.write_all(report.text.as_bytes())?;
        return Ok(());
    };
    let destination = Destination { path, input: Some(&args.source.file), overwrite: args.force, only_file: false };
    let bytes = files::write_new(destination, watch, |out| out.write_all(report.text.as_bytes()))?;
    let tokens = thousands(report.tokens as u64);
    say(&format!("wrote {}: at most {tokens} tokens, {}", path.display(), size(bytes)));
    Ok(())
}
