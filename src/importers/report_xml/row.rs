//! The attributes of an element and their numbers.

use crate::diagnostics::{Anomaly, Diagnostic};
use crate::input::json::JsonNumber;
use crate::input::xml::Attributes;
use crate::model::CountKind;
use crate::units::Unit;
use memchr::memchr3;

/// The number of decimals of a millisecond that make nanoseconds.
const EXACT_DECIMALS: usize = 6;

/// A `Function` or an `Instance`. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReportRow<'a> {
    pub name: &'a [u8],
    pub total: Option<u64>,
    pub own: Option<u64>,
    pub count: Option<u64>,
    /// The first attribute named like one of these with a suffix, as in a comparison of two snapshots.
    pub suffixed: Option<&'a [u8]>,
    pub is_damaged: bool,
}

/// Whether a difference between a sum and its expected value can be due to rounding: each number can be off by a
/// step.
pub(super) fn is_rounding(difference: u64, summands: u64, step_ns: u64) -> bool {
    difference <= step_ns.saturating_mul(summands.saturating_add(1))
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub decimals: usize,
    pub counts: Option<CountKind>,
    pub other_counts: u64,
    /// Values that are not numbers, and the first of them.
    pub not_numbers: u64,
    pub first_not_number: String,
    /// Negative or too large values.
    pub clamped: u64,
}

impl Numbers {
    /// Whether appending gives the result of a single pass.
    pub(super) fn is_compatible(&self, rest: &Numbers) -> bool {
        self.counts.is_none() || rest.counts.is_none() || self.counts == rest.counts
    }

    pub(super) fn append(&mut self, rest: Numbers) {
        self.decimals = self.decimals.max(rest.decimals);
        self.counts = self.counts.or(rest.counts);
        self.other_counts += rest.other_counts;
        if self.not_numbers == 0 {
            self.first_not_number = rest.first_not_number;
        }
        self.not_numbers += rest.not_numbers;
        self.clamped += rest.clamped;
    }

    #[inline]
    pub(super) fn row<'a>(&mut self, attributes: &'a str) -> ReportRow<'a> {
        let mut row = ReportRow::default();
        let mut attributes = Attributes::new(attributes);
        for (name, value) in attributes.by_ref() {
            match name {
                b"CallStack" | b"FQN" => row.name = value,
                b"TotalTime" => row.total = self.time(value),
                b"OwnTime" => row.own = self.time(value),
                b"Calls" => row.count = self.count(value, CountKind::Calls),
                b"Samples" => row.count = self.count(value, CountKind::Samples),
                _ if [&b"TotalTime"[..], b"OwnTime", b"Calls", b"Samples"]
                    .iter()
                    .any(|own| name.starts_with(own)) =>
                {
                    row.suffixed.get_or_insert(name);
                }
                _ => {}
            }
        }
        row.is_damaged = attributes.is_damaged;
        row
    }

    /// Times are rounded to the number of decimals written.
    pub(super) fn step_ns(&self) -> u64 {
        let decimals = u32::try_from(self.decimals).unwrap_or(u32::MAX);
        let steps = 10u64.checked_pow(decimals).unwrap_or(u64::MAX);
        (Unit::Milliseconds.stored_per_unit() / steps).max(1)
    }

    #[inline]
    fn time(&mut self, value: &[u8]) -> Option<u64> {
        let stored = self.number(value, Unit::Milliseconds.stored_per_unit())?;
        let decimals = match memchr3(b'.', b'E', b'e', value) {
            None => 0,
            Some(at) if value[at] == b'.' => value.len() - at - 1,
            // .NET writes very small values with an exponent
            Some(_) => EXACT_DECIMALS,
        };
        self.decimals = self.decimals.max(decimals);
        Some(stored)
    }

    #[inline]
    fn count(&mut self, value: &[u8], kind: CountKind) -> Option<u64> {
        if *self.counts.get_or_insert(kind) != kind {
            self.other_counts += 1;
            return None;
        }
        self.number(value, 1)
    }

    #[inline]
    fn number(&mut self, value: &[u8], scale: u64) -> Option<u64> {
        let Some(number) = JsonNumber::parse(value.trim_ascii()) else {
            self.note_not_a_number(value);
            return None;
        };
        let scaled = number.scaled(scale);
        self.clamped += u64::from(scaled.is_clamped);
        Some(scaled.value)
    }

    #[cold]
    fn note_not_a_number(&mut self, value: &[u8]) {
        if self.not_numbers == 0 {
            self.first_not_number = String::from_utf8_lossy(value).chars().take(40).collect();
        }
        self.not_numbers += 1;
    }

    pub(super) fn anomalies(&self) -> Vec<Diagnostic> {
        let Numbers {
            other_counts: elements,
            not_numbers: values,
            ..
        } = *self;
        let (kept, left_out) = match self.counts {
            Some(CountKind::Samples) => ("Samples", "Calls"),
            _ => ("Calls", "Samples"),
        };
        let first = self.first_not_number.clone();
        let not_numbers = Diagnostic::NotNumbers { values, first };
        let other_counts = Diagnostic::OtherCounts {
            left_out: left_out.into(),
            elements,
            kept: kept.into(),
        };
        let all = [
            (values > 0).then_some(not_numbers),
            Anomaly::ValuesClamped.times(self.clamped),
            (elements > 0).then_some(other_counts),
        ];
        all.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests;
