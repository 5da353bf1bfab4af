use super::hotspots;
use super::make::scoped;
use crate::model::{FrameId, MetricId, NodeId, Scope, View};
use crate::names::FrameKind;
use std::cmp::Reverse;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InclusiveChange {
    pub frame: FrameId,
    /// Over all threads in the original tree, recursion counted once, in stored units.
    pub before: u64,
    pub after: u64,
}

/// The value, in stored units, below markers of truncated stacks that the program that wrote the profile left. They are
/// below threads, and never nested.
pub fn marked_truncated_in_file(view: &View, metric: MetricId) -> Option<u64> {
    if view.truncation.is_some() {
        return None;
    }
    let nodes = (view.frames.truncated()).flat_map(|id| view.occurrences.of(id));
    let values = nodes.map(|&node| view.tree.inclusive(metric, node));
    values.reduce(u64::saturating_add)
}

/// Largest change first, ties by name. Empty if no repaired tree is shown.
pub fn inclusive_changes(view: &View, metric: MetricId) -> Vec<InclusiveChange> {
    let original = Scope {
        is_repaired: false,
        ..view.steps.scope.clone()
    };
    let unrepaired = view
        .is_repaired()
        .then(|| scoped(&view.recording, &original));
    // never fails, as it has no more nodes than the recording
    let Some(Ok(unrepaired)) = unrepaired else {
        return Vec::new();
    };
    let mut sums = vec![(0, 0); view.frames.len()];
    for row in hotspots(&unrepaired, &[NodeId::ROOT], metric) {
        sums[row.frame.index()].0 = row.inclusive;
    }
    for row in hotspots(view, &[NodeId::ROOT], metric) {
        sums[row.frame.index()].1 = row.inclusive;
    }
    let change = |(index, &(before, after)): (usize, &(u64, u64))| {
        let frame = FrameId::at(index);
        let is_method = view.frames.get(frame).kind == FrameKind::Method;
        (is_method && before != after).then_some(InclusiveChange {
            frame,
            before,
            after,
        })
    };
    let mut changes: Vec<InclusiveChange> = sums.iter().enumerate().filter_map(change).collect();
    let key = |change: &InclusiveChange| {
        let size = change.after.abs_diff(change.before);
        (Reverse(size), view.frames.name(change.frame))
    };
    changes.sort_by(|a, b| key(a).cmp(&key(b)));
    changes
}
