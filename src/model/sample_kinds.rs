use super::MetricId;
use borsh::{BorshDeserialize, BorshSerialize};

/// What a kind of sample adds to the node where the stack ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SampleKind {
    /// Metrics whose exclusive values get the duration in nanoseconds or the weight, times a factor.
    pub values: Vec<(MetricId, u64)>,
    /// Metrics whose exclusive values get 1.
    pub ones: Vec<MetricId>,
    /// Metrics whose counts get 1.
    pub counts: Vec<MetricId>,
    /// Other kinds still show what a thread did.
    pub is_sample: bool,
    /// Whether its stack is part of the previous or next one: nested spans that should end together differ by
    /// rounding.
    pub is_rest: bool,
}

impl SampleKind {
    pub fn of_values(metrics: &[MetricId]) -> SampleKind {
        SampleKind {
            values: metrics.iter().map(|&metric| (metric, 1)).collect(),
            ..SampleKind::default()
        }
    }

    /// Like [`SampleKind::of_values`], and counts a sample in these metrics.
    pub fn of_samples(metrics: &[MetricId]) -> SampleKind {
        SampleKind {
            counts: metrics.to_vec(),
            is_sample: true,
            ..SampleKind::of_values(metrics)
        }
    }

    pub fn factor(&self, metric: MetricId) -> u64 {
        let value = self.values.iter().find(|(other, _)| *other == metric);
        value.map_or(0, |(_, factor)| *factor)
    }

    pub fn value(&self, metric: MetricId, value: u64, samples: u64) -> u64 {
        let ones = u64::from(self.ones.contains(&metric)) * samples;
        value
            .saturating_mul(self.factor(metric))
            .saturating_add(ones)
    }
}

/// Sums samples by kind and node, so that a tree is updated once per node.
pub struct NodeSums {
    /// By kind and node: the sum of durations or weights, and the number of samples. Empty for unused kinds.
    by_kind: Vec<Vec<(u64, u64)>>,
}

impl NodeSums {
    pub fn new(kinds: usize) -> NodeSums {
        NodeSums {
            by_kind: vec![Vec::new(); kinds],
        }
    }

    #[inline]
    pub fn add(&mut self, kind: u8, node: u32, node_count: usize, value: u64, samples: u64) {
        let sums = &mut self.by_kind[kind as usize];
        if sums.len() <= node as usize {
            let len = node_count.max(node as usize + 1);
            match sums.is_empty() {
                // untouched zero pages take no memory
                true => *sums = vec![(0, 0); len],
                false => sums.resize(len, (0, 0)),
            }
        }
        let (sum, count) = &mut sums[node as usize];
        *sum = sum.saturating_add(value);
        *count = count.saturating_add(samples);
    }

    pub fn for_each(self, kinds: &[SampleKind], mut add: impl FnMut(u32, MetricId, u64, u64)) {
        for (kind, sums) in kinds.iter().zip(self.by_kind) {
            for (node, (value, samples)) in (0..).zip(sums).filter(|(_, sums)| *sums != (0, 0)) {
                for &(metric, factor) in &kind.values {
                    add(node, metric, value.saturating_mul(factor), 0);
                }
                for &metric in &kind.ones {
                    add(node, metric, samples, 0);
                }
                for &metric in &kind.counts {
                    add(node, metric, 0, samples);
                }
            }
        }
    }

    pub fn has(&self, kinds: &[SampleKind], metric: MetricId) -> bool {
        let contributes = |kind: &SampleKind, (value, samples): (u64, u64)| {
            kind.factor(metric) > 0 && value > 0 || kind.ones.contains(&metric) && samples > 0
        };
        let mut kinds = kinds.iter().zip(&self.by_kind);
        kinds.any(|(kind, sums)| sums.iter().any(|&sums| contributes(kind, sums)))
    }
}
