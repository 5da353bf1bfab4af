//! Reads the profile named on the command line.

use super::open::{Target, open};
use super::options::{AnswerArgs, MetricOptions, Reading, SourceArgs, refuse_unused};
use super::say::say;
use super::signals::Watch;
use super::steps;
use crate::diagnostics::{Diagnostic, Severity};
use crate::input::Progress;
use crate::model::View;
use crate::query::{self, PartRequest, StepRequest, ThreadRequest};
use anyhow::Result;
use std::panic::resume_unwind;
use std::path::PathBuf;

/// The process of a whole-machine recording that a command is about by default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MachineScope {
    All,
    MainProcess,
}

/// The time range and threads of a profile that a command line chooses.
fn chosen(source: &SourceArgs, view: View, of_machine: MachineScope) -> Result<View> {
    let reading = &source.reading;
    refuse_unused(&reading.decoding.settings(reading.decoder), &view.recording)?;
    let range = source.reading.range.within(&view.recording)?;
    let threads = ThreadRequest {
        prefers_main: of_machine == MachineScope::MainProcess,
        ..source.reading.threads.request()
    };
    let chosen = query::chosen(view, range, &threads)?;
    chosen.remarks.iter().for_each(|remark| say(remark));
    Ok(chosen.view)
}

/// Reads the profile on the command line, with the chosen threads.
pub(super) fn read(source: &SourceArgs) -> Result<View> {
    Ok(read_watched(source, MachineScope::All)?.0)
}

/// Like [`read`], for an answer about one program: in a whole-machine recording, about one process.
pub(super) fn read_program(source: &SourceArgs) -> Result<View> {
    Ok(read_watched(source, MachineScope::MainProcess)?.0)
}

/// The files of one side of a comparison, and how they are read.
type SideFiles<'a> = (&'a [PathBuf], &'a Reading);
/// The profiles, each with its name.
type SideViews = Vec<(String, View)>;

/// Reads the files of both sides of a comparison, each side on its own thread. One signal cancels everything.
pub(super) fn read_sides([before, after]: [SideFiles; 2]) -> Result<[SideViews; 2]> {
    let progress = Progress::default();
    let steps = steps::Watch::on_terminal(&progress);
    let is_on_disk = |file: &PathBuf| Target::new(Some(file)).is_file_on_disk();
    let are_on_disk = before.0.iter().chain(after.0).all(is_on_disk);
    let watch = are_on_disk.then(|| Watch::start(&progress)).transpose()?;
    let (before, after) = std::thread::scope(|scope| {
        let after = scope.spawn(|| read_side(after, &progress));
        let before = read_side(before, &progress);
        (
            before,
            after.join().unwrap_or_else(|panic| resume_unwind(panic)),
        )
    });
    drop(steps);
    watch.iter().for_each(Watch::pause);
    Ok([before?, after?])
}

fn read_side((files, reading): SideFiles, progress: &Progress) -> Result<SideViews> {
    let options = reading.options();
    let read = |file: &PathBuf| {
        let source = SourceArgs {
            file: file.clone(),
            reading: reading.clone(),
        };
        let view = open(&Target::new(Some(file)), &options, progress.clone())?;
        Ok((
            file.display().to_string(),
            chosen(&source, view, MachineScope::MainProcess)?,
        ))
    };
    files.iter().map(read).collect()
}

/// Like [`read`], showing progress to the user, who can cancel it. Also returns the watch, for the work that follows.
pub(super) fn read_watched(
    source: &SourceArgs,
    of_machine: MachineScope,
) -> Result<(View, Option<Watch>)> {
    let (target, progress) = (Target::new(Some(&source.file)), Progress::default());
    let steps = steps::Watch::on_terminal(&progress);
    // reading a pipe can't be cancelled while it waits for more
    let is_on_disk = target.is_file_on_disk();
    let watch = is_on_disk.then(|| Watch::start(&progress)).transpose()?;
    let opened = open(&target, &source.reading.options(), progress);
    drop(steps);
    watch.iter().for_each(Watch::pause);
    Ok((chosen(source, opened?, of_machine)?, watch))
}

/// The changes to a profile's tree on the command line. An inverted tree is derived from this one: its depth is
/// specified elsewhere, and methods are the same in both.
pub(super) fn changed(view: View, steps: &[StepRequest]) -> Result<View> {
    let steps = steps.iter().filter(|step| step.word != query::INVERTED);
    Ok(query::stepped(view, &steps.cloned().collect::<Vec<_>>())?)
}

/// Reads a profile and prints its warnings to standard error. The watch for signals continues while a file is written.
pub(super) fn read_and_warn(source: &SourceArgs) -> Result<(View, Option<Watch>)> {
    let (view, watch) = read_watched(source, MachineScope::All)?;
    say_warnings(&view);
    Ok((view, watch))
}

/// Reads a profile to print one of its metrics, applies these changes, and reports on standard error what affects how
/// its numbers must be read.
pub(super) fn read_to_print(
    args: &AnswerArgs,
    steps: &[StepRequest],
    metric_options: &MetricOptions,
) -> Result<View> {
    let view = changed(read_program(&args.source)?, steps)?;
    let part = PartRequest {
        within: view.root,
        ..metric_options.part(&view, &args.source)
    };
    match part.measure(&view) {
        Ok(measure) if !args.output.json => measure.alerts(&view).for_each(say_alert),
        // the query that follows rejects an unknown metric
        _ => say_warnings(&view),
    }
    Ok(view)
}

/// Reports what is wrong with a profile. Nothing else matters if it is written to a file, since readers derive cautions again,
/// or as JSON, which includes them.
pub(super) fn say_warnings(view: &View) {
    view.diagnostics_of(Severity::Warning).for_each(say_alert);
}

fn say_alert(alert: &Diagnostic) {
    say(&format!("{}: {alert}", alert.severity().name()));
}
