//! The part of a tree's values in which threads waited or spun.

use super::{Amount, CallTree, MetricId, NodeId, Thread};
use crate::units::percent;

/// Threads that wait for more than this share of their time are idle.
const IDLE_PERCENT: f64 = 95.0;

/// From this percentage on, a value counts as mostly waiting.
pub const MOSTLY_PERCENT: f64 = 50.0;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Nodes whose own value is waiting, ascending.
    nodes: Vec<NodeId>,
    /// The running sum over `nodes`, including each.
    sums: Vec<Amount>,
    pub idle_threads: Vec<NodeId>,
    /// Used if a node's waiting isn't a sum over nodes.
    by_node: Vec<Amount>,
}

impl Waiting {
    /// All of the exclusive values of `nodes` is waiting.
    pub(super) fn new(
        tree: &CallTree,
        metric: MetricId,
        mut nodes: Vec<NodeId>,
        threads: &[Thread],
        own_samples: impl Fn(NodeId) -> u64,
    ) -> Waiting {
        nodes.retain(|&node| tree.exclusive(metric, node) > 0);
        let amount = |node| Amount {
            value: tree.exclusive(metric, node),
            samples: own_samples(node),
        };
        let amounts = nodes.into_iter().map(|node| (node, amount(node)));
        Waiting::moved(tree, metric, amounts.collect(), threads)
    }

    /// A node may have several `amounts`.
    pub(super) fn moved(
        tree: &CallTree,
        metric: MetricId,
        mut amounts: Vec<(NodeId, Amount)>,
        threads: &[Thread],
    ) -> Waiting {
        amounts.sort_unstable_by_key(|&(node, _)| node);
        let (mut nodes, mut sums, mut sum) = (Vec::new(), Vec::new(), Amount::default());
        for (node, amount) in amounts {
            sum.add(amount);
            if nodes.last() == Some(&node) {
                sums.pop();
            } else {
                nodes.push(node);
            }
            sums.push(sum);
        }
        let waiting = Waiting {
            nodes,
            sums,
            ..Waiting::default()
        };
        let is_idle = |&node: &NodeId| {
            percent(waiting.within(tree, node), tree.inclusive(metric, node)) > IDLE_PERCENT
        };
        let threads = threads.iter().map(|thread| thread.node);
        let mut idle_threads: Vec<NodeId> = threads.filter(is_idle).collect();
        idle_threads.sort_unstable();
        Waiting {
            idle_threads,
            ..waiting
        }
    }

    /// For a caller tree, given the waiting part of inclusive values.
    pub(super) fn of_nodes(within: Vec<Amount>) -> Waiting {
        let is_any = within.iter().any(|waited| waited.value > 0);
        Waiting {
            by_node: if is_any { within } else { Vec::new() },
            ..Waiting::default()
        }
    }

    pub fn is_none(&self) -> bool {
        self.nodes.is_empty() && self.by_node.is_empty()
    }

    /// In a node's inclusive value. O(log w) for w waiting nodes.
    pub fn within(&self, tree: &CallTree, node: NodeId) -> u64 {
        self.amount_within(tree, node).value
    }

    pub fn amount_within(&self, tree: &CallTree, node: NodeId) -> Amount {
        if let Some(&within) = self.by_node.get(node.index()) {
            return within;
        }
        self.before(tree.end(node)).without(self.before(node))
    }

    pub fn amounts(&self) -> impl Iterator<Item = (NodeId, Amount)> + '_ {
        let rows = self.nodes.iter().enumerate();
        rows.map(|(row, &node)| (node, self.sum_of(row + 1).without(self.sum_of(row))))
    }

    /// In a node's exclusive value: all or none of it, unless a step has merged nodes.
    pub fn own(&self, node: NodeId) -> u64 {
        self.own_amount(node).value
    }

    pub fn own_amount(&self, node: NodeId) -> Amount {
        let end = NodeId(node.0.saturating_add(1));
        self.before(end).without(self.before(node))
    }

    fn before(&self, node: NodeId) -> Amount {
        self.sum_of(self.nodes.partition_point(|&other| other < node))
    }

    fn sum_of(&self, nodes: usize) -> Amount {
        let last = nodes.checked_sub(1);
        last.map_or(Amount::default(), |last| self.sums[last])
    }

    pub(crate) fn in_order(&self) -> WaitingCursor<'_> {
        WaitingCursor {
            waiting: self,
            at: 0,
        }
    }

    pub fn is_idle(&self, thread: NodeId) -> bool {
        self.idle_threads.binary_search(&thread).is_ok()
    }
}

/// Looks up nodes in ascending order. Most have no waiting, which takes one comparison to find out.
pub(crate) struct WaitingCursor<'a> {
    waiting: &'a Waiting,
    at: usize,
}

impl WaitingCursor<'_> {
    /// In a node's inclusive and exclusive values. Nodes must be looked up in ascending order.
    pub(crate) fn look_up(&mut self, tree: &CallTree, node: NodeId) -> (Amount, Amount) {
        let Waiting { nodes, by_node, .. } = self.waiting;
        let none = Amount::default();
        if let Some(&within) = by_node.get(node.index()) {
            return (within, none);
        }
        while nodes.get(self.at).is_some_and(|&waits| waits < node) {
            self.at += 1;
        }
        let end = tree.end(node);
        let Some(&first) = nodes.get(self.at).filter(|&&waits| waits < end) else {
            return (none, none);
        };
        let before = self.waiting.sum_of(self.at);
        let after = self.at + nodes[self.at..].partition_point(|&waits| waits < end);
        let sum = |nodes| self.waiting.sum_of(nodes).without(before);
        let is_own = usize::from(first == node);
        (sum(after), sum(self.at + is_own))
    }
}
