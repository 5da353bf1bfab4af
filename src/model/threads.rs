//! The threads and processes of a tree.

use super::NodeId;

/// A thread in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread<N = NodeId> {
    /// The thread's root in the tree.
    pub node: N,
    /// Its id in the source, as text: the operating system's or the profiler's. May be empty.
    pub id: String,
    /// Its name; empty if it has none.
    pub name: String,
}

/// A process in a tree of several processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process<N = NodeId> {
    /// The root of the process, whose callees are its threads.
    pub node: N,
    /// Its process id.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
}

impl<N> Thread<N> {
    /// This thread at the node given by `place`.
    pub fn at<To>(self, place: impl Fn(N) -> To) -> Thread<To> {
        let Thread { node, id, name } = self;
        let node = place(node);
        Thread { node, id, name }
    }
}

impl<N> Process<N> {
    /// This process at the node given by `place`.
    pub fn at<To>(self, place: impl Fn(N) -> To) -> Process<To> {
        let Process { node, id, name } = self;
        let node = place(node);
        Process { node, id, name }
    }
}

/// The threads of a tree, in source order. Their subtrees are disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    rows: Vec<Thread>,
    by_node: Vec<u32>,
}

impl Threads {
    pub fn new(rows: Vec<Thread>) -> Threads {
        let mut by_node: Vec<u32> = (0..rows.len() as u32).collect();
        by_node.sort_by_key(|&row| rows[row as usize].node);
        Threads { rows, by_node }
    }

    /// The threads in node order, which is by value, largest first.
    pub fn by_value(&self) -> impl Iterator<Item = &Thread> {
        self.by_node.iter().map(|&row| &self.rows[row as usize])
    }

    /// The last thread in node order that does not come after `node`. O(log threads).
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
