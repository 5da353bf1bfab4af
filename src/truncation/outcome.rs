//! What became of samples, and how many there are of each outcome.

use crate::model::{Amount, MetricId, ThreadTruncation, Truncation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepairOutcome {
    Whole,
    Repaired,
    /// Its callers were found, but how many there are is not certain: they recur.
    RepairedSomewhere,
    /// Different callers fit equally well, so that it stays truncated.
    Ambiguous,
    /// No callers were found, so that it stays truncated.
    Unmatched,
}

impl RepairOutcome {
    const COUNT: usize = 5;
}

/// Sums up what became of the samples of each thread, by [`RepairOutcome`].
pub(crate) struct RepairTally(Vec<[Amount; RepairOutcome::COUNT]>);

impl RepairTally {
    /// An empty tally for this many threads.
    pub(crate) fn new(threads: usize) -> RepairTally {
        RepairTally(vec![[Amount::default(); RepairOutcome::COUNT]; threads])
    }

    /// Adds a row of a thread: how many samples it is, and what they measured.
    #[inline]
    pub(crate) fn add(&mut self, thread: usize, outcome: RepairOutcome, samples: u64, value: u64) {
        if let Some(row) = self.0.get_mut(thread) {
            row[outcome as usize].add(samples, value);
        }
    }

    /// The rows, for a profile whose samples measure `metric`. `has_samples` says that their numbers mean something.
    pub(crate) fn finish(self, limit: u32, metric: MetricId, has_samples: bool) -> Truncation {
        let thread = |by_outcome: [Amount; RepairOutcome::COUNT]| {
            let sum = |outcomes: &[RepairOutcome]| {
                outcomes
                    .iter()
                    .fold(Amount::default(), |mut sum, &outcome| {
                        let Amount { samples, value } = by_outcome[outcome as usize];
                        sum.add(samples, value);
                        sum
                    })
            };
            use RepairOutcome::{Ambiguous, Repaired, RepairedSomewhere, Unmatched, Whole};
            ThreadTruncation {
                all: sum(&[Whole, Repaired, RepairedSomewhere, Ambiguous, Unmatched]),
                truncated: sum(&[Repaired, RepairedSomewhere, Ambiguous, Unmatched]),
                repaired: sum(&[Repaired, RepairedSomewhere]),
                depth_uncertain: sum(&[RepairedSomewhere]),
                ambiguous: sum(&[Ambiguous]),
            }
        };
        Truncation {
            limit,
            metric,
            has_samples,
            threads: self.0.into_iter().map(thread).collect(),
        }
    }
}
