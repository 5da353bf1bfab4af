//! What is odd about a trace.

use crate::importers::tracks::Recorded;
use crate::model::format::{counted, thousands};

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
}

/// What to know, a sentence each, the gravest first. `broken_off` is where the file ends, if it does so too early.
pub(super) fn warnings(oddities: &Oddities, recorded: &Recorded, broken_off: Option<u64>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(offset) = broken_off {
        warnings.push(format!("The file breaks off at byte {}; what was read up to there is kept.", thousands(offset)));
    }
    if recorded.tracks.is_empty() {
        warnings.push(
            "The file has no events that begin and end (B, E, X) and no samples, so that the tree is empty.".into(),
        );
    }
    let mut warn = |count: u64, noun: &str, rest: &str| {
        if count > 0 {
            warnings.push(format!("{} {rest}", counted(count, noun)));
        }
    };
    warn(oddities.beside_samples, "event", "beside the samples of the file: left out.");
    warn(
        oddities.crossed,
        "frame",
        "ended while others were open inside; they last until those end or the next begins.",
    );
    warn(oddities.not_open, "end", "of a frame that was not open: left out.");
    warn(oddities.unended, "frame", "without an end: read as lasting until the last event of the thread.");
    warn(oddities.late, "event", "before the time that was reached: read as if at that time.");
    warn(oddities.timeless, "event", "without a time or a frame: left out.");
    warn(oddities.clamped, "value", "out of range: read as 0 or as the nearest bound.");
    warnings
}
