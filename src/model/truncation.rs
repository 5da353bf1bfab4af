use super::{Metric, MetricId};
use crate::diagnostics::StacksTruncated;
use crate::units::{Scale, counted, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Amount {
    /// 0 if counts are not samples.
    pub samples: u64,
    pub value: u64,
}

impl Amount {
    #[inline]
    pub fn add(&mut self, other: Amount) {
        self.samples = self.samples.saturating_add(other.samples);
        self.value = self.value.saturating_add(other.value);
    }

    #[inline]
    pub(super) fn without(self, part: Amount) -> Amount {
        Amount {
            samples: self.samples.saturating_sub(part.samples),
            value: self.value.saturating_sub(part.value),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ThreadTruncation {
    pub all: Amount,
    pub truncated: Amount,
    pub repaired: Amount,
    /// Repaired within a recursion: the callers are right, but its depth is unknown.
    pub depth_uncertain: Amount,
    /// Still truncated, because different callers match equally well.
    pub ambiguous: Amount,
}

impl ThreadTruncation {
    pub fn remaining(&self) -> Amount {
        self.truncated.without(self.repaired)
    }

    fn sum<'a>(threads: impl Iterator<Item = &'a ThreadTruncation>) -> ThreadTruncation {
        let mut sum = ThreadTruncation::default();
        for thread in threads {
            sum.all.add(thread.all);
            sum.truncated.add(thread.truncated);
            sum.repaired.add(thread.repaired);
            sum.depth_uncertain.add(thread.depth_uncertain);
            sum.ambiguous.add(thread.ambiguous);
        }
        sum
    }
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Truncation {
    /// The depth at which stacks were cut: recorders walk them from the leaf and stop there.
    pub limit: u32,
    pub metric: MetricId,
    pub has_samples: bool,
    pub threads: Vec<ThreadTruncation>,
}

impl Truncation {
    pub fn of_threads<'a>(&self, rows: impl Iterator<Item = &'a [usize]>) -> Truncation {
        let threads = rows.map(|rows| {
            ThreadTruncation::sum(rows.iter().filter_map(|&row| self.threads.get(row)))
        });
        Truncation {
            threads: threads.collect(),
            ..self.clone()
        }
    }

    pub fn is_any(&self) -> bool {
        self.total().truncated != Amount::default()
    }

    pub fn total(&self) -> ThreadTruncation {
        ThreadTruncation::sum(self.threads.iter())
    }

    /// The truncated share of the samples, if known, else of the value.
    pub fn percent_of(&self, sum: &ThreadTruncation) -> f64 {
        percent(self.counted(sum.truncated), self.counted(sum.all))
    }

    pub fn counted(&self, amount: Amount) -> u64 {
        match self.has_samples {
            true => amount.samples,
            false => amount.value,
        }
    }

    /// A number of samples, or a value in the unit that fits the `total`.
    pub fn number(&self, amount: Amount, total: Amount, metrics: &[Metric]) -> String {
        match self.has_samples {
            true => thousands(amount.samples),
            false => {
                let unit = metrics[self.metric.index()].unit;
                Scale::for_values(unit, total.value).with_unit(amount.value)
            }
        }
    }

    /// With its unit: `2,031 samples`, `12.5 ms wall`.
    pub fn words(&self, amount: Amount, total: Amount, metrics: &[Metric]) -> String {
        match self.has_samples {
            true => counted(amount.samples, "sample"),
            false => {
                let number = self.number(amount, total, metrics);
                format!("{number} {}", metrics[self.metric.index()].name)
            }
        }
    }

    pub fn diagnostic(&self, metrics: &[Metric], is_repaired: bool) -> Option<StacksTruncated> {
        let total = self.total();
        let metric = &metrics[self.metric.index()];
        self.is_any().then(|| StacksTruncated {
            limit_frames: self.limit,
            metric: (!self.has_samples).then(|| (metric.name.clone(), metric.unit)),
            total: self.counted(total.all),
            truncated: self.counted(total.truncated),
            repaired: self.counted(total.repaired),
            depth_uncertain: self.counted(total.depth_uncertain),
            is_repaired,
        })
    }
}

#[cfg(test)]
mod tests;
