use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};

words! {
    /// The unit in which a metric is shown. Trees store whole numbers, so that sums are exact and reproducible.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
    pub enum Unit {
        /// Stored as nanoseconds.
        Milliseconds = "ms",
        Count = "count",
        Bytes = "bytes",
    }
}

impl Unit {
    /// 1,000,000 (nanoseconds) for milliseconds, otherwise 1.
    pub fn stored_per_unit(self) -> u64 {
        match self {
            Unit::Milliseconds => 1_000_000,
            Unit::Count | Unit::Bytes => 1,
        }
    }

    pub fn to_unit(self, stored: u64) -> f64 {
        stored as f64 / self.stored_per_unit() as f64
    }
}
