//! Compares the sums per method that another program stored next to the source with dotspot's.

use super::{own_value, sum};
use crate::model::{FrameId, View};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumDifference {
    /// The index in [`crate::model::Recording::viewer_sums`].
    pub row: usize,
    /// Inclusive (recursion counted each time) and exclusive values in stored steps; `None` if the method is not in the
    /// tree.
    pub ours: Option<(u64, u64)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumsComparison {
    pub equal: usize,
    /// They differ by at most one step per node, from rounding of ticks.
    pub rounded: usize,
    pub differing: Vec<SumDifference>,
}

/// Compares sums in the default metric.
pub fn compare_viewer_sums(view: &View) -> SumsComparison {
    let mut comparison = SumsComparison::default();
    // many rows may name the same method, which may have many nodes
    let mut sums_of: HashMap<FrameId, (u64, u64), foldhash::fast::RandomState> = HashMap::default();
    for (row, stored) in view.recording.viewer_sums.iter().enumerate() {
        let Some(frame) = stored.frame.filter(|&frame| view.occurs(frame)) else {
            comparison.differing.push(SumDifference { row, ours: None });
            continue;
        };
        let ours = *sums_of.entry(frame).or_insert_with(|| sums(view, frame));
        let (inclusive, exclusive) = ours;
        let difference = inclusive.abs_diff(stored.inclusive_each);
        match difference.max(exclusive.abs_diff(stored.exclusive)) {
            0 => comparison.equal += 1,
            steps if steps <= view.occurrences.of(frame).len() as u64 => comparison.rounded += 1,
            _ => comparison.differing.push(SumDifference {
                row,
                ours: Some(ours),
            }),
        }
    }
    comparison
}

fn sums(view: &View, frame: FrameId) -> (u64, u64) {
    let metric = view.recording.default_metric;
    let nodes = view.occurrences.of(frame).iter();
    let inclusive = sum(nodes.map(|&node| view.tree.inclusive(metric, node)));
    (inclusive, own_value(view, metric, frame))
}

#[cfg(test)]
mod tests;
