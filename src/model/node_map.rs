use super::TreeNode;
use std::marker::PhantomData;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct NodeMap<From, To> {
    /// By node of the first tree, the row in the other, or [`NOWHERE`].
    rows: Arc<[u32]>,
    nodes: PhantomData<(From, To)>,
}

/// No tree has this many nodes.
const NOWHERE: u32 = u32::MAX;

impl<From: TreeNode, To: TreeNode> NodeMap<From, To> {
    pub fn from_pairs(len: usize, pairs: impl Iterator<Item = (From, Option<To>)>) -> Self {
        let mut rows = vec![NOWHERE; len];
        for (from, to) in pairs {
            rows[from.row() as usize] = to.map_or(NOWHERE, TreeNode::row);
        }
        NodeMap {
            rows: rows.into(),
            nodes: PhantomData,
        }
    }

    pub fn get(&self, node: From) -> Option<To> {
        let row = *self.rows.get(node.row() as usize)?;
        (row != NOWHERE).then(|| To::new(row))
    }

    pub fn then<Next: TreeNode>(&self, next: impl Fn(To) -> Option<Next>) -> NodeMap<From, Next> {
        let nodes = (0..self.rows.len() as u32).map(From::new);
        nodes.map(|node| next(self.get(node)?)).collect()
    }
}

impl<From, To: TreeNode> FromIterator<Option<To>> for NodeMap<From, To> {
    fn from_iter<I: IntoIterator<Item = Option<To>>>(nodes: I) -> Self {
        let row = |node: Option<To>| node.map_or(NOWHERE, TreeNode::row);
        NodeMap {
            rows: nodes.into_iter().map(row).collect(),
            nodes: PhantomData,
        }
    }
}
