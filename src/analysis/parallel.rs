//! Splits passes over large inputs between two threads.

use crate::model::{NodeId, View};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

/// From this many nodes on, a second thread does half of them. Starting one takes as long as a few thousand.
const MANY: usize = 1 << 18;

/// In parallel if there is more than one processor.
pub fn join<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let count = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if *PROCESSORS.get_or_init(count) < 2 {
        return (first(), second());
    }
    thread::scope(|scope| {
        let other = scope.spawn(second);
        let first = first();
        let second = other.join();
        (
            first,
            second.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

pub(super) struct Parts {
    pub front: Vec<Range<usize>>,
    /// Empty if a second thread isn't worth it.
    pub back: Vec<Range<usize>>,
}

pub(super) fn parts(view: &View, roots: &[NodeId]) -> Parts {
    let nodes: usize = roots.iter().map(|&root| view.tree.size(root)).sum();
    let ranges = roots.iter().map(|&root| view.tree.range(root));
    Parts::split(ranges, if nodes < MANY { nodes } else { nodes / 2 })
}

impl Parts {
    /// `front` gets `count` nodes.
    pub(super) fn split(ranges: impl Iterator<Item = Range<usize>>, mut count: usize) -> Parts {
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for range in ranges {
            let cut = range.start + count.min(range.len());
            count -= cut - range.start;
            front.extend((range.start < cut).then_some(range.start..cut));
            back.extend((cut < range.end).then_some(cut..range.end));
        }
        Parts { front, back }
    }
}

#[cfg(test)]
mod tests;
