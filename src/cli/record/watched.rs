//! `dotspot record --live`: explores the recording while a background thread records.

use super::super::live::{LiveEnd, LiveRecording};
use super::super::open::Target;
use super::super::signals::StopRequests;
use super::super::terminal;
use super::recorder::{Recorded, Recorder, StartedRecording};
use anyhow::Result;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// `ended` runs on the recording thread, as soon as no more data comes.
pub(super) fn watch(
    recorder: &Recorder,
    begun: StartedRecording,
    ended: impl FnOnce() + Send,
) -> Result<Recorded> {
    let leaves = recorder.args.no_open;
    let (part, stop) = (begun.out.part.clone(), recorder.stops.stop_requester());
    let opening = recorder.args.opening.clone();
    let live = Arc::new(LiveRecording::new(part, leaves, opening, stop));
    let target = Target::File(begun.out.path.clone());
    let folder = begun.out.path.with_file_name("");
    recorder.reporter.flush();
    // until the explorer leaves the terminal
    let leaving = Mutex::new(None);
    let (explored, done) = thread::scope(|scope| {
        let leaving = &leaving;
        let updates = Arc::clone(&live);
        let recording = scope.spawn(move || {
            let recorded = recorder.write(begun, Some(&updates), ended);
            updates.end(LiveEnd {
                file: recorded.file.clone(),
                sentence: short(&recorder.reporter.kept(), &folder),
            });
            if recorder.stops.asks_to_leave() {
                *leaving.lock() = Some(terminal::exit_deadline(i32::from(recorded.code())));
            }
            recorded
        });
        let explored = {
            let _stops = StopsWhenLeft {
                live: &live,
                stops: recorder.stops,
            };
            terminal::watch(target, Arc::clone(&live), &recorder.args.opening.screen)
        };
        drop(leaving.lock().take());
        (explored, recording.join())
    });
    let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    explored.map(|_| done)
}

/// One line, with the path shortened to fit.
fn short(sentence: &str, folder: &Path) -> String {
    match folder.to_str() {
        Some(folder) if !folder.is_empty() => sentence.replace(folder, ""),
        _ => sentence.into(),
    }
}

/// Stops the recording however the explorer ends.
struct StopsWhenLeft<'a> {
    live: &'a LiveRecording,
    stops: &'a StopRequests,
}

impl Drop for StopsWhenLeft<'_> {
    fn drop(&mut self) {
        if !self.live.is_over() {
            self.stops.ensure();
        }
    }
}
