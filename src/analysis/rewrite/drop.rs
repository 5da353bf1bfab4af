//! Drops the stacks through methods or nodes, to show what would be saved if these were free.

use super::shape::{Fate, ReshapedTree};
use crate::model::{BuildError, FrameId, NodeId, Progress, View};

/// Callers lose values and samples, but their calls stay.
pub(crate) fn drop_methods(
    view: &View,
    methods: &[FrameId],
    progress: &Progress,
) -> Result<View, BuildError> {
    let mut is_dropped = vec![false; view.frames.len()];
    for method in methods {
        is_dropped[method.index()] = true;
    }
    let is_dropped = |node| is_dropped[view.tree.frame(node).index()];
    without(view, progress, is_dropped)
}

pub(crate) fn drop_nodes(
    view: &View,
    nodes: &[NodeId],
    progress: &Progress,
) -> Result<View, BuildError> {
    // a dropped thread stays, so the nodes below it must match, too
    let mut is_dropped = vec![false; view.tree.len()];
    for &node in nodes {
        is_dropped[view.tree.range(node)].fill(true);
    }
    without(view, progress, |node| is_dropped[node.index()])
}

/// Threads and the like stay, but empty.
pub(super) fn without(
    view: &View,
    progress: &Progress,
    is_dropped: impl Fn(NodeId) -> bool,
) -> Result<View, BuildError> {
    let fate = |node| match is_dropped(node) {
        true => Fate::Goes,
        false => Fate::Stays,
    };
    Ok(ReshapedTree::grow(view, progress, fate)?.finish(view.frames.clone(), None, false))
}
