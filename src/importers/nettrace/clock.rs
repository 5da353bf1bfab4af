//! The clock of a recording.

use super::recording::TraceHeader;
use crate::importers::filetime::nanoseconds;

/// Converts to nanoseconds from the start of the session or, if that is unknown or too late, from the first event.
pub(super) struct Clock {
    zero: u64,
    ticks_per_second: u64,
}

impl Clock {
    pub(super) fn new(header: &TraceHeader, first_event: u64) -> Clock {
        let is_start_known = header.start_ticks > 0 && header.start_ticks <= first_event;
        Clock {
            zero: match is_start_known {
                true => header.start_ticks,
                false => first_event,
            },
            ticks_per_second: header.ticks_per_second.max(1),
        }
    }

    /// Rounds times rather than their differences, so that those of a thread add up.
    pub(super) fn nanoseconds(&self, ticks: u64) -> u64 {
        self.duration(ticks.saturating_sub(self.zero))
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
