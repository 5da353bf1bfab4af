//! Finds the nodes of one view in another view of the same recording.

mod stacks;

use super::growth::{Growth, MatchedFrames, is_merged};
use crate::model::{FrameId, MetricId, NodeId, View};
use crate::names::FrameKind;
use std::mem::discriminant;
use std::sync::Arc;

/// The maximum number of callees visited to find a node. Enough for a path of a million frames.
pub const PATH_STEPS: usize = 3_000_000;

/// Subtrees with at least this many nodes that are fully expanded stay so when the recording grows. Smaller ones are
/// assumed to have been opened row by row, so new rows below stay closed.
const WHOLE_NODES: usize = 200;

/// Maps the nodes of a view to another one. Nodes are the same if they and their callers have the same frames; equal
/// siblings are matched in order.
pub struct Remap<'a> {
    pub old: &'a View,
    pub new: &'a View,
    /// The thread that was found in place of a merged thread or of one that is now merged, if any was looked up.
    pub thread_instead: Option<NodeId>,
    /// The number of callees that may still be visited.
    pub steps: usize,
    /// Whether steps changed a tree, so that nodes are mapped by their origins in the base, as rows of several frames
    /// differ.
    is_by_base: bool,
    /// Whether the bases are different trees, such as for different time ranges.
    has_other_base: bool,
    /// If the new view is of a longer version of the recording.
    frames: Option<&'a MatchedFrames>,
    growth: Option<&'a Growth>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correspondence {
    Same,
    /// A node with the same stack, as far as its callers are known.
    Stack,
    /// The nearest caller that exists there.
    Caller,
}

