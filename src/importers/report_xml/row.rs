use crate::diagnostics::{Anomaly, partly};
use crate::importers::anomalies::Anomalies;
use crate::input::json::JsonNumber;
use crate::input::xml::Attributes;
use crate::model::CountKind;
use crate::units::Unit;
use memchr::memrchr;

/// Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReportRow<'a> {
    pub name: &'a [u8],
    pub total: Option<u64>,
    pub own: Option<u64>,
    pub count: Option<u64>,
}

#[derive(Default)]
pub(super) struct Rows {
    /// Of a time, the largest number.
    pub decimals: usize,
    pub counts: Option<CountKind>,
    pub anomalies: Anomalies,
}

impl Rows {
    /// Whether appending equals a single pass.
    pub(super) fn is_compatible(&self, rest: &Rows) -> bool {
        self.counts.is_none() || rest.counts.is_none() || self.counts == rest.counts
    }

    pub(super) fn append(&mut self, rest: Rows) {
        self.decimals = self.decimals.max(rest.decimals);
        self.counts = self.counts.or(rest.counts);
        self.anomalies.append(rest.anomalies);
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
                _ => {}
            }
        }
        self.anomalies
            .note(partly::ELEMENTS_DAMAGED, attributes.is_damaged);
        row
    }

    /// Times are rounded to the decimals written.
    pub(super) fn step_ns(&self) -> u64 {
        let decimals = u32::try_from(self.decimals).unwrap_or(u32::MAX);
        let steps = 10u64.checked_pow(decimals).unwrap_or(u64::MAX);
        (Unit::Milliseconds.stored_per_unit() / steps).max(1)
    }

    #[inline]
    fn time(&mut self, value: &[u8]) -> Option<u64> {
        let time = self.number(value, Unit::Milliseconds.stored_per_unit())?;
        let decimals = memrchr(b'.', value).map_or(0, |at| value.len() - at - 1);
        self.decimals = self.decimals.max(decimals);
        Some(time)
    }

    /// Only counts of the kind that the first element has are read.
    #[inline]
    fn count(&mut self, value: &[u8], kind: CountKind) -> Option<u64> {
        let is_other = *self.counts.get_or_insert(kind) != kind;
        self.anomalies.note(partly::COUNTS_OF_OTHER_KIND, is_other);
        match is_other {
            true => None,
            false => self.number(value, 1),
        }
    }

    #[inline]
    fn number(&mut self, value: &[u8], scale: u64) -> Option<u64> {
        let number = JsonNumber::parse(value.trim_ascii());
        let scaled = number.map(|number| number.scaled(scale));
        let is_wrong = scaled.is_none_or(|scaled| scaled.is_clamped);
        self.anomalies.note(Anomaly::ValuesClamped, is_wrong);
        scaled.map(|scaled| scaled.value)
    }
}

#[cfg(test)]
mod tests;
