//! What is odd about a file.

use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, Ending, NamelessCause, Remark, partly};
use crate::importers::frame_counts::FrameCounts;

/// Numbers of what was found that should not be there.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// Times that are no number or out of range.
    pub clamped: u64,
    /// Weights below 0.
    pub negative: u64,
    /// Samples whose stack is in no table.
    pub unknown_stacks: u64,
    /// Stacks whose caller is not in front of them.
    pub unknown_callers: u64,
    /// Stacks of a frame without a name in any table.
    pub unknown_frames: u64,
    /// Samples after the last time.
    pub timeless: u64,
    pub frames: FrameCounts,
    /// Whether there is no sample.
    pub is_empty: bool,
}

/// What to know, the gravest first. `broken_off` is where the file ends, if it does so too early.
pub(super) fn diagnostics(odd: &Oddities, broken_off: Option<u64>) -> Vec<Diagnostic> {
    let all = [
        broken_off.map(|at| BrokenOff::at(at, Ending::Plain {})),
        odd.is_empty
            .then_some(Diagnostic::plain(Remark::NoFirefoxSamples)),
        odd.frames.diagnostic(NamelessCause::NotSymbolicated),
        partly::SAMPLES_OF_UNKNOWN_STACKS.times(odd.unknown_stacks),
        partly::STACKS_OF_UNKNOWN_CALLERS.times(odd.unknown_callers),
        partly::STACKS_OF_UNKNOWN_FRAMES.times(odd.unknown_frames),
        partly::SAMPLES_WITHOUT_TIME.times(odd.timeless),
        Anomaly::ValuesNegative.times(odd.negative),
        Anomaly::ValuesClamped.times(odd.clamped),
    ];
    all.into_iter().flatten().collect()
}
