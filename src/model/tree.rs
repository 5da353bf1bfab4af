use super::{Counts, FrameId, MetricId, NodeId, RecordedNode, TreeNode, columns};
use borsh::{BorshDeserialize, BorshSerialize};
use std::io::{Read, Result as IoResult, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A metric's values by node, in stored units; see [`crate::units::Unit`].
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Columns {
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub inclusive: Vec<u64>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub exclusive: Vec<u64>,
    /// Calls of a node, or samples at and below it; `None` if the source has no counts.
    pub counts: Option<Counts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Shape {
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub(super) frames: Vec<FrameId>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub(super) parents: Vec<u32>,
    #[borsh(skip)]
    pub(super) ends: Vec<u32>,
}

/// In preorder: the subtree of node `n` is `n..end(n)`. Siblings are ordered by inclusive value of the default metric,
/// then name, then input order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTree<N = NodeId> {
    pub(super) data: Arc<TreeData>,
    nodes: PhantomData<N>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeData {
    pub(super) shape: Shape,
    pub(super) columns: Vec<Columns>,
}

/// Stores only columns; [`crate::model::Recording::write`] stores the shapes first.
impl BorshSerialize for CallTree<RecordedNode> {
    fn serialize<W: Write>(&self, out: &mut W) -> IoResult<()> {
        self.data.columns.serialize(out)
    }
}

impl BorshDeserialize for CallTree<RecordedNode> {
    fn deserialize_reader<R: Read>(from: &mut R) -> IoResult<Self> {
        let columns = Vec::deserialize_reader(from)?;
        Ok(CallTree::new(TreeData {
            shape: Shape::default(),
            columns,
        }))
    }
}

impl CallTree<RecordedNode> {
    /// The whole recording's view has the same tree and node ids.
    pub(super) fn shown(&self) -> CallTree {
        CallTree {
            data: Arc::clone(&self.data),
            nodes: PhantomData,
        }
    }
}

impl<N: TreeNode> CallTree<N> {
    pub(super) fn new(data: TreeData) -> CallTree<N> {
        CallTree {
            data: Arc::new(data),
            nodes: PhantomData,
        }
    }

    #[allow(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.data.shape.frames.len()
    }

    pub(super) fn with_frames(&self, replace: impl Fn(FrameId) -> FrameId) -> CallTree<N> {
        let mut data = TreeData::clone(&self.data);
        for frame in &mut data.shape.frames {
            *frame = replace(*frame);
        }
        CallTree::new(data)
    }

    pub fn frame(&self, node: N) -> FrameId {
        self.data.shape.frames[node.row() as usize]
    }

    pub fn frames(&self) -> &[FrameId] {
        &self.data.shape.frames
    }

    pub fn parent(&self, node: N) -> Option<N> {
        (node != N::ROOT).then(|| N::new(self.data.shape.parents[node.row() as usize]))
    }

    pub fn end(&self, node: N) -> N {
        N::new(self.data.shape.ends[node.row() as usize])
    }

    pub fn range(&self, node: N) -> Range<usize> {
        node.row() as usize..self.end(node).row() as usize
    }

    pub fn size(&self, node: N) -> usize {
        self.range(node).len()
    }

    pub fn is_leaf(&self, node: N) -> bool {
        self.size(node) == 1
    }

    pub fn contains(&self, outer: N, inner: N) -> bool {
        self.range(outer).contains(&(inner.row() as usize))
    }

    pub fn children(&self, node: N) -> impl Iterator<Item = N> + '_ {
        let end = self.end(node);
        let mut next = N::new(node.row() + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.end(child);
                child
            })
        })
    }

    /// Nearest first, including the root.
    pub fn ancestors(&self, node: N) -> impl Iterator<Item = N> + '_ {
        std::iter::successors(self.parent(node), |&above| self.parent(above))
    }

    pub fn upward(&self, node: N) -> impl Iterator<Item = N> + '_ {
        std::iter::successors(Some(node), |&at| self.parent(at))
    }

    pub fn nodes(&self) -> impl ExactSizeIterator<Item = N> + use<N> {
        (0..self.len() as u32).map(N::new)
    }

    pub fn columns(&self, metric: MetricId) -> &Columns {
        &self.data.columns[metric.index()]
    }

    pub fn inclusive(&self, metric: MetricId, node: N) -> u64 {
        self.data.columns[metric.index()].inclusive[node.row() as usize]
    }

    pub fn exclusive(&self, metric: MetricId, node: N) -> u64 {
        self.data.columns[metric.index()].exclusive[node.row() as usize]
    }

    pub fn count(&self, metric: MetricId, node: N) -> Option<u64> {
        let counts = self.columns(metric).counts.as_ref();
        counts.map(|counts| counts.get(node.row() as usize))
    }

    /// Checks the invariants.
    #[cfg(test)]
    pub fn check(&self) -> Result<(), String> {
        let len = self.len();
        for (index, columns) in self.data.columns.iter().enumerate() {
            let counts = columns.counts.as_ref().map_or(len, Counts::len);
            if [columns.inclusive.len(), columns.exclusive.len(), counts] != [len; 3] {
                return Err(format!(
                    "a column of metric {index} does not have a row per node"
                ));
            }
            let mut values = columns.inclusive.iter().zip(&columns.exclusive);
            if let Some(node) = values.position(|(inclusive, exclusive)| inclusive < exclusive) {
                return Err(format!(
                    "node {node} has less inclusive than exclusive in metric {index}"
                ));
            }
        }
        self.data.shape.check()
    }
}

