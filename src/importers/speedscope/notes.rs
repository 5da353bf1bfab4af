//! What is odd about a speedscope file.

use crate::importers::tracks::{CROSSED, LATE, Recorded, Sentences};

/// Numbers of what was found that should not be there.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// Closes of a frame that was not the innermost.
    pub crossed: u64,
    /// Closes of a frame that was not open.
    pub not_open: u64,
    /// Frames that were open at the end.
    pub unended: u64,
    /// Events before the time that was reached.
    pub late: u64,
    /// Events without a known type or a time.
    pub incomplete_events: u64,
    /// Values that are no number, negative, or too large.
    pub clamped: u64,
    /// Values that are no whole number and have no unit.
    pub fractions: u64,
    /// Samples without a weight.
    pub weightless: u64,
    /// Weights without a sample.
    pub spare_weights: u64,
    /// Profiles that are neither evented nor sampled.
    pub unknown_types: u64,
    /// The first unit that is none of the format's.
    pub unknown_unit: Option<String>,
    /// Nodes whose frame is not in the table.
    pub nodes_without_frame: u64,
    /// There were more call places than are possible.
    pub is_full: bool,
}

/// What to know, a sentence each, the gravest first. `broken_off` is where the file ends, if it does so too early.
pub(super) fn warnings(oddities: &Oddities, recorded: &Recorded, broken_off: Option<u64>) -> Vec<String> {
    let mut warnings = Sentences::new(broken_off);
    if recorded.tracks.is_empty() {
        warnings.push(
            "The file holds no profiles, so that the tree is empty. dotnet-trace writes such a file if the recording has no \
             samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025).",
        );
    }
    if oddities.is_full {
        warnings.push("There are more different call places than a tree can hold; those beyond are left out.");
    }
    warnings.count(oddities.nodes_without_frame, "node", "without a frame in the file's table: shown as [No name].");
    warnings.count(oddities.crossed, "frame", CROSSED);
    warnings.count(oddities.not_open, "close", "of a frame that was not open: left out.");
    warnings.count(oddities.unended, "frame", "without an end: read as lasting until the end of the profile.");
    warnings.count(oddities.late, "event", LATE);
    warnings.count(oddities.incomplete_events, "event", "without a known type or a time: left out.");
    warnings.count(oddities.clamped, "value", "out of range or no number: read as 0 or as the nearest bound.");
    warnings.count(oddities.fractions, "value", "without a unit and not whole: rounded so that sums are kept.");
    warnings.count(oddities.weightless, "sample", "without a weight: read as if it were 1.");
    warnings.count(oddities.spare_weights, "weight", "without a sample: left out.");
    warnings.count(
        oddities.unknown_types,
        "profile",
        "of an unknown type: read as far as events and samples are known.",
    );
    if let Some(unit) = &oddities.unknown_unit {
        warnings.push(format!("The unit {unit:?} is none of the format's: its values are shown as plain numbers."));
    }
    warnings.into_vec()
}
