//! The summary after a recording.

use super::super::open::{OpenOptions, Target, open};
use super::reporter::RecordReporter;
use crate::cli::messages;
use crate::importers::{Tally, is_nameless};
use crate::input::{ImportError, Progress};
use crate::model::{NodeId, View};
use crate::units::{counted, percent, size, thousands};
use std::path::Path;

/// Below this percentage of named frames, the summary gives a reason.
const FEW_PERCENT: f64 = 50.0;

/// Reports what a recording contains, what was lost, and why names may be missing; if cancelled, only its size and what
/// was lost. Returns whether it can be opened.
pub(super) fn print_summary(
    path: &Path,
    tally: &Tally,
    reporter: &RecordReporter,
    progress: Progress,
) -> bool {
    let report = |sentence: &str| reporter.report(sentence);
    let bytes = path.metadata().map_or(0, |meta| meta.len());
    let lost = lost(tally.dropped(), tally.events);
    let wrote = format!("wrote {} ({}{lost})", path.display(), size(bytes));
    let options = OpenOptions {
        repairs: false,
        ..OpenOptions::default()
    };
    let view = match open(&Target::File(path.to_path_buf()), &options, progress) {
        Ok(view) => view,
        Err(ImportError::Cancelled) => {
            report(&wrote);
            return true;
        }
        Err(error) => {
            report(&messages::wrote_but_cant_open(&wrote, &error));
            return false;
        }
    };
    let counts = counts(&view).filter(|[samples, ..]| *samples > 0);
    let Some([samples, frames, named_frames]) = counts else {
        report(&format!("{wrote}: no samples"));
        report(messages::NO_SAMPLES_IN_RECORDING);
        return true;
    };
    let named = percent(named_frames, frames);
    let samples = counted(samples, "sample");
    let threads = counted(view.threads.len() as u64, "thread");
    report(&messages::wrote_recording(
        &wrote, &samples, &threads, &named,
    ));
    if named < FEW_PERCENT {
        report(messages::FEW_NAMES);
    }
    true
}

fn lost(dropped: u64, received: u64) -> String {
    if dropped == 0 {
        return String::new();
    }
    let total = counted(dropped.saturating_add(received), "event");
    messages::events_lost(&thousands(dropped), &total)
}

/// Samples, frames of samples, and those with names.
fn counts(view: &View) -> Option<[u64; 3]> {
    let metric = view.recording.metric_named("samples")?;
    let (mut frames, mut named_frames) = (0, 0);
    for node in view.tree.nodes() {
        let frame = view.tree.frame(node);
        // ?!? is not a method, but should be one
        if view.frames.get(frame).kind.is_code() {
            let samples = view.tree.inclusive(metric, node);
            frames += samples;
            named_frames += samples * u64::from(!is_nameless(view.frames.name(frame)));
        }
    }
    Some([
        view.tree.inclusive(metric, NodeId::ROOT),
        frames,
        named_frames,
    ])
}

#[cfg(test)]
mod tests;
