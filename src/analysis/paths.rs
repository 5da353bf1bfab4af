//! Ways through the tree.

use crate::model::{CallTree, FrameId, MetricId, NodeId, View};
use std::cmp::Reverse;

/// The share of its caller's inclusive value that a callee must have to be on the hot path.
pub const HOT_PATH_SHARE: f64 = 0.5;

/// The hot path below a node: its largest callee while that has at least half of its caller's inclusive value, and so on.
/// Empty where time spreads. O(callees of the nodes on the path).
pub fn hot_path(tree: &CallTree, metric: MetricId, from: NodeId) -> Vec<NodeId> {
    let next = |node: NodeId| {
        let whole = tree.inclusive(metric, node);
        // the first of equals, which `max_by_key` would not give
        let largest = tree.children(node).reduce(|best, child| {
            if tree.inclusive(metric, child) > tree.inclusive(metric, best) { child } else { best }
        })?;
        let share = tree.inclusive(metric, largest) as f64;
        (share > 0.0 && share >= whole as f64 * HOT_PATH_SHARE).then_some(largest)
    };
    std::iter::successors(next(from), |&node| next(node)).collect()
}

/// The nodes of a method within the subtree of `root`, heaviest first; equals in preorder. O(k log k) for k nodes.
pub fn occurrences_by_weight(view: &View, root: NodeId, frame: FrameId, metric: MetricId) -> Vec<NodeId> {
    let mut nodes = occurrences_within(view, root, frame).to_vec();
    nodes.sort_by_key(|&node| Reverse(view.tree.inclusive(metric, node)));
    nodes
}

/// The nodes of a method within the subtree of `root`, in preorder. O(log nodes).
pub fn occurrences_within(view: &View, root: NodeId, frame: FrameId) -> &[NodeId] {
    let all = view.occurrences.of(frame);
    let from = all.partition_point(|&node| node < root);
    let to = all.partition_point(|&node| node < view.tree.end(root));
    &all[from..to]
}

/// The order of [`occurrences_by_weight`], asked for step by step: a hot method of a large tree has so many nodes that no key
/// can wait until they are sorted. Each question takes one pass over them, O(k).
pub struct ByWeight<'a> {
    tree: &'a CallTree,
    metric: MetricId,
    nodes: &'a [NodeId],
}

impl<'a> ByWeight<'a> {
    /// The nodes of a method within the subtree of `root`.
    pub fn new(view: &'a View, root: NodeId, frame: FrameId, metric: MetricId) -> ByWeight<'a> {
        ByWeight { tree: &view.tree, metric, nodes: occurrences_within(view, root, frame) }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    fn key(&self, node: NodeId) -> (Reverse<u64>, NodeId) {
        (Reverse(self.tree.inclusive(self.metric, node)), node)
    }

    fn keys(&self) -> impl Iterator<Item = (Reverse<u64>, NodeId)> {
        self.nodes.iter().map(|&node| self.key(node))
    }

    /// The first of those within a subtree.
    pub fn first_within(&self, within: NodeId) -> Option<NodeId> {
        let from = self.nodes.partition_point(|&node| node < within);
        let to = self.nodes.partition_point(|&node| node < self.tree.end(within));
        self.nodes[from..to.max(from)].iter().map(|&node| self.key(node)).min().map(|(_, node)| node)
    }

    /// How many come before a node.
    pub fn rank(&self, node: NodeId) -> usize {
        let key = self.key(node);
        self.keys().filter(|other| *other < key).count()
    }

    /// The one right behind a node, the first behind the last.
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        let key = self.key(node);
        let behind = self.keys().filter(|other| *other > key).min();
        behind.or_else(|| self.keys().min()).map(|(_, node)| node)
    }

    /// The one right before a node, the last before the first.
    pub fn previous(&self, node: NodeId) -> Option<NodeId> {
        let key = self.key(node);
        let before = self.keys().filter(|other| *other < key).max();
        before.or_else(|| self.keys().max()).map(|(_, node)| node)
    }
}

/// The nodes of methods within the subtree of `root` that do not lie below another of them, ascending: what a sum over
/// these methods goes over. O(k log k) for k nodes.
pub fn outermost_occurrences(view: &View, root: NodeId, frames: &[FrameId]) -> Vec<NodeId> {
    let mut places: Vec<NodeId> = frames
        .iter()
        .flat_map(|&frame| view.occurrences.of(frame))
        .copied()
        .filter(|&node| view.tree.contains(root, node))
        .collect();
    places.sort_unstable();
    let mut end = NodeId::ROOT;
    places.retain(|&node| {
        let is_outermost = node >= end;
        if is_outermost {
            end = view.tree.end(node);
        }
        is_outermost
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    const TIME: MetricId = MetricId(0);

    #[test]
    fn the_hot_path_ends_where_no_callee_has_half() {
        // n1 T 100 ▸ n2 a 60 ▸ n3 b 30 ▸ (n4 c 14, n5 d 13)
        let view = profile_of("T;a;b;c 14|T;a;b;d 13|T;a;b 3|T;a 30|T 40");
        assert_eq!(hot_path(&view.tree, TIME, NodeId(1)), [NodeId(2), NodeId(3)]);
        assert_eq!(hot_path(&view.tree, TIME, NodeId(3)), []);
        assert_eq!(hot_path(&view.tree, TIME, NodeId(4)), []);
    }

    #[test]
    fn occurrences_are_walked_in_the_order_of_their_weight() {
        // n1 T ▸ n2 y 7 ▸ n3 a 7; n4 x 5 ▸ (n5 a 4, n6 b 1); n7 z 4 ▸ n8 a 4; n9 a 1
        let view = profile_of("T;x;a 4|T;x;b 1|T;y;a 7|T;z;a 4|T;a 1");
        let a = view.frames.find("a")[0];
        let order = ByWeight::new(&view, NodeId::ROOT, a, TIME);
        assert_eq!(order.count(), 4);
        let nodes = [3, 5, 8, 9].map(NodeId);
        assert_eq!(nodes.map(|node| order.rank(node)), [0, 1, 2, 3]);
        assert_eq!(nodes.map(|node| order.next(node).unwrap().0), [5, 8, 9, 3]);
        assert_eq!(nodes.map(|node| order.previous(node).unwrap().0), [9, 3, 5, 8]);
        let first = |within: u32| order.first_within(NodeId(within)).map(|node| node.0);
        assert_eq!([0, 4, 7, 6].map(first), [Some(3), Some(5), Some(8), None]);
    }

    #[test]
    fn places_come_heaviest_first_and_stay_below_the_root() {
        // n1 T ▸ n2 y 7 ▸ n3 a 7; n4 x 5 ▸ n5 a 5; n6 a 1
        let view = profile_of("T;x;a 5|T;y;a 7|T;a 1");
        let a = view.frames.find("a")[0];
        assert_eq!(occurrences_by_weight(&view, NodeId::ROOT, a, TIME), [NodeId(3), NodeId(5), NodeId(6)]);
        assert_eq!(occurrences_by_weight(&view, NodeId(4), a, TIME), [NodeId(5)]);
        assert_eq!(outermost_occurrences(&view, NodeId::ROOT, &[a]), [NodeId(3), NodeId(5), NodeId(6)]);
        let all: Vec<FrameId> = ["a", "x"].iter().flat_map(|name| view.frames.find(name)).collect();
        assert_eq!(outermost_occurrences(&view, NodeId::ROOT, &all), [NodeId(3), NodeId(4), NodeId(6)]);
    }
}
