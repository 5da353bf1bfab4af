//! The profiler's clock (section 0x1000).

use super::bytes::{SectionBytes, SectionReader, SectionResult};
use crate::importers::filetime::nanoseconds;
use crate::importers::messages;

const NS_PER_SECOND: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    pub ticks_per_second: u64,
}

impl Clock {
    pub(super) fn read(section: SectionBytes) -> SectionResult<Clock> {
        let ticks_per_second = section.read(SectionReader::u64)?;
        if ticks_per_second == 0 {
            return Err(section.damaged(0, messages::ZERO_TICKS_PER_SECOND));
        }
        Ok(Clock { ticks_per_second })
    }

    /// Exact for 10^7 and 10^9 ticks per second, else rounded. Saturates at `u64::MAX`.
    pub(super) fn ns(self, ticks: u64) -> u64 {
        if NS_PER_SECOND.is_multiple_of(self.ticks_per_second) {
            // the usual case, without a 128-bit division per node
            return ticks.saturating_mul(NS_PER_SECOND / self.ticks_per_second);
        }
        nanoseconds(ticks, self.ticks_per_second)
    }
}

#[cfg(test)]
mod tests;
