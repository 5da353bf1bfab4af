//! Compares the per-method sums that another program stored next to the source with ours.

use crate::model::{FrameId, View};
use std::collections::HashMap;

/// A method whose stored sum differs from ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumDifference {
    /// Its row in [`View::sums_beside`].
    pub row: usize,
    /// Our inclusive (recursion counted each time) and exclusive value in stored steps; `None` if the method is not in the
    /// tree.
    pub ours: Option<(u64, u64)>,
}

/// The result of comparing [`View::sums_beside`] with the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumsComparison {
    /// How many match exactly, in stored steps.
    pub equal: usize,
    /// How many differ by at most one step per node: rounding, where a tick is not a whole number of nanoseconds.
    pub rounded: usize,
    /// The others, in the order of the rows.
    pub differing: Vec<SumDifference>,
}

/// Compares the sums stored next to the source with those of the tree, for the default metric.
/// O(nodes of the methods in question + rows).
pub fn compare_sums_beside(view: &View) -> SumsComparison {
    let mut comparison = SumsComparison::default();
    // many rows may name the same method, which may have many nodes
    let mut sums_of: HashMap<FrameId, (u64, u64), foldhash::fast::RandomState> = HashMap::default();
    for (row, stored) in view.sums_beside.iter().enumerate() {
        let Some(frame) = stored
            .frame
            .filter(|&frame| !view.occurrences.of(frame).is_empty())
        else {
            comparison.differing.push(SumDifference { row, ours: None });
            continue;
        };
        let ours = *sums_of.entry(frame).or_insert_with(|| sums(view, frame));
        let difference = ours
            .0
            .abs_diff(stored.inclusive_each)
            .max(ours.1.abs_diff(stored.exclusive));
        match difference {
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

/// The inclusive values of all nodes of a method, added up, and the exclusive ones.
fn sums(view: &View, frame: FrameId) -> (u64, u64) {
    let (tree, metric) = (&view.tree, view.default_metric);
    view.occurrences
        .of(frame)
        .iter()
        .fold((0, 0), |(inclusive, exclusive), &node| {
            let inclusive = tree.inclusive(metric, node).saturating_add(inclusive);
            (
                inclusive,
                tree.exclusive(metric, node).saturating_add(exclusive),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StoredSum;
    use crate::model::testing::recording_of;

    #[test]
    fn sums_over_all_nodes() {
        // a 9 ▸ b 5 ▸ a 3: with recursion counted each time a has 9 + 3, and of its own 4 + 3
        let mut recording = recording_of("T;a 4|T;a;b 2|T;a;b;a 3|T;c 1");
        let stored = |name: &str, inclusive_each, exclusive| StoredSum {
            name: name.into(),
            frame: recording.frames.find(name).first().copied(),
            inclusive_each,
            exclusive,
        };
        let ms = 1_000_000;
        let sums = vec![
            stored("a", 12 * ms, 7 * ms),
            stored("a", 12 * ms + 2, 7 * ms - 1),
            stored("a", 12 * ms + 3, 7 * ms),
            stored("b", 5 * ms, 3 * ms),
            stored("none", 0, 0),
            stored("c", ms, ms),
        ];
        recording.sums_beside = sums;
        let view = recording.into_view();
        let differing = vec![
            SumDifference {
                row: 2,
                ours: Some((12 * ms, 7 * ms)),
            },
            SumDifference {
                row: 3,
                ours: Some((5 * ms, 2 * ms)),
            },
            SumDifference { row: 4, ours: None },
        ];
        assert_eq!(
            compare_sums_beside(&view),
            SumsComparison {
                equal: 2,
                rounded: 1,
                differing
            }
        );
    }
}
