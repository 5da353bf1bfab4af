//! The call tree: immutable columns in preorder.

use super::{Counts, FrameId, MetricId, NodeId, columns};
use crate::model::messages;
use borsh::{BorshDeserialize, BorshSerialize};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The values of one metric, a row per node. Values are stored steps, see [`crate::units::Unit`].
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Columns {
    /// With callees.
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub inclusive: Vec<u64>,
    /// Without callees.
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub exclusive: Vec<u64>,
    /// Calls of this node, or samples at and below it, as the metric says; `None` where the source has no counts.
    pub counts: Option<Counts>,
}

/// What nodes a call tree has, and which of them called which.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Shape {
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub(super) frames: Vec<FrameId>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    pub(super) parents: Vec<NodeId>,
    /// Not kept: see [`Shape::find_ends`].
    #[borsh(skip)]
    pub(super) ends: Vec<NodeId>,
}

/// A call tree in preorder: the subtree of node `n` is the range `n..end(n)`.
///
/// Siblings are ordered by inclusive value of the default metric, largest first; ties by name, then by input order.
/// No operation recurses: trees may be a million frames deep.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct CallTree {
    /// Recordings are kept with the shapes of their trees before all else.
    #[borsh(skip)]
    pub(super) shape: Shape,
    pub(super) columns: Vec<Columns>,
}

impl CallTree {
    /// How many nodes there are; at least one, the root.
    #[allow(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.shape.frames.len()
    }

    pub fn frame(&self, node: NodeId) -> FrameId {
        self.shape.frames[node.index()]
    }

    /// The frames of all nodes in preorder.
    pub fn frames(&self) -> &[FrameId] {
        &self.shape.frames
    }

    /// The caller's node; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != NodeId::ROOT).then(|| self.shape.parents[node.index()])
    }

    /// One past the last node of the subtree of `node`.
    pub fn end(&self, node: NodeId) -> NodeId {
        self.shape.ends[node.index()]
    }

    /// The subtree of `node` as a range of rows.
    pub fn range(&self, node: NodeId) -> Range<usize> {
        node.index()..self.end(node).index()
    }

    /// The number of nodes in the subtree of `node`, itself included.
    pub fn size(&self, node: NodeId) -> usize {
        self.range(node).len()
    }

    /// Whether nothing is called from this node.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.size(node) == 1
    }

    /// Whether `inner` lies in the subtree of `outer`; a node contains itself.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        self.range(outer).contains(&inner.index())
    }

    /// The direct callees of a node, in stored order.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(node);
        let mut next = NodeId(node.0 + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.end(child);
                child
            })
        })
    }

    /// The callers of a node, nearest first, up to and with the root. O(depth) when walked to its end.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |&above| self.parent(above))
    }

    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    pub fn columns(&self, metric: MetricId) -> &Columns {
        &self.columns[metric.index()]
    }

    /// How many metrics there are columns for.
    pub fn metric_count(&self) -> usize {
        self.columns.len()
    }

    /// The value of a node with callees, in stored steps.
    pub fn inclusive(&self, metric: MetricId, node: NodeId) -> u64 {
        self.columns[metric.index()].inclusive[node.index()]
    }

    /// The value of a node without callees, in stored steps.
    pub fn exclusive(&self, metric: MetricId, node: NodeId) -> u64 {
        self.columns[metric.index()].exclusive[node.index()]
    }

    /// The calls or samples of a node; `None` where the metric has none.
    pub fn count(&self, metric: MetricId, node: NodeId) -> Option<u64> {
        self.columns[metric.index()]
            .counts
            .as_ref()
            .map(|counts| counts.get(node.index()))
    }

    /// What is wrong with the tree; `Ok` for every tree that a builder made. O(nodes).
    pub fn check(&self) -> Result<(), String> {
        let len = self.len();
        for (
            index,
            Columns {
                inclusive,
                exclusive,
                counts,
            },
        ) in self.columns.iter().enumerate()
        {
            let is_long = counts.as_ref().is_none_or(|counts| counts.len() == len);
            if inclusive.len() != len || exclusive.len() != len || !is_long {
                return Err(messages::metric_column_length(&index));
            }
            if let Some(node) = inclusive
                .iter()
                .zip(exclusive)
                .position(|(with, without)| with < without)
            {
                return Err(messages::inclusive_below_exclusive(&node, &index));
            }
        }
        self.shape.check()
    }
}

