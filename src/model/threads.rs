use super::{CallTree, NodeId, TreeNode};
use borsh::{BorshDeserialize, BorshSerialize};

/// A thread or process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOwner<Id, N> {
    pub node: N,
    pub id: Id,
    pub name: String,
}

pub type Thread<N = NodeId> = NodeOwner<String, N>;
pub type Process<N = NodeId> = NodeOwner<u64, N>;

impl<Id, N> NodeOwner<Id, N> {
    pub fn at<To>(self, place: impl Fn(N) -> To) -> NodeOwner<Id, To> {
        let NodeOwner { node, id, name } = self;
        let node = place(node);
        NodeOwner { node, id, name }
    }
}

/// The roots of disjoint subtrees, such as threads or processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SubtreeRoots<N = NodeId> {
    pub(super) nodes: Vec<N>,
    /// Indices in `nodes`, in node order.
    by_node: Vec<u32>,
}

impl<N: TreeNode> SubtreeRoots<N> {
    pub fn new(nodes: Vec<N>) -> SubtreeRoots<N> {
        let mut by_node: Vec<u32> = (0..nodes.len() as u32).collect();
        by_node.sort_by_key(|&row| nodes[row as usize]);
        SubtreeRoots { nodes, by_node }
    }

    pub fn find(&self, tree: &CallTree<N>, node: N) -> Option<usize> {
        let is_before = |&row: &u32| self.nodes[row as usize] <= node;
        let after = self.by_node.partition_point(is_before);
        let row = *self.by_node[..after].last()? as usize;
        tree.contains(self.nodes[row], node).then_some(row)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    rows: Vec<Thread>,
    roots: SubtreeRoots,
}

impl Threads {
    pub fn new(rows: Vec<Thread>) -> Threads {
        let roots = SubtreeRoots::new(rows.iter().map(|thread| thread.node).collect());
        Threads { rows, roots }
    }

    /// In node order, which is by value, largest first.
    pub fn by_value(&self) -> impl Iterator<Item = &Thread> {
        let rows = self.roots.by_node.iter();
        rows.map(|&row| &self.rows[row as usize])
    }

    pub(super) fn find(&self, tree: &CallTree, node: NodeId) -> Option<&Thread> {
        self.roots.find(tree, node).map(|row| &self.rows[row])
    }
}

impl std::ops::Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &[Thread] {
        &self.rows
    }
}
