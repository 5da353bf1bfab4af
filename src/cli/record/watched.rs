//! `dotspot record --live`: the explorer shows the recording while a background thread writes it.

use super::super::live::{LiveEnd, LiveRecording};
use super::super::open::Target;
use super::super::signals::StopRequests;
use super::super::terminal;
use super::recorder::{Recorded, Recorder, StartedRecording};
use anyhow::Result;
use std::sync::Arc;
use std::thread;

/// Writes a recording until it ends, in the explorer if the user wants that. `on_end` is as for [`Recorder::write`].
pub(super) fn write(
    recorder: &Recorder,
    started: StartedRecording,
    on_end: impl FnOnce() + Send,
) -> Result<Recorded> {
    match recorder.args.live {
        true => watch(recorder, started, on_end),
        false => Ok(recorder.write(started, None, on_end)),
    }
}

fn watch(
    recorder: &Recorder,
    started: StartedRecording,
    on_end: impl FnOnce() + Send,
) -> Result<Recorded> {
    let quits_at_end = recorder.args.no_open;
    let (part, stop) = (started.out.part.clone(), recorder.stops.stop_requester());
    let opening = recorder.args.opening.clone();
    let live = Arc::new(LiveRecording::new(part, quits_at_end, opening, stop));
    let target = Target::File(started.out.path.clone());
    let folder = started.out.path.with_file_name("").display().to_string();
    recorder.reporter.flush();
    let (explored, recorded) = thread::scope(|scope| {
        let updates = Arc::clone(&live);
        let recording = scope.spawn(move || {
            let recorded = recorder.write(started, Some(&updates), on_end);
            let sentence = recorder.reporter.postponed();
            updates.end(LiveEnd {
                file: recorded.file.clone(),
                // one line of the screen has no room for the folder
                sentence: match folder.is_empty() {
                    true => sentence,
                    false => sentence.replace(&folder, ""),
                },
            });
            let should_quit = recorder.stops.should_quit();
            let deadline = should_quit.then(|| terminal::exit_deadline(i32::from(recorded.code)));
            (recorded, deadline)
        });
        let explored = {
            let _guard = StopOnExit {
                live: &live,
                stops: recorder.stops,
            };
            terminal::watch(target, Arc::clone(&live), &recorder.args.opening.screen)
        };
        (explored, recording.join())
    });
    let (recorded, _) = recorded.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    explored.map(|_| recorded)
}

struct StopOnExit<'a> {
    live: &'a LiveRecording,
    stops: &'a StopRequests,
}

impl Drop for StopOnExit<'_> {
    fn drop(&mut self) {
        if !self.live.is_over() {
            self.stops.ensure();
        }
    }
}
