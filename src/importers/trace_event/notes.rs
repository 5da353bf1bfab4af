//! Diagnostics about a trace.

use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, Remark, partly};
use crate::importers::cpuprofile::Added;
use crate::importers::tracks::CollectedTracks;

/// Counts of anomalies.
#[derive(Default)]
pub(super) struct AnomalyCounts {
    /// `E` events of a frame that was not the innermost.
    pub crossed: u64,
    /// `E` events of a frame that was not open.
    pub not_open: u64,
    /// Frames that were open at the end.
    pub unended: u64,
    /// Events before the current time.
    pub late: u64,
    /// Events and samples without a time or a frame.
    pub timeless: u64,
    /// Negative or too large values.
    pub clamped: u64,
    /// Frames of events in a file with samples.
    pub outside_samples: u64,
    /// What the file has in addition to what is shown: spans or a CPU profile.
    pub beside: Option<Remark>,
    /// What was odd about CPU profiles.
    pub cpu: Added,
}

/// The diagnostics, most severe first. `broken_off` is the offset where the file ended early, if it did.
pub(super) fn diagnostics(
    oddities: &AnomalyCounts,
    recorded: &CollectedTracks,
    broken_off: Option<u64>,
) -> Vec<Diagnostic> {
    let all = [
        broken_off.map(BrokenOff::at),
        recorded
            .tracks
            .is_empty()
            .then_some(Diagnostic::plain(Remark::NoFrames)),
        partly::EVENTS_OUTSIDE_SAMPLES.times(oddities.outside_samples),
        Anomaly::FramesCrossed.times(oddities.crossed),
        Anomaly::EndsNotOpen.times(oddities.not_open),
        Anomaly::FramesUnended.times(oddities.unended),
        partly::EVENTS_LATE.times(oddities.late),
        partly::EVENTS_INCOMPLETE.times(oddities.timeless),
        Anomaly::ValuesClamped.times(oddities.clamped),
    ];
    let beside = oddities.beside.map(Diagnostic::plain);
    let all = all.into_iter().chain(oddities.cpu.diagnostics());
    all.flatten().chain(beside).collect()
}
