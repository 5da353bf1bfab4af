use crate::model::{
    BuildError, Cancelled, DerivedTree, FrameId, NodeId, Progress, RawNode, TooLarge, TreeBuilder,
    View,
};
use crate::names::FrameKind;

/// Merges disjoint subtrees: equal frames below the same caller become one node, whose origin is the first of them. If
/// the roots' frames differ, as with overloads, each goes below a root frame. Nothing is counted twice if the roots
/// are outermost occurrences.
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
    let first = *roots.first().unwrap_or(&NodeId::ROOT);
    let frame = tree.frame(first);
    let is_one = roots.iter().all(|&root| tree.frame(root) == frame);
    let mut derived = match is_one {
        true => DerivedTree::new(view, frame, first),
        false => DerivedTree::new(view, root_frame(view), NodeId::ROOT),
    };
    progress.set_steps(1);
    let nodes: usize = roots.iter().map(|&root| tree.size(root)).sum();
    let mut counter = progress.counter(nodes);
    let mut done = 0;
    for &root in roots {
        add(&mut derived, root, is_one, |added| counter.at(done + added))?;
        done += tree.size(root);
    }
    let remade = derived.finish(view.frames.clone(), Vec::new(), Vec::new());
    let mut merged = view.with_remade_tree(remade);
    // the diagnostics apply to the subtrees, too, although they belong to no thread
    merged.diagnostics.clone_from(&view.diagnostics);
    merged.truncation.clone_from(&view.truncation);
    Ok(merged)
}

/// That of the view's root or, if that is a method, any other.
pub(super) fn root_frame(view: &View) -> FrameId {
    let root = view.tree.frame(NodeId::ROOT);
    if view.frames.get(root).kind == FrameKind::Root {
        return root;
    }
    let mut frames = view.frames.iter();
    let found = frames.find(|(_, frame)| frame.kind == FrameKind::Root);
    found.map_or(root, |(id, _)| id)
}

fn add(
    derived: &mut DerivedTree,
    root: NodeId,
    is_root: bool,
    on_progress: impl FnMut(usize) -> Result<(), Cancelled>,
) -> Result<(), BuildError> {
    let (view, tree) = (derived.view, &derived.view.tree);
    if is_root {
        return merge_into(derived, root, TreeBuilder::ROOT, on_progress);
    }
    // its own value belongs to the node below
    for metric in view.recording.metric_ids() {
        let (inclusive, count) = (tree.inclusive(metric, root), tree.count(metric, root));
        let (builder, count) = (&mut derived.builder, count.unwrap_or(0));
        builder.add_values(metric, TreeBuilder::ROOT, inclusive, 0, count);
    }
    let top = derived.merge(TreeBuilder::ROOT, tree.frame(root), root)?;
    merge_into(derived, root, top, on_progress)
}

/// Merges a subtree into the node `top`. `on_progress` gets the number of nodes merged.
pub(super) fn merge_into(
    derived: &mut DerivedTree,
    root: NodeId,
    top: RawNode,
    mut on_progress: impl FnMut(usize) -> Result<(), Cancelled>,
) -> Result<(), BuildError> {
    let tree = &derived.view.tree;
    let mut places: Vec<RawNode> = Vec::with_capacity(tree.size(root));
    for old in tree.range(root).map(NodeId::at) {
        on_progress(places.len())?;
        let new = match tree.parent(old).filter(|_| old != root) {
            Some(caller) => {
                let caller = places[(caller.0 - root.0) as usize];
                derived.merge(caller, tree.frame(old), old)?
            }
            None => top,
        };
        places.push(new);
        derived.add_values(new, old);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
