//! Checks of what was read back from where it was kept.

use super::{CallTree, NodeId};

/// A sentence unless something holds.
pub(super) fn ensure(holds: bool, problem: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem.into()) }
}

/// Whether these are nodes of a tree.
pub(super) fn are_nodes(nodes: &[NodeId], tree: &CallTree) -> bool {
    nodes.iter().all(|node| node.index() < tree.len())
}
