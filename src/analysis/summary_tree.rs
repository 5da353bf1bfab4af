//! Aggregates a call tree for a summary: threads merged, recursion and async infrastructure collapsed, cold subtrees
//! unexpanded.
//!
//! Equals the tree that the steps of a view would make, but never visits cheap subtrees: ten million nodes take as
//! long as a list of hotspots.

use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::FrameKind;
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(u32);

impl GroupId {
    pub const ROOT: GroupId = GroupId(0);

    /// A group comes after its caller.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn at(index: usize) -> GroupId {
        GroupId(index as u32)
    }
}

/// Equal calls: the nodes of a method whose callers are in the same group.
#[derive(Clone, Debug, Default)]
pub struct SummaryGroup {
    /// The method; for async infrastructure, its first frame.
    pub frame: FrameId,
    pub is_plumbing: bool,
    /// The root's is itself.
    pub caller: GroupId,
    /// The part of its inclusive value that counts, minus what recursion moved to a call above it.
    pub inclusive: u64,
    /// Only known once the group is opened.
    pub exclusive: u64,
    pub is_open: bool,
    /// Without direct recursion.
    pub node_count: u32,
    /// Includes calls that came back to it; 0 without counts.
    pub count: u64,
    /// The first in preorder if several tie.
    pub heaviest_node: NodeId,
    pub is_recursive: bool,
    heaviest: u64,
    /// The values of nodes that entered it from its caller.
    entered: u64,
    /// The values of its callees that went back to a group above it.
    went_back: u64,
    /// The values that came back to it from below.
    came_back: u64,
    pending: Vec<NodeId>,
    pending_callees: Vec<GroupId>,
}

/// Groups of subtrees. A frame that is already on the stack takes the stack back to its first occurrence, like
/// [`Recursion::All`](crate::model::Recursion::All); runs of async infrastructure are one group; threads have no
/// group, and their own value belongs to what is above them.
#[derive(Clone, Debug)]
pub struct SummaryTree {
    groups: Vec<SummaryGroup>,
    /// Groups by caller, then inclusive value.
    callees: Vec<GroupId>,
}

impl SummaryTree {
    /// Groups with less than `min_opened` stored units are not opened.
    pub fn new(view: &View, roots: &[NodeId], measure: Measure, min_opened: u64) -> SummaryTree {
        let mut builder = SummaryBuilder::new(view, measure, min_opened.max(1));
        builder.add_root(roots);
        builder.run();
        builder.finish()
    }

    pub fn group(&self, id: GroupId) -> &SummaryGroup {
        &self.groups[id.index()]
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = GroupId> + use<> {
        (0..self.groups.len()).map(GroupId::at)
    }

    /// Largest inclusive value first. O(log groups).
    pub fn callees(&self, id: GroupId) -> &[GroupId] {
        let before = |last| move |callee: &GroupId| self.group(*callee).caller < last;
        let first = self.callees.partition_point(before(id));
        let callees = &self.callees[first..];
        &callees[..callees.partition_point(before(GroupId(id.0 + 1)))]
    }
}

const NONE: GroupId = GroupId(u32::MAX);

struct SummaryBuilder<'a> {
    view: &'a View,
    measure: Measure,
    min_opened: u64,
    groups: Vec<SummaryGroup>,
    on_path: Vec<GroupId>,
    /// The last group that got a node of each frame (most calls of a frame from a group are consecutive), then that of
    /// async infrastructure.
    latest: Vec<GroupId>,
    known: HashMap<(GroupId, u32), GroupId, foldhash::fast::RandomState>,
}

