//! What is known of a method as one thing.

use crate::analysis::UpwardSums;
use crate::model::{FrameId, NodeId, View};
use std::sync::Arc;

/// A method whose occurrences within a subtree are taken as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodWithin {
    /// The method.
    pub frame: FrameId,
    /// The subtree.
    pub within: NodeId,
}

/// A method as one thing: its callers, its callees, its threads.
pub struct MethodParts {
    /// Which method.
    pub method: MethodWithin,
    /// Its callers, upward: the root is the method.
    pub callers: Arc<View>,
    /// What its outermost occurrences call, as one tree: the root is the method.
    pub callees: Arc<View>,
    /// By metric: the threads with what the method has in each, most first.
    pub threads: Vec<Vec<(NodeId, UpwardSums)>>,
    /// By metric: what the method has in all.
    pub sums: Vec<UpwardSums>,
    /// How many occurrences it has.
    pub occurrences: usize,
    /// How many of them lie within others: recursion, which counts once.
    pub inner_occurrences: usize,
    /// The occurrence with the largest inclusive value of the first metric.
    pub heaviest: NodeId,
}
