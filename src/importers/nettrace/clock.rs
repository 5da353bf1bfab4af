//! The clock of a recording.

use super::recording::TraceHeader;
use crate::importers::filetime::nanoseconds;

/// Converts to nanoseconds from the start of the session or, if that is unknown or too late, from the first event.
pub(super) struct Clock {
    base: u64,
    base_nanoseconds: u64,
    ticks_per_second: u64,
}

impl Clock {
    pub(super) fn new(header: &TraceHeader, first_event: u64, first_sample: Option<u64>) -> Clock {
        let starts = header.start_ticks > 0 && header.start_ticks <= first_event;
        let zero = match starts {
            true => header.start_ticks,
            false => first_event,
        };
        let base = first_sample.unwrap_or(zero);
        let mut clock = Clock {
            base,
            base_nanoseconds: 0,
            ticks_per_second: header.ticks_per_second.max(1),
        };
        clock.base_nanoseconds = clock.duration(base.saturating_sub(zero));
        clock
    }

    /// Rounds times rather than their differences, so that those of a thread add up.
    pub(super) fn nanoseconds(&self, ticks: u64) -> u64 {
        match ticks.checked_sub(self.base) {
            Some(since) => self.base_nanoseconds.saturating_add(self.duration(since)),
            None => self
                .base_nanoseconds
                .saturating_sub(self.duration(self.base - ticks)),
        }
    }

    pub(super) fn duration(&self, ticks: u64) -> u64 {
        // as on all Linux machines
        if self.ticks_per_second == 1_000_000_000 {
            return ticks;
        }
        nanoseconds(ticks, self.ticks_per_second)
    }
}

#[cfg(test)]
mod tests;
