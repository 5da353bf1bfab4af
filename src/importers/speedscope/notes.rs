//! Diagnostics about a speedscope file.

use crate::diagnostics::{
    Anomaly, BrokenOff, Diagnostic, FileDiagnostic, Remark, UnknownUnit, partly,
};
use crate::importers::tracks::CollectedTracks;

/// Counts of anomalies.
#[derive(Debug, Default)]
pub(super) struct AnomalyCounts {
    /// Closes of a frame that was not the innermost.
    pub crossed: u64,
    /// Closes of a frame that was not open.
    pub not_open: u64,
    /// Frames that were open at the end.
    pub unended: u64,
    /// Events before the current time.
    pub late: u64,
    /// Events without a known type or a time.
    pub incomplete_events: u64,
    /// Values that are not numbers, negative, or too large.
    pub clamped: u64,
    /// Samples without a weight.
    pub weightless: u64,
    /// Weights without a sample.
    pub spare_weights: u64,
    /// Profiles that are neither evented nor sampled.
    pub unknown_types: u64,
    /// The first unknown unit.
    pub unknown_unit: Option<String>,
    /// Nodes whose frame is not in the table.
    pub nodes_without_frame: u64,
    /// Whether there were more call places than possible.
    pub is_full: bool,
}

/// The diagnostics, most severe first. `broken_off` is the offset where the file ended early, if it did.
pub(super) fn diagnostics(
    oddities: &AnomalyCounts,
    recorded: &CollectedTracks,
    broken_off: Option<u64>,
) -> Vec<Diagnostic> {
    let unit = oddities.unknown_unit.clone();
    let unknown_unit = |unit| FileDiagnostic::UnitUnknown {
        unit,
        values: UnknownUnit::ShownAsNumbers,
    };
    let counted = [
        partly::NODES_WITHOUT_FRAME.times(oddities.nodes_without_frame),
        Anomaly::FramesCrossed.times(oddities.crossed),
        Anomaly::EndsNotOpen.times(oddities.not_open),
        Anomaly::FramesUnended.times(oddities.unended),
        partly::EVENTS_LATE.times(oddities.late),
        partly::EVENTS_INCOMPLETE.times(oddities.incomplete_events),
        Anomaly::ValuesClamped.times(oddities.clamped),
        partly::SAMPLES_WITHOUT_WEIGHT.times(oddities.weightless),
        partly::WEIGHTS_WITHOUT_SAMPLE.times(oddities.spare_weights),
        partly::PROFILES_OF_UNKNOWN_TYPE.times(oddities.unknown_types),
    ];
    let broken_off = broken_off.map(BrokenOff::at);
    let plain = |is_so: bool, remark| is_so.then_some(Diagnostic::plain(remark));
    let is_empty = plain(recorded.tracks.is_empty(), Remark::NoProfiles);
    let is_full = plain(oddities.is_full, Remark::TreeFull);
    let first = [broken_off, is_empty, is_full];
    let last = unit.map(unknown_unit).map(Diagnostic::File);
    let last = last.into_iter().chain(recorded.decimals());
    let first = first.into_iter().chain(counted).flatten();
    first.chain(last).collect()
}
