//! Methods that are there on one side only: which of them a reader has to know.

use crate::analysis::compared::{AFTER, BEFORE, Presence};
use crate::model::{FrameId, MetricId, NodeId, View};
use crate::names::Category;
use std::collections::{HashMap, HashSet};

/// Of these methods, which are there on one side only: those that tell of the others. A new method brings along what it calls, which is
/// no news of its own: user code is named before the system code around it, and callers before callees. O(nodes · depth of such
/// methods).
pub(super) fn topmost(view: &View, presence: Presence, frames: &[FrameId]) -> HashSet<FrameId> {
    let metric = match presence {
        Presence::Vanished => BEFORE,
        _ => AFTER,
    };
    let is_user_code = |frame: FrameId| view.frames.get(frame).category == Category::User;
    let mut found: HashSet<FrameId> = frames.iter().copied().collect();
    let of_callers = nested(view, metric, &found, |inner, outer| {
        // what user code has is told by user code above it, all other things by any method
        let is_below = if is_user_code(outer) || !is_user_code(inner) {
            Some(inner)
        } else {
            Some(outer)
        };
        is_below.filter(|_| inner != outer)
    });
    let is_topmost = |sums: &HashMap<FrameId, Nested>, frame: &FrameId| {
        sums.get(frame).is_some_and(|sum| sum.is_topmost())
    };
    found.retain(|frame| is_topmost(&of_callers, frame));
    // one that is left may have little but another one, which has more of it elsewhere
    let of_larger = nested(view, metric, &found, |inner, outer| {
        (of_callers[&inner].all > of_callers[&outer].all).then_some(outer)
    });
    found.retain(|frame| is_topmost(&of_larger, frame));
    found
}

/// How much of these methods is told by others, where `told` says which of a method and the one above it that is.
fn nested(
    view: &View,
    metric: MetricId,
    frames: &HashSet<FrameId>,
    told: impl Fn(FrameId, FrameId) -> Option<FrameId>,
) -> HashMap<FrameId, Nested> {
    let mut sums: HashMap<FrameId, Nested> = HashMap::new();
    if frames.is_empty() {
        return sums;
    }
    let mut is_wanted = vec![false; view.frames.len()];
    frames
        .iter()
        .for_each(|frame| is_wanted[frame.index()] = true);
    // the outermost ones above a node, and where they end
    let mut open: Vec<(NodeId, FrameId)> = Vec::new();
    for node in view.tree.nodes() {
        while open.last().is_some_and(|&(end, _)| end <= node) {
            open.pop();
        }
        let frame = view.tree.frame(node);
        if !is_wanted[frame.index()] || open.iter().any(|&(_, other)| other == frame) {
            continue;
        }
        let (value, end) = (view.tree.inclusive(metric, node), view.tree.end(node));
        let sum = sums.entry(frame).or_default();
        sum.all = sum.all.saturating_add(value);
        for frame in open.iter().filter_map(|&(_, outer)| told(frame, outer)) {
            sums.entry(frame).or_default().add(value, node, end);
        }
        open.push((end, frame));
    }
    sums
}

/// How much of a method's inclusive value is told by other methods.
#[derive(Clone, Copy, Default)]
struct Nested {
    all: u64,
    elsewhere: u64,
    /// Where the last node ends that was counted.
    until: NodeId,
}

impl Nested {
    /// Counts a node that others tell of, unless a node above it was counted.
    fn add(&mut self, value: u64, node: NodeId, end: NodeId) {
        if node >= self.until {
            self.elsewhere = self.elsewhere.saturating_add(value);
            self.until = end;
        }
    }

    /// Whether most of it is told by none.
    fn is_topmost(self) -> bool {
        self.elsewhere < self.all.div_ceil(2)
    }
}

#[cfg(test)]
mod tests;
