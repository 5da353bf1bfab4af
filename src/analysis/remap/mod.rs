//! Finds the nodes of one view in another view of the same recording.

mod stacks;

use super::growth::{Growth, MatchedFrames, is_merged};
use crate::model::{FrameId, MetricId, NodeId, View};
use crate::names::FrameKind;
use std::mem::discriminant;
use std::sync::Arc;

/// The maximum number of callees visited to find a node. Enough for a path of a million frames.
pub const PATH_STEPS: usize = 3_000_000;

/// Fully expanded subtrees of at least this many nodes stay so when the recording grows. Smaller ones were probably
/// opened row by row.
const MIN_EXPANDED_NODES: usize = 200;

/// Maps the nodes of one view to another. Nodes are the same if they and their callers have the same frames; equal
/// siblings are matched in order.
pub struct Remap<'a> {
    pub old: &'a View,
    pub new: &'a View,
    /// The thread found in place of a merged thread or of one that is now merged, if any was looked up.
    pub substitute_thread: Option<NodeId>,
    pub steps: usize,
    /// Whether nodes are mapped by their origins in the base, because steps changed a tree, so that rows that stand for
    /// several frames differ, or because the recording grew.
    pub uses_base: bool,
    /// Whether the bases are different trees, for example of different time ranges.
    has_other_base: bool,
    /// Set if the new view is of a longer version of the recording.
    frames: Option<&'a MatchedFrames>,
    growth: Option<&'a Growth>,
}

