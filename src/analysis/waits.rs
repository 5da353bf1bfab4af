//! Breaks down waiting by the user code that waits and the method that it waits in.

use super::Nearest;
use super::cautions::waiting_methods;
use crate::model::{FrameId, MetricId, NodeId, View};
use crate::names::{Category, FrameKind};
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The nearest user code above; `None` if there is none, as in idle pool threads.
    pub user: Option<FrameId>,
    /// The method that the user code calls to wait, or else the wait itself.
    pub wait: FrameId,
    /// The method below that in which it waits longest or, if it never waits, spins most.
    pub leaf: FrameId,
    pub waiting: u64,
    /// The CPU time of waits and spins, in stored units.
    pub on_cpu: u64,
    /// Longest first.
    pub threads: Vec<(NodeId, u64)>,
    /// The node of `wait` in which it waits longest; its caller is `user`, if there is any.
    pub node: NodeId,
}

/// Longest first: those of user code, then the rest. `cpu` is the metric in which waits and spins count as running.
pub fn waits(view: &View, within: NodeId, waiting: MetricId, cpu: Option<MetricId>) -> Vec<Wait> {
    let amounts = view.waiting(waiting).amounts();
    let amounts = amounts.map(|(node, waited)| (node, waited.value, 0));
    let spins = cpu.into_iter().flat_map(|cpu| {
        let nodes = waiting_methods(view).into_iter();
        let nodes = nodes.flat_map(|frame| view.occurrences.of(frame));
        nodes.map(move |&node| {
            let value = view.tree.exclusive(cpu, node);
            // if both are one metric, waiting may include spins
            let waited = match cpu == waiting {
                true => view.waiting(cpu).own(node),
                false => 0,
            };
            (node, 0, value.saturating_sub(waited))
        })
    });
    let mut callees_of_users = Nearest::new(view, is_called_by_user_code);
    let mut row_of: HashMap<(Option<FrameId>, Option<FrameId>), usize> = HashMap::new();
    let mut rows: Vec<OpenWait> = Vec::new();
    for (node, amount, on_cpu) in amounts.chain(spins) {
        if amount + on_cpu == 0 || !view.tree.contains(within, node) {
            continue;
        }
        let called = callees_of_users.from(node);
        let user = called.and_then(|called| view.tree.parent(called));
        let user = user.map(|user| view.tree.frame(user));
        let called = called.unwrap_or(node);
        let wait = view.tree.frame(called);
        // dotTrace's threads wait by themselves; all of them form one row
        let method = Some(wait).filter(|&wait| view.frames.get(wait).kind != FrameKind::Thread);
        let at = *row_of.entry((user, method)).or_insert_with(|| {
            let row = Wait {
                user,
                wait,
                leaf: wait,
                waiting: 0,
                on_cpu: 0,
                threads: Vec::new(),
                node: called,
            };
            rows.push(OpenWait {
                row,
                threads: HashMap::new(),
                leaves: HashMap::new(),
                largest: 0,
            });
            rows.len() - 1
        });
        rows[at].add(view, (node, called), amount, on_cpu);
    }
    let mut rows: Vec<Wait> = rows.into_iter().map(OpenWait::finish).collect();
    rows.sort_by_key(|row| {
        let weight = Reverse((row.waiting, row.on_cpu));
        (row.user.is_none(), weight, row.node)
    });
    rows
}

struct OpenWait {
    row: Wait,
    threads: HashMap<NodeId, u64>,
    leaves: HashMap<FrameId, (u64, u64)>,
    largest: u64,
}

impl OpenWait {
    fn add(&mut self, view: &View, (node, called): (NodeId, NodeId), amount: u64, on_cpu: u64) {
        let leaf = self.leaves.entry(view.tree.frame(node)).or_default();
        leaf.0 = leaf.0.saturating_add(amount);
        leaf.1 = leaf.1.saturating_add(on_cpu);
        let row = &mut self.row;
        row.waiting = row.waiting.saturating_add(amount);
        row.on_cpu = row.on_cpu.saturating_add(on_cpu);
        if amount > self.largest {
            (self.largest, row.node) = (amount, called);
        }
        if let Some(thread) = view.thread_of(node) {
            let sum = self.threads.entry(thread.node).or_default();
            *sum = sum.saturating_add(amount);
        }
    }

    fn finish(self) -> Wait {
        let mut row = self.row;
        let leaves = self.leaves.into_iter();
        let hottest = leaves.max_by_key(|&(frame, weight)| (weight, Reverse(frame)));
        row.leaf = hottest.map_or(row.wait, |(frame, _)| frame);
        row.threads = self.threads.into_iter().collect();
        let order = |&(thread, waiting): &(NodeId, u64)| (Reverse(waiting), thread);
        row.threads.sort_unstable_by_key(order);
        row
    }
}

fn is_called_by_user_code(view: &View, node: NodeId) -> bool {
    let caller = view.tree.parent(node);
    caller.is_some_and(|caller| view.frame(caller).category == Category::User)
}

#[cfg(test)]
mod tests;
