//! Waiting: the part of a tree's times in which threads were idle.

use super::{CallTree, MetricId, NodeId, Thread};
use crate::units::percent;

/// A thread that waits for at least this share of its time counts as idle.
const IDLE_PERCENT: f64 = 95.0;

/// Whether a thread that waits for this part of its time counts as idle.
fn is_idle(waiting: u64, whole: u64) -> bool {
    percent(waiting, whole) > IDLE_PERCENT
}

/// The waiting in a tree in one metric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// the nodes whose own value is waiting, ascending
    nodes: Vec<NodeId>,
    /// the sum over `nodes` up to each, itself included
    sums: Vec<u64>,
    /// the roots of the threads that do nothing else, ascending
    idle: Vec<NodeId>,
    /// by node, where the waiting in a node is no sum over nodes
    by_node: Vec<u64>,
}

impl Waiting {
    /// The waiting of `nodes` of a tree, each of which waits while its value is its own; `threads` are the roots of its
    /// threads. O(k log k) for k nodes.
    pub(super) fn new(
        tree: &CallTree,
        metric: MetricId,
        mut nodes: Vec<NodeId>,
        threads: &[Thread],
    ) -> Waiting {
        nodes.retain(|&node| tree.exclusive(metric, node) > 0);
        nodes.sort_unstable();
        let sums = nodes.iter().scan(0u64, |sum, &node| {
            *sum = sum.saturating_add(tree.exclusive(metric, node));
            Some(*sum)
        });
        Waiting {
            sums: sums.collect(),
            nodes,
            ..Waiting::default()
        }
        .with_idle(tree, metric, threads)
    }

    /// The waiting of a tree whose nodes may wait in a part of their own values: these amounts, of which a node may have several.
    /// O(k log k) for k amounts.
    pub(super) fn moved(
        tree: &CallTree,
        metric: MetricId,
        mut amounts: Vec<(NodeId, u64)>,
        threads: &[Thread],
    ) -> Waiting {
        amounts.sort_unstable();
        let (mut nodes, mut sums, mut sum) = (Vec::new(), Vec::new(), 0u64);
        for (node, amount) in amounts {
            sum = sum.saturating_add(amount);
            if nodes.last() == Some(&node) {
                sums.pop();
            } else {
                nodes.push(node);
            }
            sums.push(sum);
        }
        Waiting {
            nodes,
            sums,
            ..Waiting::default()
        }
        .with_idle(tree, metric, threads)
    }

    /// This waiting, with the idle ones of these threads.
    fn with_idle(self, tree: &CallTree, metric: MetricId, threads: &[Thread]) -> Waiting {
        let is_idle =
            |&node: &NodeId| is_idle(self.within(tree, node), tree.inclusive(metric, node));
        let mut idle: Vec<NodeId> = threads
            .iter()
            .map(|thread| thread.node)
            .filter(is_idle)
            .collect();
        idle.sort_unstable();
        Waiting { idle, ..self }
    }

    /// The waiting in a caller tree: by node, the waiting part of its inclusive value.
    pub(super) fn of_nodes(within: Vec<u64>) -> Waiting {
        let is_any = within.iter().any(|&value| value > 0);
        Waiting {
            by_node: if is_any { within } else { Vec::new() },
            ..Waiting::default()
        }
    }

    /// Whether nothing waits.
    pub fn is_none(&self) -> bool {
        self.nodes.is_empty() && self.by_node.is_empty()
    }

    /// The waiting in a node's inclusive value. O(log nodes that wait).
    pub fn within(&self, tree: &CallTree, node: NodeId) -> u64 {
        if let Some(&within) = self.by_node.get(node.index()) {
            return within;
        }
        self.before(tree.end(node)) - self.before(node)
    }

    /// The nodes whose own values are waiting, ascending, with how much of it.
    pub fn amounts(&self) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        let before = std::iter::once(0).chain(self.sums.iter().copied());
        self.nodes
            .iter()
            .zip(self.sums.iter().zip(before))
            .map(|(&node, (sum, before))| (node, sum - before))
    }

    /// The waiting in a node's exclusive value: all of it or nothing, unless a step has made one node of several. O(log nodes
    /// that wait).
    pub fn own(&self, node: NodeId) -> u64 {
        self.before(NodeId(node.0.saturating_add(1))) - self.before(node)
    }

    /// The waiting of all nodes before this one.
    fn before(&self, node: NodeId) -> u64 {
        let behind = self.nodes.partition_point(|&other| other < node);
        behind.checked_sub(1).map_or(0, |last| self.sums[last])
    }

    /// The values of nodes that are asked for in ascending order.
    pub(crate) fn in_order(&self) -> WaitingInOrder<'_> {
        WaitingInOrder {
            waiting: self,
            at: 0,
        }
    }

    /// The roots of the threads that do nothing but wait, ascending.
    pub fn idle_threads(&self) -> &[NodeId] {
        &self.idle
    }

    /// Whether this is the root of a thread that does nothing but wait. O(log idle threads).
    pub fn is_idle(&self, thread: NodeId) -> bool {
        self.idle.binary_search(&thread).is_ok()
    }
}

/// The waiting of nodes in ascending order: most have none, which takes one comparison.
pub(crate) struct WaitingInOrder<'a> {
    waiting: &'a Waiting,
    /// the first node that waits and lies not before the last one that was asked for
    at: usize,
}

impl WaitingInOrder<'_> {
    /// The waiting in the inclusive and the exclusive value of a node that lies not before the last one. Expected O(1) for most.
    pub(crate) fn of(&mut self, tree: &CallTree, node: NodeId) -> (u64, u64) {
        let Waiting {
            nodes,
            sums,
            by_node,
            ..
        } = self.waiting;
        if let Some(&within) = by_node.get(node.index()) {
            return (within, 0);
        }
        while nodes.get(self.at).is_some_and(|&waits| waits < node) {
            self.at += 1;
        }
        let end = tree.end(node);
        let Some(&first) = nodes.get(self.at).filter(|&&waits| waits < end) else {
            return (0, 0);
        };
        let before = self.at.checked_sub(1).map_or(0, |last| sums[last]);
        let behind = self.at + nodes[self.at..].partition_point(|&waits| waits < end);
        let own = if first == node {
            sums[self.at] - before
        } else {
            0
        };
        (sums[behind - 1] - before, own)
    }
}