impl<'a> Remap<'a> {
    /// For views of the same recording, or of recordings whose frames have the same ids.
    pub fn new(old: &'a View, new: &'a View) -> Remap<'a> {
        let (from, to) = (old.base(), new.base());
        let is_changed = !(std::ptr::eq(from, old) && std::ptr::eq(to, new));
        let uses_base = is_changed && Arc::ptr_eq(&from.recording, &to.recording);
        let has_same_base = from.form == to.form && from.steps.scope == to.steps.scope;
        Remap {
            old,
            new,
            substitute_thread: None,
            steps: 0,
            uses_base,
            has_other_base: uses_base && !has_same_base,
            frames: None,
            growth: None,
        }
    }

    /// For the view that the same steps made of a longer version of the recording.
    pub fn grown(old: &'a View, new: &'a View, growth: &'a Growth) -> Remap<'a> {
        Remap {
            uses_base: true,
            growth: Some(growth),
            ..Remap::renamed(old, new, &growth.frames)
        }
    }

    /// For caller trees of the same methods in a longer version of the recording.
    pub fn renamed(old: &'a View, new: &'a View, frames: &'a MatchedFrames) -> Remap<'a> {
        Remap {
            frames: Some(frames),
            uses_base: false,
            has_other_base: false,
            ..Remap::new(old, new)
        }
    }

    pub fn frame(&self, old: FrameId) -> Option<FrameId> {
        let recorded = self.old.recording.frames.len();
        if old.index() < recorded {
            return self.frames.map_or(Some(old), |frames| frames.frame(old));
        }
        let mut synthetic = self.old.frames.synthetic(old)?;
        if let Some(frames) = self.frames {
            synthetic = frames.synthetic(synthetic)?;
        }
        let mut all = self.new.frames.synthetic_by_view();
        all.find(|&(_, other)| other == synthetic).map(|(id, _)| id)
    }

    pub fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    /// The same node, or else its nearest caller that exists, and whether it is the same.
    pub fn node(&mut self, old: NodeId) -> (NodeId, bool) {
        self.steps = PATH_STEPS;
        if old == NodeId::ROOT {
            // whatever its name
            return (NodeId::ROOT, true);
        }
        if let Some(found) = self.via_base(old) {
            return found;
        }
        if let Some(exact) = self.via_origin(old) {
            return (exact, true);
        }
        let mut path: Vec<NodeId> = self.old.tree.upward(old).collect();
        path.pop();
        let mut at = NodeId::ROOT;
        while let Some(next) = path.pop() {
            let found = self.callee(at, next);
            match found.or_else(|| self.other_thread(at, next, &path)) {
                Some(found) => at = found,
                None => return (at, false),
            }
        }
        (at, true)
    }

    pub fn keeps_expanded(&self, old: NodeId) -> bool {
        self.growth.is_none() || self.old.tree.size(old) >= MIN_EXPANDED_NODES
    }

    /// If the recording grows, rows of several frames may gain frames.
    fn have_same_frame(&self, old: NodeId, new: NodeId) -> bool {
        let (old, new) = (self.old.tree.frame(old), self.new.tree.frame(new));
        let kind = |view: &View, frame| view.frames.synthetic(frame).as_ref().map(discriminant);
        // names of roots, processes and threads differ if a view shows only part of the recording
        let is_same_kind = || {
            let kind = self.old.frames.get(old).kind;
            kind == self.new.frames.get(new).kind && !kind.is_code()
        };
        let is_other = self.growth.is_some() || self.has_other_base;
        let have_same_kind = || match (kind(self.old, old), kind(self.new, new)) {
            (Some(old), Some(new)) => old == new,
            _ => self.has_other_base && is_same_kind(),
        };
        self.frame(old) == Some(new) || is_other && have_same_kind()
    }

    /// If steps changed a tree: the node by its origin in the base, or else its nearest caller that exists there.
    fn via_base(&mut self, old: NodeId) -> Option<(NodeId, bool)> {
        if !self.uses_base {
            return None;
        }
        let from = self.old.base();
        let origin = self.old.to_base(old);
        if self.has_other_base {
            let mut bases = Remap::new(from, self.new.base());
            let (nearest, is_same) = bases.node(origin);
            (self.steps, self.substitute_thread) = (bases.steps, bases.substitute_thread);
            let mut callers = self.new.base().tree.upward(nearest);
            let exact = self.new.from_base(nearest).filter(|_| is_same);
            let found = exact.or_else(|| callers.find_map(|node| self.new.from_base(node)))?;
            return Some((found, exact.is_some() && self.have_same_frame(old, found)));
        }
        let grown = |node| self.growth.map_or(Some(node), |growth| growth.node(node));
        let place = |node| grown(node).and_then(|node| self.new.from_base(node));
        let exact = place(origin);
        let found = exact.or_else(|| from.tree.ancestors(origin).find_map(place))?;
        let is_same = exact.is_some() && self.have_same_frame(old, found);
        Some((found, is_same))
    }

    /// By recorded node, if neither view has merged threads.
    fn via_origin(&self, old: NodeId) -> Option<NodeId> {
        let (from, to) = (self.old, self.new);
        let is_comparable = Arc::ptr_eq(&from.recording, &to.recording) && from.form == to.form;
        if !is_comparable || from.has_merged_threads() || to.has_merged_threads() {
            return None;
        }
        to.from_recorded_in_thread(from.to_recorded(old))
    }

    /// The same node; else, if callers are missing in either view, the one with its stack, chosen by this metric; else
    /// its nearest caller.
    pub fn nearest(&mut self, old: NodeId, metric: MetricId) -> NodeId {
        match self.node(old) {
            (same, true) => same,
            (caller, false) => self.node_by_stack(old, metric).unwrap_or(caller),
        }
    }

    fn callee(&mut self, caller: NodeId, old: NodeId) -> Option<NodeId> {
        let frame = self.frame(self.old.tree.frame(old))?;
        let mut equal_siblings = self.equal_siblings_before(old)?;
        let (new, mut last) = (self.new, None);
        for callee in new.tree.children(caller) {
            self.step()?;
            if new.tree.frame(callee) == frame {
                last = Some(callee);
                if equal_siblings == 0 {
                    break;
                }
                equal_siblings -= 1;
            }
        }
        last
    }

    fn equal_siblings_before(&mut self, node: NodeId) -> Option<usize> {
        let (old, mut equal_siblings) = (self.old, 0);
        let Some(caller) = old.tree.parent(node) else {
            return Some(0);
        };
        let siblings = old.tree.children(caller);
        for sibling in siblings.take_while(|&sibling| sibling < node) {
            self.step()?;
            equal_siblings += usize::from(old.tree.frame(sibling) == old.tree.frame(node));
        }
        Some(equal_siblings)
    }

    /// The thread below `caller` that an old one is now merged into, or, if the old one was merged, the one with most
    /// of the path below.
    pub fn other_thread(&mut self, caller: NodeId, old: NodeId, path: &[NodeId]) -> Option<NodeId> {
        let new = self.new;
        let is_thread = |view: &View, node| view.frame(node).kind == FrameKind::Thread;
        if !is_thread(self.old, old) {
            return None;
        }
        let is_merged = |view: &View, node| is_merged(view, view.tree.frame(node));
        let was_merged = is_merged(self.old, old);
        let is_candidate =
            |&callee: &NodeId| is_thread(new, callee) && (was_merged || is_merged(new, callee));
        let mut best: Option<(usize, NodeId)> = None;
        for thread in new.tree.children(caller).filter(is_candidate) {
            self.step()?;
            let (mut at, mut levels) = (thread, 0);
            for &next in path.iter().rev() {
                let Some(found) = self.callee(at, next) else {
                    break;
                };
                (at, levels) = (found, levels + 1);
            }
            if best.is_none_or(|(most_levels, _)| levels > most_levels) {
                best = Some((levels, thread));
            }
            if levels == path.len() {
                break;
            }
        }
        self.substitute_thread = best.map(|(_, thread)| thread);
        self.substitute_thread
    }
}
