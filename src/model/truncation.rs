use super::{Metric, MetricId, Synthetic};
use crate::diagnostics::StacksTruncated;
use crate::units::{Scale, counted, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};

/// A number of samples and their value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Amount {
    pub samples: u64,
    /// Their value in [`Truncation::metric`], in stored steps.
    pub value: u64,
}

impl Amount {
    pub fn add(&mut self, other: Amount) {
        self.samples = self.samples.saturating_add(other.samples);
        self.value = self.value.saturating_add(other.value);
    }

    fn without(self, part: Amount) -> Amount {
        Amount {
            samples: self.samples.saturating_sub(part.samples),
            value: self.value.saturating_sub(part.value),
        }
    }
}

/// The truncated stacks of a thread, and how many of them were repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ThreadTruncation {
    pub all: Amount,
    pub truncated: Amount,
    pub repaired: Amount,
    /// Repaired within a recursion: the callers are right, but the depth of the recursion is unknown.
    pub depth_uncertain: Amount,
    /// Stacks that stay truncated because different callers fit equally well.
    pub ambiguous: Amount,
}

impl ThreadTruncation {
    pub fn left(&self) -> Amount {
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
    /// The name of the frame above truncated stacks.
    pub fn marker(limit: u32) -> String {
        Synthetic::Truncated { limit }.name()
    }

    /// The truncation of derived threads; `made_of` lists the threads that each consists of.
    pub fn of_threads<'a>(&self, made_of: impl Iterator<Item = &'a [usize]>) -> Truncation {
        let threads = made_of.map(|rows| {
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
        self.total_of(|_| true)
    }

    pub fn total_of(&self, is_wanted: impl Fn(usize) -> bool) -> ThreadTruncation {
        let rows = self.threads.iter().enumerate();
        let wanted = rows.filter(|(row, _)| is_wanted(*row));
        ThreadTruncation::sum(wanted.map(|(_, thread)| thread))
    }

    /// The truncated share of the samples if their number is known, else of the value.
    pub fn percent(&self) -> f64 {
        self.percent_of(&self.total())
    }

    pub fn percent_of(&self, sum: &ThreadTruncation) -> f64 {
        percent(self.counted(sum.truncated), self.counted(sum.all))
    }

    /// Samples if their number is known, else the value.
    pub fn counted(&self, amount: Amount) -> u64 {
        match self.has_samples {
            true => amount.samples,
            false => amount.value,
        }
    }

    /// An amount formatted as a number of samples, or as a value in the unit that fits the `whole`.
    pub fn number(&self, amount: Amount, whole: Amount, metrics: &[Metric]) -> String {
        match self.has_samples {
            true => thousands(amount.samples),
            false => {
                let unit = metrics[self.metric.index()].unit;
                Scale::for_values(unit, whole.value).with_unit(amount.value)
            }
        }
    }

    /// An amount with its unit: `2,031 samples`, `12.5 ms wall`.
    pub fn words(&self, amount: Amount, whole: Amount, metrics: &[Metric]) -> String {
        match self.has_samples {
            true => counted(amount.samples, "sample"),
            false => {
                let number = self.number(amount, whole, metrics);
                format!("{number} {}", metrics[self.metric.index()].name)
            }
        }
    }

    /// `is_repaired` tells whether it is about the tree in which they are repaired.
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
