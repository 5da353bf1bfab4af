//! The time of samples: each lasts until its thread's next one.
//!
//! The rule is that of TraceEvent's `SampleProfilerThreadTimeComputer`, by which dotnet-trace and PerfView make their
//! times. A thread that is seen with running managed code (or allocating) ran until it is seen next; one that is seen
//! outside of managed code waited, or ran native code, until it is seen next. The last sample of a thread has no time.
//! The interval that was asked for is not the one that passes, and has no part in it.

use super::recording::{Activity, Sample};

/// The recording's clock in nanoseconds since some sample.
pub(super) struct Clock {
    base: u64,
    ticks_per_second: u128,
}

impl Clock {
    /// A clock that starts at `base` ticks; a second has at least one tick.
    pub fn new(base: u64, ticks_per_second: u64) -> Clock {
        Clock { base, ticks_per_second: u128::from(ticks_per_second) }
    }

    /// A time that is not before the start, in nanoseconds since then. Times are rounded and not their differences, so
    /// that the times of a thread add up to what lies between its first and its last sample.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        self.duration(ticks.saturating_sub(self.base))
    }

    /// A duration in nanoseconds.
    pub fn duration(&self, ticks: u64) -> u64 {
        const NANOSECONDS: u128 = 1_000_000_000;
        // what all Linux machines have
        if self.ticks_per_second == NANOSECONDS {
            return ticks;
        }
        let rounded = (u128::from(ticks) * NANOSECONDS + self.ticks_per_second / 2) / self.ticks_per_second;
        u64::try_from(rounded).unwrap_or(u64::MAX)
    }
}

/// What happened between two samples of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<P> {
    /// Where the time belongs.
    pub place: P,
    pub nanoseconds: u64,
    /// Whether the thread ran; otherwise it waited or ran native code.
    pub on_cpu: bool,
}

/// A thread's last sample, if there was one, and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastSample<P>(Option<(u64, P, bool)>);

impl<P> Default for LastSample<P> {
    fn default() -> Self {
        LastSample(None)
    }
}

impl<P: Copy> LastSample<P> {
    /// Takes the thread's next sample in order of time. Gives the time of the one before.
    pub fn replace(&mut self, clock: &Clock, sample: &Sample, place: P) -> Option<Span<P>> {
        let now = clock.nanoseconds(sample.time);
        let on_cpu = sample.activity() != Activity::External;
        let (before, place, on_cpu) = self.0.replace((now, place, on_cpu))?;
        Some(Span { place, nanoseconds: now.saturating_sub(before), on_cpu })
    }
}

#[cfg(test)]
mod tests {
    use super::super::stacks::StackId;
    use super::*;
    use Activity::{Allocating, External, Managed};

    /// Samples of one thread as (ticks of 100 ns, what it did), each at the place of its number; then the spans expected.
    #[track_caller]
    fn check(samples: &[(u64, Activity)], expect: &[(usize, u64, bool)]) {
        let clock = Clock::new(1000, 10_000_000);
        let mut last = LastSample::default();
        let spans: Vec<_> = samples
            .iter()
            .enumerate()
            .filter_map(|(place, &(time, activity))| {
                let sample = Sample::new(time, StackId::NONE, 0, activity);
                last.replace(&clock, &sample, place)
            })
            .map(|span| (span.place, span.nanoseconds, span.on_cpu))
            .collect();
        assert_eq!(spans, expect);
    }

    #[test]
    fn a_sample_lasts_until_the_next() {
        check(&[(1000, Managed), (1010, Managed), (1015, Managed)], &[(0, 1000, true), (1, 500, true)]);
        check(
            &[(1000, External), (1010, Managed), (1015, External), (1016, External)],
            &[(0, 1000, false), (1, 500, true), (2, 100, false)],
        );
    }

    #[test]
    fn who_allocates_runs() {
        check(&[(1000, External), (1003, Allocating), (1010, External)], &[(0, 300, false), (1, 700, true)]);
    }

    #[test]
    fn one_sample_has_no_time() {
        check(&[(1000, Managed)], &[]);
        check(&[], &[]);
    }

    #[test]
    fn times_are_rounded_so_that_sums_are_exact() {
        // a clock of 3 ticks a second: 0, 333,333,333.3 and 666,666,666.7 ns
        let clock = Clock::new(6, 3);
        assert_eq!([6, 7, 8, 9].map(|ticks| clock.nanoseconds(ticks)), [0, 333_333_333, 666_666_667, 1_000_000_000]);
        assert_eq!(Clock::new(0, 1).nanoseconds(u64::MAX), u64::MAX);
        assert_eq!(clock.nanoseconds(0), 0, "before its start");
    }
}
