//! Carries selection, open rows and focus over to another view.

use super::{Outline, Sort, TreePane};
use crate::analysis::remap::{PATH_STEPS, Remap};
use crate::model::{FrameId, Measure, NodeId};
use foldhash::HashMap;
use std::collections::VecDeque;

/// The most callees visited to restore the open rows of all panes, so no key press waits.
const OPEN_STEPS: usize = 40_000;

/// The same in a tree that steps have changed.
const FIND_STEPS: usize = 2_000_000;

fn open(remap: &mut Remap, from: &Outline, to: &mut Outline, steps: usize) {
    remap.steps = steps;
    if remap.old.tree.is_leaf(from.root) {
        // nothing was closed
        return;
    }
    if remap.uses_base {
        return open_by_base(remap, from, to, steps);
    }
    let mut pending = VecDeque::from([(from.root, to.root)]);
    while let Some((old, new)) = pending.pop_front() {
        if !from.is_open(remap.old, old) {
            to.close(remap.new, new);
        } else if from.is_all_open(remap.old, old) {
            to.open_all(remap.new, new);
        } else {
            to.open(remap.new, new);
            pending.extend(open_callees(remap, from, old, new));
        }
    }
}

/// Like `open` if steps have changed the tree: rows stay open wherever they are now, and rows between them are opened, too.
fn open_by_base(remap: &mut Remap, from: &Outline, to: &mut Outline, steps: usize) {
    if !from.is_open(remap.old, from.root) {
        return to.close(remap.new, to.root);
    }
    let mut pending = VecDeque::from([from.root]);
    let (mut left, mut to_walk) = (steps, FIND_STEPS);
    while let Some(old) = pending.pop_front() {
        let (new, _) = remap.node(old);
        let Some(rest) = to_walk.checked_sub(PATH_STEPS - remap.steps) else {
            return;
        };
        to_walk = rest;
        if remap.keeps_expanded(old) && from.is_all_open(remap.old, old) {
            to.open_all(remap.new, new);
            continue;
        }
        to.open(remap.new, new);
        for callee in remap.old.tree.children(old) {
            let Some(next) = left.checked_sub(1) else {
                return;
            };
            left = next;
            if from.is_open(remap.old, callee) {
                pending.push_back(callee);
            }
        }
    }
}

/// The open callees of an old node that also exist below `caller`.
fn open_callees(
    remap: &mut Remap,
    from: &Outline,
    old_caller: NodeId,
    caller: NodeId,
) -> Vec<(NodeId, NodeId)> {
    let (old, new) = (remap.old, remap.new);
    let mut seen: HashMap<FrameId, u32> = HashMap::default();
    let mut unmatched: HashMap<(FrameId, u32), NodeId> = HashMap::default();
    let (mut pairs, mut lost) = (Vec::new(), Vec::new());
    for callee in old.tree.children(old_caller) {
        if remap.step().is_none() {
            break;
        }
        let before = count(&mut seen, old.tree.frame(callee));
        if !from.is_open(old, callee) {
            continue;
        }
        match (remap.frame(old.tree.frame(callee)), remap.substitute_thread) {
            (Some(frame), _) => _ = unmatched.insert((frame, before), callee),
            (None, Some(thread)) if new.tree.parent(thread) == Some(caller) => {
                pairs.push((callee, thread))
            }
            (None, _) => lost.push(callee),
        }
    }
    seen.clear();
    for callee in new.tree.children(caller) {
        if unmatched.is_empty() || remap.step().is_none() {
            break;
        }
        let frame = new.tree.frame(callee);
        let before = count(&mut seen, frame);
        if let Some(old) = unmatched.remove(&(frame, before)) {
            pairs.push((old, callee));
        }
    }
    // threads that are merged in one of the views
    lost.extend(unmatched.into_values());
    for callee in lost {
        let instead = remap.other_thread(caller, callee, &[]);
        pairs.extend(instead.map(|thread| (callee, thread)));
    }
    pairs
}

/// A pane of the new view with the rows and the selection of an old one; `None` if its root does not exist.
pub(super) fn remapped_pane(
    remap: &mut Remap,
    old: &TreePane,
    panes: usize,
    measure: Measure,
    sort: Sort,
) -> Option<TreePane> {
    let (root, true) = remap.node(old.root()) else {
        return None;
    };
    let measure = measure.below(remap.new, root);
    let nearest = remap.nearest(old.selected, measure.metric);
    let mut outline = Outline::new(remap.new, root, measure, sort);
    open(remap, &old.outline, &mut outline, OPEN_STEPS / panes.max(1));
    let is_within = remap.new.tree.contains(root, nearest);
    let selected = if is_within { nearest } else { root };
    outline.show(remap.new, selected);
    Some(old.with_outline(remap.new, outline, selected))
}

fn count(seen: &mut HashMap<FrameId, u32>, frame: FrameId) -> u32 {
    let count = seen.entry(frame).or_insert(0);
    *count += 1;
    *count - 1
}
