//! Reports how the repair of truncated stacks changed a tree.

use super::hotspots;
use super::make::scoped;
use crate::model::{FrameId, MetricId, NodeId, Scope, View};
use crate::names::FrameKind;

/// A method whose inclusive value differs in the repaired tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InclusiveChange {
    /// The method.
    pub frame: FrameId,
    /// Its inclusive value over all threads in the original tree, with recursion counted once, in stored steps.
    pub before: u64,
    /// Its inclusive value in the repaired tree.
    pub after: u64,
}

/// The value below markers of truncated stacks in a metric, in stored steps, if the program that wrote the profile left
/// them in it; `None` if there are none. Markers are below threads, and never nested. O(frames + marks).
pub fn marked_truncated_in_file(view: &View, metric: MetricId) -> Option<u64> {
    if view.truncation.is_some() {
        return None;
    }
    let nodes = (view.frames.truncated()).flat_map(|id| view.occurrences.of(id));
    nodes
        .map(|&node| view.tree.inclusive(metric, node))
        .reduce(u64::saturating_add)
}

/// The methods whose inclusive value was changed by the repair, largest change first; ties by name. Exclusive values
/// are the same in both trees. Empty if nothing was repaired or the view doesn't show the repaired tree. O(nodes of
/// both trees + frames).
pub fn inclusive_changes(view: &View, metric: MetricId) -> Vec<InclusiveChange> {
    let original = Scope {
        is_repaired: false,
        ..view.steps.scope.clone()
    };
    let Some(unrepaired) = view
        .is_repaired()
        .then(|| scoped(&view.recording, &original))
    else {
        return Vec::new();
    };
    // never fails, as it has no more nodes than the recording
    let Ok(unrepaired) = unrepaired else {
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
    changes.sort_by(|a, b| {
        let size = |change: &InclusiveChange| change.after.abs_diff(change.before);
        let name = |change: &InclusiveChange| view.frames.name(change.frame);
        size(b).cmp(&size(a)).then_with(|| name(a).cmp(name(b)))
    });
    changes
}
