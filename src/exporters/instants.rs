//! Assigns times to trace events so that readers that sort events get them in file order.
//!
//! speedscope takes an end before a begin of the same time, unless both have the same name; Chromium and Perfetto keep
//! the file's order. To make them agree, an end and a begin that follow each other never share a time: the second
//! comes a tick later, a small fraction of a nanosecond. Ticks do not add up: the next event that really comes later
//! has its own time again.

/// Readers store microseconds as floats with 53 bits: a tick is at least two steps of one.
const MAX_TICKS: u64 = 1 << 51;

pub(super) struct Instants {
    ticks_per_nanosecond: u64,
    /// Ticks finer than nanoseconds tell equal times apart.
    has_ticks: bool,
    last: u64,
    was_begin: Option<bool>,
}

impl Instants {
    /// For a thread of this many nanoseconds and nodes. Many nodes at one time end within a thousandth of a nanosecond.
    /// Above 62 hours (2^51 / 10 ns), no ticks.
    pub(super) fn new(nanoseconds: u64, nodes: u64) -> Instants {
        let needed = 3 + nodes.saturating_mul(2).checked_ilog10().unwrap_or(0) + 1;
        let possible = (MAX_TICKS / nanoseconds.max(1)).checked_ilog10();
        let decimals = needed.min(possible.unwrap_or(0));
        Instants {
            ticks_per_nanosecond: 10u64.pow(decimals),
            has_ticks: decimals > 0,
            last: 0,
            was_begin: None,
        }
    }

    /// The time of the next begin or end, which happened at this nanosecond.
    #[inline]
    pub(super) fn next(&mut self, nanoseconds: u64, is_begin: bool) -> u64 {
        let before = self.was_begin.replace(is_begin);
        let is_turn = before.is_some_and(|was_begin| was_begin != is_begin);
        let earliest = self.last + u64::from(is_turn && self.has_ticks);
        self.last = earliest.max(nanoseconds * self.ticks_per_nanosecond);
        self.last
    }

    pub(super) fn ticks_per_microsecond(&self) -> u64 {
        self.ticks_per_nanosecond * 1_000
    }
}

#[cfg(test)]
mod tests;
