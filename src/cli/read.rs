//! Reads the profile named on the command line.

use super::open::{Target, open};
use super::options::{AnswerArgs, MetricOptions, Reading, SourceArgs, refuse_unused};
use super::print::print_notice;
use super::signals::Watch;
use super::steps;
use crate::diagnostics::{Diagnostic, Severity};
use crate::input::Progress;
use crate::model::{NodeId, View};
use crate::query::{self, ComparedFile, PartRequest, StepRequest, ThreadRequest};
use anyhow::Result;
use std::panic::resume_unwind;
use std::path::PathBuf;

/// If `prefers_main`, the answer to a whole-machine recording is about one process.
fn chosen(reading: &Reading, view: View, prefers_main: bool) -> Result<View> {
    refuse_unused(&reading.decoding.settings(reading.decoder), &view.recording)?;
    let range = reading.range.within(&view.recording)?;
    let threads = ThreadRequest {
        prefers_main,
        ..reading.threads.request()
    };
    let (view, remarks) = query::select_scope(view, range, &threads)?;
    remarks.iter().for_each(|remark| print_notice(remark));
    Ok(view)
}

/// Shows progress and, if only files on disk are read, lets signals cancel: a pipe that waits for more can't be
/// cancelled.
fn watched<T>(
    progress: &Progress,
    is_on_disk: bool,
    work: impl FnOnce() -> T,
) -> Result<(T, Option<Watch>)> {
    let watch = is_on_disk.then(|| Watch::start(progress)).transpose()?;
    let done = steps::watched(progress, work);
    watch.iter().for_each(Watch::pause);
    Ok((done, watch))
}

pub(super) fn read(source: &SourceArgs, prefers_main: bool) -> Result<View> {
    Ok(read_watched(source, prefers_main)?.0)
}

/// Also returns the watch for signals, which continues while a file is written.
pub(super) fn read_watched(
    source: &SourceArgs,
    prefers_main: bool,
) -> Result<(View, Option<Watch>)> {
    let (target, progress) = (Target::new(Some(&source.file)), Progress::default());
    let options = source.reading.options();
    let open = || open(&target, &options, progress.clone());
    let (opened, watch) = watched(&progress, target.is_file_on_disk(), open)?;
    Ok((chosen(&source.reading, opened?, prefers_main)?, watch))
}

type SideFiles<'a> = (&'a [PathBuf], &'a Reading);

/// Reads the files of both sides of a comparison, each side on its own thread.
pub(super) fn read_sides([before, after]: [SideFiles; 2]) -> Result<[Vec<ComparedFile>; 2]> {
    let progress = Progress::default();
    let mut files = before.0.iter().chain(after.0);
    let are_on_disk = files.all(|file| Target::new(Some(file)).is_file_on_disk());
    let read = || {
        std::thread::scope(|scope| {
            let after = scope.spawn(|| read_side(after, &progress));
            let before = read_side(before, &progress);
            let after = after.join().unwrap_or_else(|panic| resume_unwind(panic));
            [before, after]
        })
    };
    let ([before, after], _) = watched(&progress, are_on_disk, read)?;
    Ok([before?, after?])
}

fn read_side((files, reading): SideFiles, progress: &Progress) -> Result<Vec<ComparedFile>> {
    let options = reading.options();
    let read = |file: &PathBuf| {
        let view = open(&Target::new(Some(file)), &options, progress.clone())?;
        Ok(ComparedFile {
            file: file.display().to_string(),
            view: chosen(reading, view, true)?,
        })
    };
    files.iter().map(read).collect()
}

/// An inverted tree is derived from this one later, since methods are the same in both.
pub(super) fn changed(view: View, steps: &[StepRequest]) -> Result<View> {
    let steps = steps.iter().filter(|step| step.word != query::INVERTED);
    let steps: Vec<StepRequest> = steps.cloned().collect();
    Ok(query::apply_steps(view, &steps)?)
}

pub(super) fn read_to_print(
    args: &AnswerArgs,
    steps: &[StepRequest],
    metric_options: &MetricOptions,
) -> Result<View> {
    let view = changed(read(&args.source, true)?, steps)?;
    let part = PartRequest {
        within: NodeId::ROOT,
        ..metric_options.part(&view, &args.source)
    };
    match part.measure(&view) {
        Ok(measure) if !args.output.json => measure.alerts(&view).for_each(print_alert),
        // the query that follows rejects an unknown metric
        _ => print_warnings(&view),
    }
    Ok(view)
}

/// Without cautions: readers of a written file derive them again, and JSON contains them.
pub(super) fn print_warnings(view: &View) {
    view.diagnostics_of(Severity::Warning).for_each(print_alert);
}

fn print_alert(alert: &Diagnostic) {
    print_notice(&format!("{}: {alert}", alert.severity().name()));
}
