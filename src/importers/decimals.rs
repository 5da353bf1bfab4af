use crate::diagnostics::{Anomaly, Diagnostic};
use crate::input::json::JsonNumber;

const FINEST: u64 = 1_000_000;

/// How finely values are stored: as the finest number so far requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecimalParts {
    /// 1, 1,000 or 1,000,000.
    pub per_one: u64,
    pub vanished: u64,
}

impl Default for DecimalParts {
    fn default() -> DecimalParts {
        DecimalParts {
            per_one: 1,
            vanished: 0,
        }
    }
}

impl DecimalParts {
    /// Returns the factor by which values stored so far must be multiplied.
    pub(super) fn refine_for(&mut self, millionths: u128) -> Option<u64> {
        let needed = [1, 1_000]
            .into_iter()
            .find(|parts| millionths.is_multiple_of(u128::from(FINEST / parts)))
            .unwrap_or(FINEST);
        let factor = needed / self.per_one;
        if factor <= 1 {
            return None;
        }
        self.per_one = needed;
        Some(factor)
    }

    pub(super) fn stored(self, millionths: u128) -> u64 {
        u64::try_from(millionths / u128::from(FINEST / self.per_one)).unwrap_or(u64::MAX)
    }

    pub(super) fn diagnostics(self) -> impl Iterator<Item = Diagnostic> + use<> {
        let parts = self.per_one;
        let in_parts = Diagnostic::WeightsInParts { parts };
        let vanished = Anomaly::ValuesVanished.times(self.vanished);
        (parts > 1).then_some(in_parts).into_iter().chain(vanished)
    }

    pub(super) fn metric_name(self, name: &str) -> String {
        match self.per_one {
            1 => name.to_string(),
            parts => format!("1/{parts} {name}"),
        }
    }
}

/// Rounded millionths of a non-negative number: exact if its digits fit into 64 bits.
pub(super) fn millionths(number: &JsonNumber<'_>) -> u128 {
    number
        .exactly_scaled(FINEST)
        .unwrap_or_else(|| millionths_of_float(number.to_f64()))
}

pub(super) fn millionths_of_float(number: f64) -> u128 {
    // integral floats need no multiplication, which might round; `as` saturates absurd values
    match number.fract() == 0.0 {
        true => (number as u128).saturating_mul(u128::from(FINEST)),
        false => (number * FINEST as f64).round() as u128,
    }
}
