//! What is odd about a trace.

use crate::importers::tracks::{CROSSED, LATE, Recorded, Sentences};

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
    let mut warnings = Sentences::new(broken_off);
    if recorded.tracks.is_empty() {
        warnings.push("The file has no events that begin and end (B, E, X) and no samples, so that the tree is empty.");
    }
    warnings.count(oddities.beside_samples, "event", "beside the samples of the file: left out.");
    warnings.count(oddities.crossed, "frame", CROSSED);
    warnings.count(oddities.not_open, "end", "of a frame that was not open: left out.");
    warnings.count(oddities.unended, "frame", "without an end: read as lasting until the last event of the thread.");
    warnings.count(oddities.late, "event", LATE);
    warnings.count(oddities.timeless, "event", "without a time or a frame: left out.");
    warnings.count(oddities.clamped, "value", "out of range: read as 0 or as the nearest bound.");
    warnings.into_vec()
}