impl Shape {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        let len = self.frames.len();
        if self.parents.len() != len || self.ends.len() != len {
            return Err(messages::SHAPE_COLUMN_LENGTH.into());
        }
        if len == 0 || self.ends[0].index() != len {
            return Err(messages::ROOT_DOES_NOT_SPAN_TREE.into());
        }
        // the innermost node that is open, and where it ends
        let (mut open, mut open_until) = (NodeId::ROOT, self.ends[0]);
        for ((index, &parent), &end) in self.parents.iter().enumerate().zip(&self.ends).skip(1) {
            let node = NodeId::at(index);
            if end <= node {
                return Err(messages::node_ends_before_starts(&node.0));
            }
            // the root ends behind all nodes
            while open_until <= node {
                open = self.parents[open.index()];
                open_until = self.ends[open.index()];
            }
            if parent != open || end > open_until {
                return Err(messages::node_not_within_parent(&node.0, &parent.0));
            }
            (open, open_until) = (node, end);
        }
        Ok(())
    }

    /// Finds where subtrees end from who called whom. O(nodes).
    pub(super) fn find_ends(&mut self) {
        // the sizes of subtrees at first
        let mut ends = vec![NodeId(1); self.frames.len()];
        for node in (1..ends.len()).rev() {
            let size = ends[node].0;
            ends[self.parents[node].index()].0 += size;
        }
        for (node, end) in ends.iter_mut().enumerate() {
            end.0 += node as u32;
        }
        self.ends = ends;
    }

    /// The nodes of `frame_count` frames, by a counting sort. O(nodes + frames).
    fn places(&self, frame_count: usize) -> Places {
        let mut starts = vec![0u32; frame_count + 1];
        for frame in &self.frames {
            starts[frame.index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut nodes = vec![NodeId::ROOT; self.frames.len()];
        for (index, frame) in self.frames.iter().enumerate() {
            let slot = &mut next[frame.index()];
            nodes[*slot as usize] = NodeId::at(index);
            *slot += 1;
        }
        Places { starts, nodes }
    }
}

/// Where in a tree each frame occurs: for every frame its nodes, in preorder. They are found when they are first asked for: many
/// questions never do.
#[derive(Clone, Debug)]
pub struct Occurrences {
    tree: Arc<CallTree>,
    frame_count: usize,
    places: OnceLock<Places>,
}

/// The nodes of all frames, one frame after the other.
#[derive(Clone, Debug)]
struct Places {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Occurrences {
    /// The index of a tree with `frame_count` frames.
    pub fn new(tree: &Arc<CallTree>, frame_count: usize) -> Occurrences {
        Occurrences {
            tree: Arc::clone(tree),
            frame_count,
            places: OnceLock::new(),
        }
    }

    /// The nodes of a frame, in preorder. O(1) once they were found, which takes O(nodes + frames), and four bytes a node.
    pub fn of(&self, frame: FrameId) -> &[NodeId] {
        let Places { starts, nodes } = self.find();
        &nodes[starts[frame.index()] as usize..starts[frame.index() + 1] as usize]
    }

    /// Whether each frame occurs. O(frames) once the nodes were found, O(nodes + frames) before.
    pub fn are_there(&self) -> Vec<bool> {
        let Some(Places { starts, .. }) = self.places.get() else {
            let mut are_there = vec![false; self.frame_count];
            self.tree
                .frames()
                .iter()
                .for_each(|frame| are_there[frame.index()] = true);
            return are_there;
        };
        starts.windows(2).map(|ends| ends[0] < ends[1]).collect()
    }

    /// Finds them now, for those who can't wait later.
    pub fn prepare(&self) {
        self.find();
    }

    fn find(&self) -> &Places {
        self.places
            .get_or_init(|| self.tree.shape.places(self.frame_count))
    }
}

/// Placeholder while deserialising.
impl Default for Occurrences {
    fn default() -> Occurrences {
        let tree = CallTree {
            shape: Shape::default(),
            columns: Vec::new(),
        };
        Occurrences::new(&Arc::new(tree), 0)
    }
}

#[cfg(test)]
mod tests;
