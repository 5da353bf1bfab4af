//! Trees of callers that lie over the tree, and what is known of their subject.

use crate::analysis::UpwardSums;
use crate::model::{FrameId, NodeId, View};
use std::sync::Arc;

/// What a tree of callers is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpwardSubject {
    /// All occurrences of a method within a subtree, as one.
    Method {
        /// The method.
        frame: FrameId,
        /// The subtree.
        within: NodeId,
    },
    /// A subtree inverted: each method with the time of its own, and its callers.
    Inverted {
        /// The subtree.
        within: NodeId,
    },
}

/// A row of a tree of callers: the frames from below its root outward.
pub type CallerPath = Arc<[FrameId]>;

/// A tree of callers, and what else is known of its subject.
#[derive(Clone)]
pub struct UpwardParts {
    /// What it is about.
    pub subject: UpwardSubject,
    /// The callers, upward: the root is the method, or that of the subtree that is inverted.
    pub callers: Arc<View>,
    /// What the outermost occurrences of a method call, as one tree whose root is the method.
    pub callees: Option<Arc<View>>,
    /// By metric: the threads with what the subject has in each, most first.
    pub threads: Vec<Vec<(String, UpwardSums)>>,
    /// By metric: what the subject has in all.
    pub sums: Vec<UpwardSums>,
    /// How many occurrences it has.
    pub occurrences: usize,
    /// How many of them lie within others: recursion, which counts once.
    pub inner_occurrences: usize,
    /// The occurrence with the largest inclusive value of the first metric.
    pub heaviest: NodeId,
}