impl Shape {
    #[cfg(test)]
    fn check(&self) -> Result<(), String> {
        let len = self.frames.len();
        if self.parents.len() != len || self.ends.len() != len {
            return Err("a column of the tree's shape does not have a row per node".into());
        }
        if len == 0 || self.ends[0] as usize != len {
            return Err("the root does not span the tree".into());
        }
        // the innermost open node, and its end
        let (mut open, mut open_until) = (0, self.ends[0]);
        for ((node, &parent), &end) in (0..).zip(&self.parents).zip(&self.ends).skip(1) {
            if end <= node {
                return Err(format!("node {node} ends before it starts"));
            }
            // terminates, as the root ends after all nodes
            while open_until <= node {
                open = self.parents[open as usize];
                open_until = self.ends[open as usize];
            }
            if parent != open || end > open_until {
                return Err(format!("node {node} is not within its parent {parent}"));
            }
            (open, open_until) = (node, end);
        }
        Ok(())
    }

    pub(super) fn new(frames: Vec<FrameId>, parents: Vec<u32>) -> Shape {
        let mut shape = Shape {
            frames,
            parents,
            ends: Vec::new(),
        };
        shape.find_ends();
        shape
    }

    /// A subtree ends with the last callee's, or else before the next node. O(nodes).
    pub(super) fn find_ends(&mut self) {
        let mut ends: Vec<u32> = (1..=self.parents.len() as u32).collect();
        for node in (1..ends.len()).rev() {
            let caller = self.parents[node] as usize;
            ends[caller] = ends[caller].max(ends[node]);
        }
        self.ends = ends;
    }

    fn places(&self, frame_count: usize) -> Places {
        let frames = self.frames.iter().enumerate();
        let nodes = frames.map(|(row, frame)| (NodeId(row as u32), frame.index()));
        let (starts, nodes) = counting_sort(nodes, frame_count);
        Places { starts, nodes }
    }
}

/// Sorts rows by keys, which are indices. Returns where each group starts, and the rows of all groups.
pub fn counting_sort<T: Copy + Default>(
    rows: impl DoubleEndedIterator<Item = (T, usize)> + Clone,
    keys: usize,
) -> (Vec<u32>, Vec<T>) {
    let mut starts = vec![0u32; keys + 1];
    for (_, key) in rows.clone() {
        starts[key] += 1;
    }
    // first the end of each group, then filled backwards
    let mut end = 0;
    for start in &mut starts {
        end += *start;
        *start = end;
    }
    let mut grouped = vec![T::default(); end as usize];
    for (row, key) in rows.rev() {
        starts[key] -= 1;
        grouped[starts[key] as usize] = row;
    }
    (starts, grouped)
}

/// The nodes of each frame, in preorder. Computed on first use.
#[derive(Clone, Debug)]
pub struct Occurrences {
    tree: CallTree,
    frame_count: usize,
    places: OnceLock<Places>,
}

#[derive(Clone, Debug)]
struct Places {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Occurrences {
    pub fn new(tree: &CallTree, frame_count: usize) -> Occurrences {
        Occurrences {
            tree: tree.clone(),
            frame_count,
            places: OnceLock::new(),
        }
    }

    /// In preorder. O(1), but O(nodes + frames) the first time.
    pub fn of(&self, frame: FrameId) -> &[NodeId] {
        let Places { starts, nodes } = self.find();
        &nodes[starts[frame.index()] as usize..starts[frame.index() + 1] as usize]
    }

    pub fn which_occur(&self) -> Vec<bool> {
        let Some(Places { starts, .. }) = self.places.get() else {
            let mut which_occur = vec![false; self.frame_count];
            for frame in self.tree.frames() {
                which_occur[frame.index()] = true;
            }
            return which_occur;
        };
        starts.windows(2).map(|ends| ends[0] < ends[1]).collect()
    }

    pub fn prepare(&self) {
        self.find();
    }

    fn find(&self) -> &Places {
        self.places
            .get_or_init(|| self.tree.data.shape.places(self.frame_count))
    }
}

/// A placeholder for deserialization.
impl Default for Occurrences {
    fn default() -> Occurrences {
        Occurrences::new(&CallTree::new(TreeData::default()), 0)
    }
}

#[cfg(test)]
mod tests;
