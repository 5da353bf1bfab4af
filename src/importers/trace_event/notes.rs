//! What is odd about a trace.

use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, Ending, Remark, partly};
use crate::importers::tracks::CollectedTracks;

/// Numbers of what was found that should not be there.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// `E` events of a frame that was not the innermost.
    pub crossed: u64,
    /// `E` events of a frame that was not open.
    pub not_open: u64,
    /// Frames that were open at the end.
    pub unended: u64,
    /// Events before the time that was reached.
    pub late: u64,
    /// Events and samples without a time or a frame.
    pub timeless: u64,
    /// Values that are negative or too large.
    pub clamped: u64,
    /// Frames of events in a file that has samples.
    pub beside_samples: u64,
    /// What the file has besides what is shown: spans or a CPU profile.
    pub beside: Option<Remark>,
    /// Samples of CPU profiles of nodes that these lack.
    pub unknown_nodes: u64,
    /// Times of CPU profiles that are negative or too large.
    pub clamped_times: u64,
    /// Samples of CPU profiles that were put in order of time.
    pub reordered_samples: u64,
    /// Samples of CPU profiles behind the last time.
    pub timeless_samples: u64,
    /// Whether a CPU profile has no times.
    pub has_no_times: bool,
}

/// What to know, the gravest first. `broken_off` is where the file ends, if it does so too early.
pub(super) fn diagnostics(
    oddities: &Oddities,
    recorded: &CollectedTracks,
    broken_off: Option<u64>,
) -> Vec<Diagnostic> {
    let all = [
        broken_off.map(|at| BrokenOff::at(at, Ending::Plain {})),
        recorded
            .tracks
            .is_empty()
            .then_some(Diagnostic::plain(Remark::NoFrames)),
        partly::EVENTS_BESIDE_SAMPLES.times(oddities.beside_samples),
        Anomaly::FramesCrossed.times(oddities.crossed),
        Anomaly::EndsNotOpen.times(oddities.not_open),
        Anomaly::FramesUnended.times(oddities.unended),
        partly::EVENTS_LATE.times(oddities.late),
        partly::EVENTS_INCOMPLETE.times(oddities.timeless),
        Anomaly::ValuesClamped.times(oddities.clamped + oddities.clamped_times),
        oddities
            .has_no_times
            .then_some(Diagnostic::plain(Remark::NoTimes)),
        partly::SAMPLES_OF_UNKNOWN_NODES.times(oddities.unknown_nodes),
        partly::SAMPLES_REORDERED.times(oddities.reordered_samples),
        partly::SAMPLES_WITHOUT_TIME.times(oddities.timeless_samples),
        oddities.beside.map(Diagnostic::plain),
    ];
    all.into_iter().flatten().collect()
}
