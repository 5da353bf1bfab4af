//! The time that a sample represents.

const DEFAULT_NS: u64 = 1_000_000;

#[derive(Default)]
pub(super) struct Intervals {
    /// Pairs of a time in ticks and the interval in nanoseconds from then on.
    rows: Vec<(u64, u64)>,
}

impl Intervals {
    pub(super) fn add(&mut self, from: u64, interval_ns: u64) {
        if interval_ns > 0 {
            let place = self.rows.partition_point(|(known, _)| *known <= from);
            self.rows.insert(place, (from, interval_ns));
        }
    }

    /// The first interval, which applies from the start because it may be reported after the first samples.
    pub(super) fn first_ns(&self) -> u64 {
        self.rows
            .first()
            .map_or(DEFAULT_NS, |(_, interval_ns)| *interval_ns)
    }

    pub(super) fn at_ns(&self, time: u64) -> u64 {
        let after = self.rows.partition_point(|(from, _)| *from <= time);
        after
            .checked_sub(1)
            .map_or_else(|| self.first_ns(), |row| self.rows[row].1)
    }
}

#[cfg(test)]
mod tests;
