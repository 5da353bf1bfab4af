use std::collections::BTreeMap;

const DEFAULT_NS: u64 = 1_000_000;

#[derive(Default)]
pub(super) struct Intervals {
    /// Nanoseconds, from a time in ticks on.
    from: BTreeMap<u64, u64>,
}

impl Intervals {
    pub(super) fn add(&mut self, from: u64, interval_ns: u64) {
        if interval_ns > 0 {
            self.from.insert(from, interval_ns);
        }
    }

    /// Applies from the start, because it may be reported after the first samples.
    pub(super) fn first_ns(&self) -> u64 {
        let first = self.from.first_key_value();
        first.map_or(DEFAULT_NS, |(_, interval_ns)| *interval_ns)
    }

    pub(super) fn at_ns(&self, time: u64) -> u64 {
        let current = self.from.range(..=time).next_back();
        current.map_or_else(|| self.first_ns(), |(_, interval_ns)| *interval_ns)
    }
}

#[cfg(test)]
mod tests;
