//! The units of metrics.

use borsh::{BorshDeserialize, BorshSerialize};

/// The unit in which a metric is shown.
///
/// Trees store whole numbers, so that sums are exact and reproducible. Times are stored in nanoseconds and shown in
/// milliseconds; see [`Unit::stored_per_unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Unit {
    /// Time; stored as whole nanoseconds.
    Milliseconds,
    /// A number of things, such as samples.
    Count,
    /// Memory.
    Bytes,
}

impl Unit {
    /// The unit's name in output and in JSON: `ms`, `count` or `bytes`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Count => "count",
            Unit::Bytes => "bytes",
        }
    }

    /// The unit with this [`Unit::name`].
    pub fn from_name(name: &str) -> Option<Unit> {
        [Unit::Milliseconds, Unit::Count, Unit::Bytes]
            .into_iter()
            .find(|unit| unit.name() == name)
    }

    /// The number of stored units per unit: 1,000,000 (nanoseconds) for milliseconds, otherwise 1.
    pub fn stored_per_unit(self) -> u64 {
        match self {
            Unit::Milliseconds => 1_000_000,
            Unit::Count | Unit::Bytes => 1,
        }
    }

    /// Converts a stored value to this unit, for output.
    pub fn to_unit(self, stored: u64) -> f64 {
        stored as f64 / self.stored_per_unit() as f64
    }
}