impl<'a> SummaryBuilder<'a> {
    fn new(view: &'a View, measure: Measure, min_opened: u64) -> SummaryBuilder<'a> {
        let frames = view.frames.len();
        SummaryBuilder {
            view,
            measure,
            min_opened,
            groups: Vec::new(),
            on_path: vec![NONE; frames],
            latest: vec![NONE; frames + 1],
            known: HashMap::default(),
        }
    }

    fn add_root(&mut self, roots: &[NodeId]) {
        let view = self.view;
        let frame = view.tree.frame(*roots.first().unwrap_or(&NodeId::ROOT));
        self.groups.push(new_group(frame, false, GroupId::ROOT));
        for &root in roots {
            self.enter(GroupId::ROOT, root, self.inclusive(root));
            // overloads count as one method here
            let frame = view.tree.frame(root);
            if can_recur(view, frame) {
                self.on_path[frame.index()] = GroupId::ROOT;
            }
        }
    }

    fn inclusive(&self, node: NodeId) -> u64 {
        self.measure.inclusive(self.view, node)
    }

    /// In preorder. A group that gets back calls from below is opened again on the way up.
    fn run(&mut self) {
        let mut path = vec![GroupId::ROOT];
        while let Some(&id) = path.last() {
            let group = &mut self.groups[id.index()];
            if !group.pending.is_empty() {
                let nodes = std::mem::take(&mut group.pending);
                self.open(id, nodes);
            } else if let Some(callee) = group.pending_callees.pop() {
                let group = &self.groups[callee.index()];
                if !group.pending.is_empty() && group.entered >= self.min_opened {
                    path.push(callee);
                    if !group.is_plumbing && can_recur(self.view, group.frame) {
                        self.on_path[group.frame.index()] = callee;
                    }
                }
            } else {
                path.pop();
                if !group.is_plumbing {
                    self.on_path[group.frame.index()] = NONE;
                }
            }
        }
    }

    fn open(&mut self, id: GroupId, mut nodes: Vec<NodeId>) {
        let view = self.view;
        let is_plumbing = self.groups[id.index()].is_plumbing;
        let mut exclusive = 0u64;
        while let Some(node) = nodes.pop() {
            exclusive = exclusive.saturating_add(self.measure.exclusive(view, node));
            for callee in view.tree.children(node) {
                let frame = view.tree.frame(callee);
                let callee_frame = view.frames.get(frame);
                let above = self.on_path[frame.index()];
                if callee_frame.kind == FrameKind::Thread
                    || (callee_frame.is_plumbing && is_plumbing)
                {
                    nodes.push(callee);
                } else if above == id {
                    let count = self.count(callee);
                    let group = &mut self.groups[id.index()];
                    group.is_recursive = true;
                    group.count = group.count.saturating_add(count);
                    nodes.push(callee);
                } else if above != NONE {
                    self.go_back(id, above, callee);
                } else {
                    let to = self.callee(id, frame, callee_frame.is_plumbing);
                    self.enter(to, callee, self.inclusive(callee));
                    self.groups[id.index()].pending_callees.push(to);
                }
            }
        }
        let group = &mut self.groups[id.index()];
        group.exclusive = group.exclusive.saturating_add(exclusive);
        group.is_open = true;
    }

    fn callee(&mut self, caller: GroupId, frame: FrameId, is_plumbing: bool) -> GroupId {
        let key = match is_plumbing {
            true => self.view.frames.len(),
            false => frame.index(),
        };
        let latest = self.latest[key];
        if latest != NONE && self.groups[latest.index()].caller == caller {
            return latest;
        }
        let next = GroupId::at(self.groups.len());
        let id = *self.known.entry((caller, key as u32)).or_insert(next);
        if id == next {
            self.groups.push(new_group(frame, is_plumbing, caller));
        }
        self.latest[key] = id;
        id
    }

    fn enter(&mut self, id: GroupId, node: NodeId, inclusive: u64) {
        let count = self.count(node);
        let group = &mut self.groups[id.index()];
        group.entered = group.entered.saturating_add(inclusive);
        group.add(node, inclusive, count);
    }

    fn count(&self, node: NodeId) -> u64 {
        self.view.tree.count(self.measure.metric, node).unwrap_or(0)
    }

    fn go_back(&mut self, from: GroupId, to: GroupId, node: NodeId) {
        let (inclusive, count) = (self.inclusive(node), self.count(node));
        let group = &mut self.groups[from.index()];
        group.went_back = group.went_back.saturating_add(inclusive);
        let group = &mut self.groups[to.index()];
        group.came_back = group.came_back.saturating_add(inclusive);
        group.is_recursive = true;
        group.add(node, inclusive, count);
    }

    fn finish(self) -> SummaryTree {
        let mut groups = self.groups;
        // by group, the values that moved from it or below it to a group above it
        let mut moved: Vec<u64> = groups.iter().map(|group| group.went_back).collect();
        for index in (0..groups.len()).rev() {
            moved[index] = moved[index].saturating_sub(groups[index].came_back);
            groups[index].inclusive = groups[index].entered.saturating_sub(moved[index]);
            groups[index].pending_callees = Vec::new();
            if index > 0 {
                let caller = groups[index].caller.index();
                moved[caller] = moved[caller].saturating_add(moved[index]);
            }
        }
        let mut callees: Vec<GroupId> = (1..groups.len()).map(GroupId::at).collect();
        callees.sort_by_key(|id| {
            let group = &groups[id.index()];
            (group.caller, Reverse(group.inclusive), group.heaviest_node)
        });
        SummaryTree { groups, callees }
    }
}

impl SummaryGroup {
    fn add(&mut self, node: NodeId, inclusive: u64, count: u64) {
        if self.node_count == 0
            || (inclusive, Reverse(node)) > (self.heaviest, Reverse(self.heaviest_node))
        {
            (self.heaviest, self.heaviest_node) = (inclusive, node);
        }
        self.node_count = self.node_count.saturating_add(1);
        self.count = self.count.saturating_add(count);
        self.pending.push(node);
    }
}

fn new_group(frame: FrameId, is_plumbing: bool, caller: GroupId) -> SummaryGroup {
    SummaryGroup {
        frame,
        is_plumbing,
        caller,
        ..SummaryGroup::default()
    }
}

fn can_recur(view: &View, id: FrameId) -> bool {
    let frame = view.frames.get(id);
    // nameless frames may be different methods
    let is_nameless = view.frames.name(id).ends_with("!?");
    frame.kind.is_code() && !frame.is_plumbing && !is_nameless
}

#[cfg(test)]
mod tests;
