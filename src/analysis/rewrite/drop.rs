//! Trees without the stacks through a method or a node: what would be saved if it were free.

use super::shape::{Fate, ReshapedTree};
use crate::model::{BuildError, FrameId, NodeId, Progress, View};

/// The tree without the subtrees of all nodes of these methods. Their values and samples leave those of their callers, whose calls
/// stay. O(nodes + frames).
///
/// # Errors
/// If cancelled.
pub(crate) fn drop_methods(
    view: &View,
    methods: &[FrameId],
    progress: &Progress,
) -> Result<View, BuildError> {
    let mut is_dropped = vec![false; view.frames.len()];
    methods
        .iter()
        .for_each(|method| is_dropped[method.index()] = true);
    without(view, progress, |node| {
        is_dropped[view.tree.frame(node).index()]
    })
}

/// The tree without the subtree of a node; threads stay, with nothing in them. O(nodes).
///
/// # Errors
/// If cancelled.
pub(crate) fn drop_node(
    view: &View,
    dropped: NodeId,
    progress: &Progress,
) -> Result<View, BuildError> {
    // a thread has its row still
    without(view, progress, |node| view.tree.contains(dropped, node))
}

fn without(
    view: &View,
    progress: &Progress,
    is_dropped: impl Fn(NodeId) -> bool,
) -> Result<View, BuildError> {
    let fate = |node| match is_dropped(node) {
        // only threads and the like hear of this
        true => Fate::Goes,
        false => Fate::Stays,
    };
    Ok(ReshapedTree::grow(view, progress, fate)?.finish(view.frames.clone(), &[], false))
}
