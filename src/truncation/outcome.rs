use crate::model::{Amount, MetricId, ThreadTruncation, Truncation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepairOutcome {
    Whole,
    Repaired,
    /// Its callers were found, but recur, so that their number is uncertain.
    RepairedSomewhere,
    Ambiguous,
    Unmatched,
}

impl RepairOutcome {
    const COUNT: usize = 5;
}

pub(crate) struct RepairTally(Vec<[Amount; RepairOutcome::COUNT]>);

impl RepairTally {
    pub(crate) fn new(threads: usize) -> RepairTally {
        RepairTally(vec![[Amount::default(); RepairOutcome::COUNT]; threads])
    }

    #[inline]
    pub(crate) fn add(&mut self, thread: usize, outcome: RepairOutcome, samples: u64, value: u64) {
        if let Some(row) = self.0.get_mut(thread) {
            row[outcome as usize].add(Amount { samples, value });
        }
    }

    /// `metric` is what the samples measure. `has_samples`: their number is meaningful.
    pub(crate) fn finish(self, limit: u32, metric: MetricId, has_samples: bool) -> Truncation {
        let thread = |by_outcome: [Amount; RepairOutcome::COUNT]| {
            let sum = |outcomes: &[RepairOutcome]| {
                let mut sum = Amount::default();
                for &outcome in outcomes {
                    sum.add(by_outcome[outcome as usize]);
                }
                sum
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
