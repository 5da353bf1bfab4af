//! Where a user's place in one profile is in another that was made from the same source.

mod truncated;

use super::outline::{Outline, Sort};
use super::tree_pane::TreePane;
use crate::analysis::threads::is_merged_thread;
use crate::model::{FrameId, FrameKind, MetricId, NodeId, Profile};
use std::collections::{HashMap, VecDeque};

/// How many callees are looked at to find one node: a path of a million frames is walked to its end.
const PATH_STEPS: usize = 3_000_000;
/// How many callees are looked at to open what was open in all panes together, so that no key waits for it. What is open as a
/// whole takes one step.
const OPEN_STEPS: usize = 40_000;

/// How many rows that were opened or closed are carried over one by one.
const MOST_CHANGES: usize = 200;

/// The nodes of a profile in another one: a node is the same if its callers and itself have the same kinds, raw names and
/// signatures. Of equal siblings the first is the first, the second the second.
pub(super) struct Counterparts<'a> {
    old: &'a Profile,
    new: &'a Profile,
    /// by old frame; those that were asked for
    frames: Vec<Asked>,
    /// the thread that stands for old ones which are merged in it, or for the old one in which it was merged, if it was asked
    /// for
    thread_instead: Option<NodeId>,
    steps: usize,
}

/// What stands for a node in the other profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same node.
    Same,
    /// A place of the same stack, as far as its callers are known.
    Stack,
    /// The nearest caller that is there.
    Caller,
}

/// What is known of a pane of the new profile, which was shown before.
pub(super) struct Known<'a> {
    /// Its rows.
    pub outline: Outline,
    /// The rows that the pane of the old profile had when that was shown instead.
    pub since: &'a Outline,
    /// What was selected, unless something else was selected since.
    pub selected: Option<NodeId>,
}

#[derive(Clone, Copy)]
enum Asked {
    NotYet,
    Nowhere,
    Is(FrameId),
}

