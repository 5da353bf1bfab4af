//! Merges all occurrences of methods into one tree.

use crate::model::{
    BuildError, Cancelled, DerivedTree, NodeId, Progress, RawNode, TooLarge, TreeBuilder, View,
};
use crate::names::FrameKind;

/// Merges disjoint subtrees: equal frames below the same caller become one node, whose origin is the first of them. If
/// the roots have different frames, such as overloads, each goes below a root frame. Nothing is counted twice if the
/// roots are outermost occurrences.
pub fn merged(view: &View, roots: &[NodeId]) -> Result<View, TooLarge> {
    // nothing can cancel it
    merged_watched(view, roots, &Progress::default()).map_err(|_| TooLarge)
}

pub fn merged_watched(
    view: &View,
    roots: &[NodeId],
    progress: &Progress,
) -> Result<View, BuildError> {
    let tree = &view.tree;
    let frame = roots
        .first()
        .map_or_else(|| tree.frame(NodeId::ROOT), |&root| tree.frame(root));
    let is_one = roots.iter().all(|&root| tree.frame(root) == frame);
    let top = if is_one { frame } else { root_frame(view) };
    let source = roots.first().copied().filter(|_| is_one);
    let mut derived = DerivedTree::new(view, top, source.unwrap_or(NodeId::ROOT));
    progress.set_steps(1);
    let nodes: usize = roots.iter().map(|&root| tree.size(root)).sum();
    let mut counter = progress.counter(nodes);
    let mut done = 0;
    for &root in roots {
        add(&mut derived, root, is_one, |added| counter.at(done + added))?;
        done += tree.size(root);
    }
    let remade = derived.finish(view.frames.clone(), Vec::new(), Vec::new());
    let mut merged = view.remade(remade);
    // the diagnostics apply to the subtrees, too, although they belong to no thread
    merged.diagnostics.clone_from(&view.diagnostics);
    merged.truncation.clone_from(&view.truncation);
    Ok(merged)
}

/// A root frame: that of the view's root or, if that is a method, any other.
pub(super) fn root_frame(view: &View) -> crate::model::FrameId {
    let root = view.tree.frame(NodeId::ROOT);
    let any_root = || {
        view.frames
            .iter()
            .find(|(_, frame)| frame.kind == FrameKind::Root)
            .map(|(id, _)| id)
    };
    if view.frames.get(root).kind == FrameKind::Root {
        root
    } else {
        any_root().unwrap_or(root)
    }
}

/// Merges a subtree: its root into the tree's root if `is_root`, else below it. `is_at` gets the number of nodes
/// merged.
fn add(
    derived: &mut DerivedTree,
    root: NodeId,
    is_root: bool,
    mut is_at: impl FnMut(usize) -> Result<(), Cancelled>,
) -> Result<(), BuildError> {
    let view = derived.view;
    let tree = &view.tree;
    let mut places: Vec<RawNode> = Vec::with_capacity(tree.size(root));
    if !is_root {
        // its own value belongs to the node below
        for metric in view.recording.metric_ids() {
            let (inclusive, count) = (tree.inclusive(metric, root), tree.count(metric, root));
            let count = count.unwrap_or(0);
            let builder = &mut derived.builder;
            builder.add_values(metric, TreeBuilder::ROOT, inclusive, 0, count);
        }
    }
    for old in tree.range(root).map(NodeId::at) {
        is_at(places.len())?;
        let caller = tree
            .parent(old)
            .filter(|_| old != root)
            .map(|caller| places[(caller.0 - root.0) as usize]);
        let new = match caller {
            None if is_root => TreeBuilder::ROOT,
            caller => derived.merge(caller.unwrap_or(TreeBuilder::ROOT), tree.frame(old), old)?,
        };
        places.push(new);
        derived.add_values(new, old);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
