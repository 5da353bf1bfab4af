use super::QueryError;
use crate::model::{Recording, TimeRange, UntimedReason};
use crate::query::messages;
use crate::units::seconds;

/// In nanoseconds. A unit comes before any shorter one that it ends with.
pub(super) const UNITS: [(&str, f64); 5] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
];
const MINUTES: (&str, f64) = ("m", 60e9);

#[derive(Clone, Copy, Debug, Default)]
pub struct RangeRequest {
    pub from: Option<RangeEnd>,
    pub until: Option<RangeEnd>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RangeEnd {
    /// Nanoseconds since the start.
    At(u64),
    Percent(f64),
}

/// Parses two ends separated by spaces or two dots: `1s 2s`, `25%..50%`, `4.5s..`. With dots, one may be missing.
/// Numbers without a unit are seconds.
pub fn parse_range(text: &str) -> Option<RangeRequest> {
    let text = text.trim();
    let (from, until) = match text.split_once("..") {
        Some(ends) => ends,
        None => text.split_once(char::is_whitespace)?,
    };
    let end = |text: &str| match text.trim() {
        "" => Some(None),
        text => {
            let end = parse_range_end(text).or_else(|_| parse_range_end(&format!("{text}s")));
            Some(Some(end.ok()?))
        }
    };
    let (from, until) = (end(from)?, end(until)?);
    Some(RangeRequest { from, until }).filter(|_| from.is_some() || until.is_some())
}

/// The error has no full stop.
pub fn parse_range_end(text: &str) -> Result<RangeEnd, String> {
    let number = |text: &str| {
        let number = text.trim().parse::<f64>().ok();
        number.filter(|number| *number >= 0.0 && number.is_finite())
    };
    if let Some(share) = text.strip_suffix('%') {
        let share = number(share).filter(|share| *share <= 100.0);
        return share
            .map(RangeEnd::Percent)
            .ok_or(messages::SHARE_EXPECTED.into());
    }
    let in_unit = |(unit, ns): &(&str, f64)| Some(number(text.strip_suffix(unit)?)? * ns);
    let ns = UNITS.iter().chain([&MINUTES]).find_map(in_unit);
    ns.map(|ns| RangeEnd::At(ns.round() as u64))
        .ok_or(messages::TIME_OR_SHARE_EXPECTED.into())
}

impl RangeEnd {
    fn at_ns(self, span_ns: u64) -> u64 {
        match self {
            RangeEnd::At(ns) => ns,
            RangeEnd::Percent(share) => (span_ns as f64 * share / 100.0).round() as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeFault {
    PastEnd,
    EndsFirst,
}

impl RangeRequest {
    fn untimed_error(&self, format: &str, reason: UntimedReason) -> QueryError {
        let option = self.from.map_or("--until", |_| "--from");
        let advice = match reason {
            UntimedReason::NoTimes | UntimedReason::Comparison => {
                messages::LEAVE_RANGE_OUT_OR_OPEN_RECORDING
            }
            UntimedReason::NotAll | UntimedReason::NamesTooLate => messages::LEAVE_RANGE_OUT,
        };
        QueryError::usage(messages::cant_take_range(&option, &format, &reason)).advice(advice)
    }

    pub fn fault(&self, span_ns: u64) -> Option<RangeFault> {
        match self.bounds_ns(span_ns) {
            (from_ns, _) if from_ns > span_ns => Some(RangeFault::PastEnd),
            (from_ns, Some(until_ns)) if until_ns <= from_ns => Some(RangeFault::EndsFirst),
            _ => None,
        }
    }

    fn bounds_ns(&self, span_ns: u64) -> (u64, Option<u64>) {
        let from_ns = self.from.map_or(0, |from| from.at_ns(span_ns));
        (from_ns, self.until.map(|to| to.at_ns(span_ns)))
    }

    /// `None` for the whole recording.
    pub fn within(&self, recording: &Recording) -> Result<Option<TimeRange>, QueryError> {
        if self.from.is_none() && self.until.is_none() {
            return Ok(None);
        }
        let format = &recording.source.format;
        let samples = recording.samples.as_ref();
        let samples = samples.map_err(|&reason| self.untimed_error(format, reason))?;
        let span_ns = samples.span_ns;
        let (from_ns, until_ns) = self.bounds_ns(span_ns);
        let spans = messages::recording_spans(&seconds(span_ns));
        if let Some(fault) = self.fault(span_ns) {
            let from = seconds(from_ns);
            let usage = match fault {
                RangeFault::PastEnd => messages::past_end(&from),
                RangeFault::EndsFirst => {
                    let until = seconds(until_ns.unwrap_or(span_ns));
                    messages::until_time_later_than_expected(&until, &from)
                }
            };
            return Err(QueryError::usage(usage).advice(spans));
        }
        // a range that ends with the recording includes its last instant
        let to_ns = until_ns.filter(|until_ns| *until_ns < span_ns);
        let to_ns = to_ns.unwrap_or(TimeRange::OPEN);
        let range = TimeRange { from_ns, to_ns };
        Ok(Some(range).filter(|range| *range != TimeRange::ALL))
    }
}

#[cfg(test)]
mod tests;
