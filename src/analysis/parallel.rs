//! Splits passes over large inputs between two threads.

use crate::model::{NodeId, View};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

/// From how many nodes on a second thread takes half of them: to start one takes as long as a pass over a few thousand.
const MANY: usize = 1 << 18;

/// Runs two closures, in parallel if there is more than one processor.
pub fn join<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let count = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if *PROCESSORS.get_or_init(count) < 2 {
        return (first(), second());
    }
    thread::scope(|scope| {
        let other = scope.spawn(second);
        (
            first(),
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// The results of a pass over some nodes; with many nodes, two threads take half each.
pub(super) fn split_join<T: Send>(
    nodes: &[NodeId],
    pass: impl Fn(&[NodeId]) -> T + Sync,
    merge: impl FnOnce(T, T) -> T,
) -> T {
    if nodes.len() < MANY {
        return pass(nodes);
    }
    let (front, back) = nodes.split_at(nodes.len() / 2);
    let (front, back) = join(|| pass(front), || pass(back));
    merge(front, back)
}

/// Ascending nodes, split in two parts if each is worth a thread.
pub(super) struct Parts {
    pub front: Vec<Range<usize>>,
    pub back: Option<Vec<Range<usize>>>,
}

/// The nodes of disjoint subtrees, which are ascending.
pub(super) fn parts(view: &View, roots: &[NodeId]) -> Parts {
    let nodes: usize = roots.iter().map(|&root| view.tree.size(root)).sum();
    let ranges = roots.iter().map(|&root| view.tree.range(root));
    if nodes < MANY {
        Parts {
            front: ranges.collect(),
            back: None,
        }
    } else {
        Parts::split(ranges, nodes / 2)
    }
}

impl Parts {
    /// Two parts, of which the first has `count` nodes.
    pub(super) fn split(ranges: impl Iterator<Item = Range<usize>>, mut count: usize) -> Parts {
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for range in ranges {
            let cut = range.start + count.min(range.len());
            count -= cut - range.start;
            front.extend((range.start < cut).then_some(range.start..cut));
            back.extend((cut < range.end).then_some(cut..range.end));
        }
        Parts {
            front,
            back: Some(back),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_split_where_the_first_part_is_full() {
        let check = |count, expect: &str| {
            let Parts { front, back } = Parts::split([2..4, 6..7, 9..12].into_iter(), count);
            assert_eq!(format!("{front:?} {:?}", back.unwrap()), expect, "{count}");
        };
        check(0, "[] [2..4, 6..7, 9..12]");
        check(1, "[2..3] [3..4, 6..7, 9..12]");
        check(2, "[2..4] [6..7, 9..12]");
        check(3, "[2..4, 6..7] [9..12]");
        check(5, "[2..4, 6..7, 9..11] [11..12]");
        check(6, "[2..4, 6..7, 9..12] []");
    }

    #[test]
    fn halves_are_joined_in_their_order() {
        let nodes: Vec<NodeId> = (0..MANY as u32 + 1).map(NodeId).collect();
        let ends = |half: &[NodeId]| vec![half[0].0, half[half.len() - 1].0];
        let joined = split_join(&nodes, ends, |front, back| [front, back].concat());
        assert_eq!(
            joined,
            [0, MANY as u32 / 2 - 1, MANY as u32 / 2, MANY as u32]
        );
        assert_eq!(
            split_join(&nodes[1..], |half| half.len(), |front, back| front + back),
            MANY
        );
        assert_eq!(
            split_join(&nodes[2..], |half| half.len(), |_, _| 0),
            MANY - 1
        );
    }

    #[test]
    fn both_are_done() {
        assert_eq!(join(|| 1, || "a"), (1, "a"));
    }
}
