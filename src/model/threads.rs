use super::NodeId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread<N = NodeId> {
    /// The thread's root in the tree.
    pub node: N,
    pub id: String,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process<N = NodeId> {
    pub node: N,
    pub id: u64,
    pub name: String,
}

impl<N> Thread<N> {
    pub fn at<To>(self, place: impl Fn(N) -> To) -> Thread<To> {
        let Thread { node, id, name } = self;
        let node = place(node);
        Thread { node, id, name }
    }
}

impl<N> Process<N> {
    pub fn at<To>(self, place: impl Fn(N) -> To) -> Process<To> {
        let Process { node, id, name } = self;
        let node = place(node);
        Process { node, id, name }
    }
}

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
        let is_before = |&row: &u32| self.rows[row as usize].node <= node;
        let after = self.by_node.partition_point(is_before);
        let row = *self.by_node[..after].last()?;
        Some(&self.rows[row as usize])
    }
}

impl std::ops::Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &[Thread] {
        &self.rows
    }
}
