use crate::model::{CallTree, FrameId, Measure, MetricId, NodeId, View};
use crate::names::FrameKind;
use crate::units::percent;
use std::cmp::Reverse;

/// A callee with at least this share of its caller's inclusive value is on the hot path.
const HOT_SHARE: f64 = 0.5;
/// So is a callee with at least this multiple of the next sibling's inclusive value.
const HOT_LEAD: u64 = 2;
const NAMED_SHARES: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct HotPath {
    /// Outermost first.
    pub nodes: Vec<NodeId>,
    pub end: HotPathEnd,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HotPathEnd {
    Leaf,
    /// This percentage, most of the value, is the method's own.
    Own(f64),
    Split {
        callees: usize,
        shares: Vec<f64>,
    },
    Waits,
    Nothing,
}

/// From a node above threads, it leads to the thread that works most.
pub fn hot_path(view: &View, measure: Measure, from: NodeId) -> HotPath {
    let (mut nodes, mut at) = (Vec::new(), from);
    loop {
        match hot_callee(view, measure, at) {
            Ok(next) => nodes.push(next),
            Err(end) => return HotPath { nodes, end },
        }
        at = nodes.last().copied().unwrap_or(at);
    }
}

fn hot_callee(view: &View, measure: Measure, node: NodeId) -> Result<NodeId, HotPathEnd> {
    let measure = measure.below(view, node);
    let inclusive = measure.inclusive(view, node);
    let mut callees: Vec<(Reverse<u64>, NodeId)> = Vec::new();
    // only the largest: a root may have a million callees
    let (mut with_value, mut has_callees) = (0, false);
    for child in view.tree.children(node) {
        has_callees = true;
        let value = measure.inclusive(view, child);
        if value > 0 {
            with_value += 1;
            let at = callees.partition_point(|other| *other < (Reverse(value), child));
            callees.insert(at, (Reverse(value), child));
            callees.truncate(NAMED_SHARES);
        }
    }
    let Some(&(Reverse(largest), hottest)) = callees.first() else {
        return Err(match (inclusive, has_callees) {
            (0, _) if view.tree.inclusive(measure.metric, node) > 0 => HotPathEnd::Waits,
            (0, _) => HotPathEnd::Nothing,
            (_, true) => HotPathEnd::Own(100.0),
            (_, false) => HotPathEnd::Leaf,
        });
    };
    let kind = view.frame(node).kind;
    let is_above_threads = matches!(kind, FrameKind::Root | FrameKind::Process);
    if is_above_threads || largest as f64 >= inclusive as f64 * HOT_SHARE {
        return Ok(hottest);
    }
    let exclusive = measure.exclusive(view, node);
    if exclusive as f64 >= inclusive as f64 * HOT_SHARE {
        return Err(HotPathEnd::Own(percent(exclusive, inclusive)));
    }
    let next = callees.get(1).map_or(0, |(Reverse(value), _)| *value);
    if largest >= next.saturating_mul(HOT_LEAD) {
        return Ok(hottest);
    }
    let shares = callees.iter();
    let shares = shares.map(|(Reverse(value), _)| percent(*value, inclusive));
    Err(HotPathEnd::Split {
        callees: with_value,
        shares: shares.collect(),
    })
}

/// Heaviest first, ties in preorder.
pub fn occurrences_by_weight(
    view: &View,
    root: NodeId,
    frame: FrameId,
    metric: MetricId,
) -> Vec<NodeId> {
    let mut nodes = occurrences_within(view, root, frame).to_vec();
    nodes.sort_by_key(|&node| Reverse(view.tree.inclusive(metric, node)));
    nodes
}

/// In preorder. O(log nodes).
pub fn occurrences_within(view: &View, root: NodeId, frame: FrameId) -> &[NodeId] {
    within(&view.tree, view.occurrences.of(frame), root)
}

fn within<'a>(tree: &CallTree, nodes: &'a [NodeId], root: NodeId) -> &'a [NodeId] {
    let from = nodes.partition_point(|&node| node < root);
    let to = nodes.partition_point(|&node| node < tree.end(root));
    &nodes[from..to]
}

type Key = (Reverse<u64>, NodeId);

/// The order of [`occurrences_by_weight`] without sorting, which is too slow for a key press. A query is one pass over
/// the nodes.
pub struct OccurrencesByWeight<'a> {
    tree: &'a CallTree,
    metric: MetricId,
    nodes: &'a [NodeId],
}

impl<'a> OccurrencesByWeight<'a> {
    pub fn new(
        view: &'a View,
        root: NodeId,
        frame: FrameId,
        metric: MetricId,
    ) -> OccurrencesByWeight<'a> {
        OccurrencesByWeight {
            tree: &view.tree,
            metric,
            nodes: occurrences_within(view, root, frame),
        }
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    fn key(&self, node: NodeId) -> Key {
        (Reverse(self.tree.inclusive(self.metric, node)), node)
    }

    fn keys(&self) -> impl Iterator<Item = Key> {
        self.nodes.iter().map(|&node| self.key(node))
    }

    pub fn first_within(&self, root: NodeId) -> Option<NodeId> {
        let nodes = within(self.tree, self.nodes, root).iter();
        let first = nodes.map(|&node| self.key(node)).min();
        first.map(|(_, node)| node)
    }

    pub fn rank(&self, node: NodeId) -> usize {
        let key = self.key(node);
        self.keys().filter(|other| *other < key).count()
    }

    /// Wraps around.
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        let key = self.key(node);
        let next = self.keys().filter(|other| *other > key).min();
        next.or_else(|| self.keys().min()).map(|(_, node)| node)
    }

    pub fn previous(&self, node: NodeId) -> Option<NodeId> {
        let key = self.key(node);
        let previous = self.keys().filter(|other| *other < key).max();
        let previous = previous.or_else(|| self.keys().max());
        previous.map(|(_, node)| node)
    }
}

/// The nodes not below another of them, ascending: a sum over them counts nothing twice.
pub fn outermost_occurrences(view: &View, root: NodeId, frames: &[FrameId]) -> Vec<NodeId> {
    let nodes = occurrences_of_all(view, root, frames);
    let outermost = nodes.filter(|(_, is_outermost)| *is_outermost);
    outermost.map(|(node, _)| node).collect()
}

pub(super) fn occurrences_of_all(
    view: &View,
    root: NodeId,
    frames: &[FrameId],
) -> impl Iterator<Item = (NodeId, bool)> {
    let nodes = |&frame: &FrameId| occurrences_within(view, root, frame);
    let mut nodes: Vec<NodeId> = frames.iter().flat_map(nodes).copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    with_outermost(view, nodes.into_iter())
}

/// Ascending nodes, and whether each is not below another.
pub(super) fn with_outermost(
    view: &View,
    nodes: impl Iterator<Item = NodeId>,
) -> impl Iterator<Item = (NodeId, bool)> {
    let mut end = NodeId::ROOT;
    nodes.map(move |node| {
        let is_outermost = node >= end;
        end = end.max(view.tree.end(node));
        (node, is_outermost)
    })
}

#[cfg(test)]
mod tests;