impl<'a> Counterparts<'a> {
    pub(super) fn new(old: &'a Profile, new: &'a Profile) -> Counterparts<'a> {
        let frames = vec![Asked::NotYet; old.frames.len()];
        Counterparts { old, new, frames, thread_instead: None, steps: 0 }
    }

    /// The frame of the new profile that is the same as an old one.
    pub(super) fn frame(&mut self, old: FrameId) -> Option<FrameId> {
        if let Asked::NotYet = self.frames[old.index()] {
            let (kind, from) = (self.old.frames.get(old).kind, &self.old.frames);
            let known = self.new.frames.known(kind, from.name(old), from.signature(old));
            self.frames[old.index()] = known.map_or(Asked::Nowhere, Asked::Is);
        }
        match self.frames[old.index()] {
            Asked::Is(frame) => Some(frame),
            Asked::Nowhere | Asked::NotYet => None,
        }
    }

    /// Takes a step, unless too many were taken.
    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    /// The node that is the same as an old one, or else its nearest caller that there is; and whether it is the same.
    pub(super) fn node(&mut self, old: NodeId) -> (NodeId, bool) {
        self.steps = PATH_STEPS;
        let mut path: Vec<NodeId> = std::iter::once(old).chain(self.old.tree.ancestors(old)).collect();
        // the roots of both trees are the same, however they are called
        path.pop();
        let mut at = NodeId::ROOT;
        while let Some(next) = path.pop() {
            let found = self.callee(at, next).or_else(|| self.other_thread(at, next, &path));
            match found {
                Some(found) => at = found,
                None => return (at, false),
            }
        }
        (at, true)
    }

    /// What stands for an old node: the same one, else the place of its stack if callers of that are missing in one of the
    /// profiles (by this metric of the new one), else its nearest caller.
    pub(super) fn nearest(&mut self, old: NodeId, metric: MetricId) -> (NodeId, Likeness) {
        match self.node(old) {
            (same, true) => (same, Likeness::Same),
            (caller, false) => match self.place_of_stack(old, metric) {
                Some(place) => (place, Likeness::Stack),
                None => (caller, Likeness::Caller),
            },
        }
    }

    /// The callee of the new node `caller` that is the same as an old node.
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

    /// How many siblings with the frame of an old node stand before it.
    fn equals_before(&mut self, node: NodeId) -> Option<usize> {
        let (old, mut equals) = (self.old, 0);
        let Some(caller) = old.tree.parent(node) else { return Some(0) };
        for sibling in old.tree.children(caller).take_while(|&sibling| sibling < node) {
            self.step()?;
            equals += usize::from(old.tree.frame(sibling) == old.tree.frame(node));
        }
        Some(equals)
    }

    /// The thread below `caller` in which an old one is merged, or of those that were merged in the old one that in which most
    /// of the rest of the path is.
    fn other_thread(&mut self, caller: NodeId, old: NodeId, rest: &[NodeId]) -> Option<NodeId> {
        let new = self.new;
        let is_thread =
            |profile: &Profile, node| profile.frames.get(profile.tree.frame(node)).kind == FrameKind::Thread;
        if !is_thread(self.old, old) {
            return None;
        }
        let was_merged = is_merged_thread(self.old.name(old));
        let fits = |&callee: &NodeId| is_thread(new, callee) && (was_merged || is_merged_thread(new.name(callee)));
        let mut best: Option<(usize, NodeId)> = None;
        for thread in new.tree.children(caller).filter(fits) {
            self.step()?;
            let (mut at, mut levels) = (thread, 0);
            for &next in rest.iter().rev() {
                let Some(found) = self.callee(at, next) else { break };
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

    /// Opens in `to` what is open in `from`, from the root of `to` downwards, level by level as far as the steps go.
    fn open(&mut self, from: &Outline, to: &mut Outline, steps: usize) {
        self.steps = steps;
        let mut pending = VecDeque::from([(from.root(), to.root())]);
        while let Some((old, new)) = pending.pop_front() {
            if !from.is_open(self.old, old) {
                to.close(self.new, new);
            } else if from.is_all_open(self.old, old) {
                to.open_all(self.new, new);
            } else {
                to.open(self.new, new);
                pending.extend(self.open_callees(from, old, new));
            }
        }
    }

    /// Opens and closes in `to` what is open or closed in `from` and was not so in an earlier outline of the old profile; `None`
    /// if that is too much.
    fn open_changes(&mut self, from: &Outline, since: &Outline, to: &mut Outline, steps: usize) -> Option<()> {
        let changes: Vec<NodeId> = from.differences(since).take(MOST_CHANGES + 1).collect();
        let mut steps = (changes.len() <= MOST_CHANGES).then_some(steps)?;
        for node in changes {
            let (new, is_same) = self.node(node);
            steps = steps.checked_sub(PATH_STEPS - self.steps)?;
            match from.is_open(self.old, node) {
                _ if !is_same => {}
                true => to.open(self.new, new),
                false => to.close(self.new, new),
            }
        }
        Some(())
    }

    /// The open callees of an old node with those that are the same below the new node `caller`.
    fn open_callees(&mut self, from: &Outline, old_caller: NodeId, caller: NodeId) -> Vec<(NodeId, NodeId)> {
        let (old, new) = (self.old, self.new);
        let mut seen: HashMap<FrameId, u32, foldhash::fast::RandomState> = HashMap::default();
        let mut wanted: HashMap<(FrameId, u32), NodeId, foldhash::fast::RandomState> = HashMap::default();
        let mut pairs = Vec::new();
        for callee in old.tree.children(old_caller) {
            if self.step().is_none() {
                break;
            }
            let before = count(&mut seen, old.tree.frame(callee));
            if !from.is_open(old, callee) {
                continue;
            }
            match (self.frame(old.tree.frame(callee)), self.thread_instead) {
                (Some(frame), _) => _ = wanted.insert((frame, before), callee),
                (None, Some(thread)) if new.tree.parent(thread) == Some(caller) => pairs.push((callee, thread)),
                (None, _) => {}
            }
        }
        seen.clear();
        for callee in new.tree.children(caller) {
            if wanted.is_empty() || self.step().is_none() {
                break;
            }
            let frame = new.tree.frame(callee);
            let before = count(&mut seen, frame);
            if let Some(old) = wanted.remove(&(frame, before)) {
                pairs.push((old, callee));
            }
        }
        pairs
    }

    /// A pane of the new profile with the rows and the selection of an old one, and what that selection is; `None` if the root
    /// of what it shows is not there. It is one of so many panes.
    ///
    /// Where a pane with its root is `known`, only what has changed since is carried over: rows that the old profile can't have
    /// stay open.
    pub(super) fn pane<'b>(
        &mut self,
        old: &TreePane,
        panes: usize,
        metric: MetricId,
        sort: Sort,
        known: impl Fn(NodeId) -> Option<Known<'b>>,
    ) -> Option<(TreePane, Likeness)> {
        let (root, true) = self.node(old.root()) else { return None };
        let known = known(root);
        let (selected, likeness) = match known.as_ref().and_then(|known| known.selected) {
            Some(selected) => (selected, Likeness::Same),
            None => self.nearest(old.selected, metric),
        };
        let steps = OPEN_STEPS / panes.max(1);
        let outline = known.and_then(|Known { mut outline, since, .. }| {
            outline.set_order(self.new, metric, sort);
            self.open_changes(&old.outline, since, &mut outline, steps).map(|()| outline)
        });
        let mut outline = outline.unwrap_or_else(|| {
            let mut outline = Outline::new(self.new, root, metric, sort);
            self.open(&old.outline, &mut outline, steps);
            outline
        });
        let (selected, likeness) = match self.new.tree.contains(root, selected) {
            true => (selected, likeness),
            false => (root, Likeness::Caller),
        };
        outline.show(self.new, selected);
        Some((old.with_outline(self.new, outline, selected), likeness))
    }
}

/// Counts a frame; how often it was counted before.
fn count(seen: &mut HashMap<FrameId, u32, foldhash::fast::RandomState>, frame: FrameId) -> u32 {
    let count = seen.entry(frame).or_insert(0);
    *count += 1;
    *count - 1
}
