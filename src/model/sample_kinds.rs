//! Kinds of samples, and sums of samples by kind.

use super::MetricId;
use borsh::{BorshDeserialize, BorshSerialize};

/// What samples of one kind give to the node at which their stack ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SampleKind {
    /// The metrics whose exclusive values get the sample's duration in nanoseconds or, if it has one, its weight; times a
    /// factor.
    pub values: Vec<(MetricId, u64)>,
    /// The metrics whose exclusive values get 1.
    pub ones: Vec<MetricId>,
    /// The metrics whose counts get 1.
    pub counts: Vec<MetricId>,
    /// Whether it counts as a sample; other kinds also tell what a thread did.
    pub is_sample: bool,
    /// Whether it has no stack of its own but what rounding left of the one before or after it, of which it is a part: where
    /// spans of time end one within the other, not all at the same instant.
    pub is_rest: bool,
}

impl SampleKind {
    /// A kind of samples whose duration or weight is the value of some metrics.
    pub fn of_values(metrics: &[MetricId]) -> SampleKind {
        SampleKind {
            values: metrics.iter().map(|&metric| (metric, 1)).collect(),
            ..SampleKind::default()
        }
    }

    /// The same of samples, which these metrics count.
    pub fn of_samples(metrics: &[MetricId]) -> SampleKind {
        SampleKind {
            counts: metrics.to_vec(),
            is_sample: true,
            ..SampleKind::of_values(metrics)
        }
    }

    /// By what the duration or weight is multiplied for a metric; 0 if that gets nothing of it.
    pub fn factor(&self, metric: MetricId) -> u64 {
        self.values
            .iter()
            .find(|(other, _)| *other == metric)
            .map_or(0, |(_, factor)| *factor)
    }
}

/// Sums of samples by kind and node, which are given to a tree once for each node: there are a great many samples, and few
/// nodes.
pub struct NodeSums {
    /// By kind and node: the durations or weights, and how many samples there are. Empty for a kind without samples.
    by_kind: Vec<Vec<(u64, u64)>>,
}

impl NodeSums {
    /// No sums yet, for this many kinds.
    pub fn new(kinds: usize) -> NodeSums {
        NodeSums {
            by_kind: vec![Vec::new(); kinds],
        }
    }

    /// Adds what a sample of a kind has at the row of a node. `node_count` is how many nodes there are so far.
    #[inline]
    pub fn add(&mut self, kind: u8, node: u32, node_count: usize, value: u64, samples: u64) {
        let sums = &mut self.by_kind[kind as usize];
        if sums.len() <= node as usize {
            // rows that stay zero take no memory
            *sums = grown(std::mem::take(sums), node_count.max(node as usize + 1));
        }
        let (sum, count) = &mut sums[node as usize];
        *sum = sum.saturating_add(value);
        *count = count.saturating_add(samples);
    }

    /// Visits what each node gets: `give` takes the node's row, the metric, and what to add to its exclusive value and
    /// its counts. O(kinds · nodes).
    pub fn each(self, kinds: &[SampleKind], mut give: impl FnMut(u32, MetricId, u64, u64)) {
        for (kind, sums) in kinds.iter().zip(self.by_kind) {
            for (node, (value, samples)) in (0..).zip(sums).filter(|(_, sums)| *sums != (0, 0)) {
                kind.values.iter().for_each(|&(metric, factor)| {
                    give(node, metric, value.saturating_mul(factor), 0)
                });
                kind.ones
                    .iter()
                    .for_each(|&metric| give(node, metric, samples, 0));
                kind.counts
                    .iter()
                    .for_each(|&metric| give(node, metric, 0, samples));
            }
        }
    }

    /// Whether a metric gets anything.
    pub fn has(&self, kinds: &[SampleKind], metric: MetricId) -> bool {
        let gives = |kind: &SampleKind, (value, samples): (u64, u64)| {
            kind.factor(metric) > 0 && value > 0 || kind.ones.contains(&metric) && samples > 0
        };
        kinds
            .iter()
            .zip(&self.by_kind)
            .any(|(kind, sums)| sums.iter().any(|&sums| gives(kind, sums)))
    }
}

/// A longer column; the new rows are pages of zeros that are not touched.
fn grown(old: Vec<(u64, u64)>, len: usize) -> Vec<(u64, u64)> {
    if old.is_empty() {
        return vec![(0, 0); len];
    }
    let mut new = old;
    new.resize(len, (0, 0));
    new
}