impl<'a> Remap<'a> {
    /// Maps one view to another one of the same recording, or of one whose frames have the same ids.
    pub fn new(old: &'a View, new: &'a View) -> Remap<'a> {
        let (from, to) = (old.base(), new.base());
        let is_changed = !(std::ptr::eq(from, old) && std::ptr::eq(to, new));
        let is_by_base = is_changed && Arc::ptr_eq(&from.recording, &to.recording);
        let has_same_base = from.form == to.form && from.steps.scope == to.steps.scope;
        Remap {
            old,
            new,
            thread_instead: None,
            steps: 0,
            is_by_base,
            has_other_base: is_by_base && !has_same_base,
            frames: None,
            growth: None,
        }
    }

    /// Maps a view to the one that the same steps made of a longer version of the recording.
    pub fn grown(old: &'a View, new: &'a View, growth: &'a Growth) -> Remap<'a> {
        Remap {
            is_by_base: true,
            growth: Some(growth),
            ..Remap::renamed(old, new, growth.frames())
        }
    }

    /// Maps a caller tree to the one of the same methods in a longer version of the recording.
    pub fn renamed(old: &'a View, new: &'a View, frames: &'a MatchedFrames) -> Remap<'a> {
        Remap {
            frames: Some(frames),
            is_by_base: false,
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

    /// The same node, or else its nearest existing caller, and whether it is the same.
    pub fn node(&mut self, old: NodeId) -> (NodeId, bool) {
        self.steps = PATH_STEPS;
        if let Some(found) = self.by_base(old) {
            return found;
        }
        if let Some(exact) = self.by_origin(old) {
            return (exact, true);
        }
        let mut path: Vec<NodeId> = self.old.tree.upward(old).collect();
        // the roots of both trees match, whatever their names
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

    pub fn is_by_base(&self) -> bool {
        self.is_by_base
    }

    pub fn takes_whole(&self, old: NodeId) -> bool {
        self.growth.is_none() || self.old.tree.size(old) >= WHOLE_NODES
    }

    /// Whether two nodes have the same frame. If the recording grows, rows of several frames may get more.
    fn is_alike(&self, old: NodeId, new: NodeId) -> bool {
        let (old, new) = (self.old.tree.frame(old), self.new.tree.frame(new));
        let kind = |view: &View, frame| view.frames.synthetic(frame).as_ref().map(discriminant);
        // roots, processes and threads, whose names differ in a part of the recording
        let is_place = || {
            let kind = self.old.frames.get(old).kind;
            kind == self.new.frames.get(new).kind && !kind.is_hotspot()
        };
        let is_other = self.growth.is_some() || self.has_other_base;
        let is_alike = || match (kind(self.old, old), kind(self.new, new)) {
            (Some(old), Some(new)) => old == new,
            _ => self.has_other_base && is_place(),
        };
        self.frame(old) == Some(new) || is_other && is_alike()
    }

    /// By its origin in the base, if steps changed a tree, or else its nearest existing caller there.
    fn by_base(&mut self, old: NodeId) -> Option<(NodeId, bool)> {
        if !self.is_by_base {
            return None;
        }
        let from = self.old.base();
        let origin = self.old.to_base(old);
        if self.has_other_base {
            let mut bases = Remap::new(from, self.new.base());
            let (nearest, is_there) = bases.node(origin);
            (self.steps, self.thread_instead) = (bases.steps, bases.thread_instead);
            let mut callers = self.new.base().tree.upward(nearest);
            let exact = self.new.from_base(nearest).filter(|_| is_there);
            let found = exact.or_else(|| callers.find_map(|node| self.new.from_base(node)))?;
            return Some((found, exact.is_some() && self.is_alike(old, found)));
        }
        let now = |node| self.growth.map_or(Some(node), |growth| growth.node(node));
        let place = |node| now(node).and_then(|node| self.new.from_base(node));
        let exact = place(origin);
        let found = exact.or_else(|| from.tree.ancestors(origin).find_map(place))?;
        let is_same = exact.is_some() && self.is_alike(old, found);
        Some((found, is_same))
    }

    /// By its recorded node, if neither view has merged threads.
    fn by_origin(&self, old: NodeId) -> Option<NodeId> {
        let (from, to) = (self.old, self.new);
        let is_comparable = Arc::ptr_eq(&from.recording, &to.recording) && from.form == to.form;
        if !is_comparable || from.has_merged_threads() || to.has_merged_threads() {
            return None;
        }
        to.from_recorded_in_thread(from.to_recorded(old))
    }

    /// The same node; else the one with its stack, chosen by this metric, if callers are missing in either view; else
    /// its nearest caller.
    pub fn nearest(&mut self, old: NodeId, metric: MetricId) -> (NodeId, Correspondence) {
        match self.node(old) {
            (same, true) => (same, Correspondence::Same),
            (caller, false) => match self.place_of_stack(old, metric) {
                Some(place) => (place, Correspondence::Stack),
                None => (caller, Correspondence::Caller),
            },
        }
    }

    fn callee(&mut self, caller: NodeId, old: NodeId) -> Option<NodeId> {
        let frame = self.frame(self.old.tree.frame(old))?;
        let mut equals = self.equals_before(old)?;
        let (new, mut last) = (self.new, None);
        for callee in new.tree.children(caller) {
            self.step()?;
            if new.tree.frame(callee) == frame {
                last = Some(callee);
                if equals == 0 {
                    break;
                }
                equals -= 1;
            }
        }
        last
    }

    /// The number of siblings with the same frame before an old node.
    fn equals_before(&mut self, node: NodeId) -> Option<usize> {
        let (old, mut equals) = (self.old, 0);
        let Some(caller) = old.tree.parent(node) else {
            return Some(0);
        };
        let siblings = old.tree.children(caller);
        for sibling in siblings.take_while(|&sibling| sibling < node) {
            self.step()?;
            equals += usize::from(old.tree.frame(sibling) == old.tree.frame(node));
        }
        Some(equals)
    }

    /// The thread below `caller` that an old one is now merged into. If the old one was merged, the thread that
    /// contains most of the rest of the path.
    pub fn other_thread(&mut self, caller: NodeId, old: NodeId, rest: &[NodeId]) -> Option<NodeId> {
        let new = self.new;
        let is_thread =
            |view: &View, node| view.frames.get(view.tree.frame(node)).kind == FrameKind::Thread;
        if !is_thread(self.old, old) {
            return None;
        }
        let is_merged = |view: &View, node| is_merged(view, view.tree.frame(node));
        let was_merged = is_merged(self.old, old);
        let fits =
            |&callee: &NodeId| is_thread(new, callee) && (was_merged || is_merged(new, callee));
        let mut best: Option<(usize, NodeId)> = None;
        for thread in new.tree.children(caller).filter(fits) {
            self.step()?;
            let (mut at, mut levels) = (thread, 0);
            for &next in rest.iter().rev() {
                let Some(found) = self.callee(at, next) else {
                    break;
                };
                (at, levels) = (found, levels + 1);
            }
            if best.is_none_or(|(most, _)| levels > most) {
                best = Some((levels, thread));
            }
            if levels == rest.len() {
                break;
            }
        }
        self.thread_instead = best.map(|(_, thread)| thread);
        self.thread_instead
    }
}
