//! The threads and processes of a tree.

use super::NodeId;

/// A thread in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread<N = NodeId> {
    /// The thread's root in the tree.
    pub node: N,
    /// The number that the source gives it, as text: an operating system's id or a profiler's number. May be empty.
    pub id: String,
    /// Its name; empty if it has none.
    pub name: String,
}

/// A process in a tree of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process<N = NodeId> {
    /// The root of the process, whose callees are its threads.
    pub node: N,
    /// Its number.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
}

impl<N> Thread<N> {
    /// This thread at the node that `place` says.
    pub(super) fn at<To>(self, place: impl Fn(N) -> To) -> Thread<To> {
        let Thread { node, id, name } = self;
        let node = place(node);
        Thread { node, id, name }
    }
}

impl<N> Process<N> {
    /// This process at the node that `place` says.
    pub(super) fn at<To>(self, place: impl Fn(N) -> To) -> Process<To> {
        let Process { node, id, name } = self;
        let node = place(node);
        Process { node, id, name }
    }
}

/// The threads of a tree, in the order of the source. Their subtrees are disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    rows: Vec<Thread>,
    by_node: Vec<u32>,
}

impl Threads {
    /// These threads.
    pub fn new(rows: Vec<Thread>) -> Threads {
        let mut by_node: Vec<u32> = (0..rows.len() as u32).collect();
        by_node.sort_by_key(|&row| rows[row as usize].node);
        Threads { rows, by_node }
    }

    /// The threads in the order of their nodes, which is by value, largest first.
    pub fn by_value(&self) -> impl Iterator<Item = &Thread> {
        self.by_node.iter().map(|&row| &self.rows[row as usize])
    }

    /// The last thread in the order of nodes that does not come after `node`. O(log threads).
    pub(super) fn last_until(&self, node: NodeId) -> Option<&Thread> {
        let after = self
            .by_node
            .partition_point(|&row| self.rows[row as usize].node <= node);
        self.by_node[..after]
            .last()
            .map(|&row| &self.rows[row as usize])
    }
}

impl std::ops::Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &[Thread] {
        &self.rows
    }
}
