use crate::analysis::compared::{AFTER, BEFORE, Presence};
use crate::model::{FrameId, MetricId, NodeId, View};
use crate::names::Category;
use std::collections::{HashMap, HashSet};

/// Selects the methods that account for the others, out of methods that exist on one side only. A new method brings its
/// callees along, which are not news: user code wins over the system code around it, and callers win over callees.
pub(super) fn topmost(view: &View, presence: Presence, frames: &[FrameId]) -> HashSet<FrameId> {
    let metric = match presence {
        Presence::Vanished => BEFORE,
        _ => AFTER,
    };
    let is_user_code = |frame: FrameId| view.frames.get(frame).category == Category::User;
    let mut found: HashSet<FrameId> = frames.iter().copied().collect();
    let by_callers = nested(view, metric, &found, |inner, outer| {
        // user code is covered by user code above it, anything else by any method above it
        let covered = match is_user_code(outer) || !is_user_code(inner) {
            true => inner,
            false => outer,
        };
        (inner != outer).then_some(covered)
    });
    let is_topmost = |sums: &HashMap<FrameId, Nested>, frame: &FrameId| {
        sums.get(frame).is_some_and(|sum| sum.is_topmost())
    };
    found.retain(|frame| is_topmost(&by_callers, frame));
    // a remaining method may be mostly another one that has more of it elsewhere
    let by_larger = nested(view, metric, &found, |inner, outer| {
        (by_callers[&inner].all > by_callers[&outer].all).then_some(outer)
    });
    found.retain(|frame| is_topmost(&by_larger, frame));
    found
}

/// `covered` decides which of a method and the one above it is the covered one.
fn nested(
    view: &View,
    metric: MetricId,
    frames: &HashSet<FrameId>,
    covered: impl Fn(FrameId, FrameId) -> Option<FrameId>,
) -> HashMap<FrameId, Nested> {
    let mut sums: HashMap<FrameId, Nested> = HashMap::new();
    if frames.is_empty() {
        return sums;
    }
    let mut is_wanted = vec![false; view.frames.len()];
    for frame in frames {
        is_wanted[frame.index()] = true;
    }
    let mut open: Vec<(NodeId, FrameId)> = Vec::new();
    for node in view.tree.nodes() {
        while open.pop_if(|(end, _)| *end <= node).is_some() {}
        let frame = view.tree.frame(node);
        if !is_wanted[frame.index()] || open.iter().any(|&(_, other)| other == frame) {
            continue;
        }
        let (value, end) = (view.tree.inclusive(metric, node), view.tree.end(node));
        let sum = sums.entry(frame).or_default();
        sum.all = sum.all.saturating_add(value);
        for frame in open.iter().filter_map(|&(_, outer)| covered(frame, outer)) {
            sums.entry(frame).or_default().add(value, node, end);
        }
        open.push((end, frame));
    }
    sums
}

#[derive(Clone, Copy, Default)]
struct Nested {
    all: u64,
    elsewhere: u64,
    /// The end of the last counted node.
    until: NodeId,
}

impl Nested {
    fn add(&mut self, value: u64, node: NodeId, end: NodeId) {
        if node >= self.until {
            self.elsewhere = self.elsewhere.saturating_add(value);
            self.until = end;
        }
    }

    /// Whether at least about half of it is not covered.
    fn is_topmost(self) -> bool {
        self.elsewhere < self.all.div_ceil(2)
    }
}

#[cfg(test)]
mod tests;
