const NS_PER_SECOND: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// In ticks.
    zero: u64,
    pub ticks_per_second: u64,
    /// 0 if it is not whole.
    ns_per_tick: u64,
}

impl Clock {
    pub(super) fn new(zero: u64, ticks_per_second: u64) -> Clock {
        let is_whole = NS_PER_SECOND.is_multiple_of(ticks_per_second);
        Clock {
            zero,
            ticks_per_second,
            ns_per_tick: if is_whole {
                NS_PER_SECOND / ticks_per_second
            } else {
                0
            },
        }
    }

    /// Rounds times rather than differences, so that those of a thread add up.
    pub(super) fn time_ns(self, ticks: u64) -> u64 {
        self.duration_ns(ticks.saturating_sub(self.zero))
    }

    pub(super) fn duration_ns(self, ticks: u64) -> u64 {
        if self.ns_per_tick > 0 {
            // the usual case, without a 128-bit division
            return ticks.saturating_mul(self.ns_per_tick);
        }
        let per_second = u128::from(self.ticks_per_second);
        let rounded = (u128::from(ticks) * u128::from(NS_PER_SECOND) + per_second / 2) / per_second;
        u64::try_from(rounded).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
