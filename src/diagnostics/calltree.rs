//! Diagnostics about call-tree JSON.

use super::define::diagnostics;
use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

diagnostics! {
    /// What is odd about call-tree JSON.
    pub enum CallTreeDiagnostic {
        /// Nodes have no name.
        NodesNameless { count: u64 } = "nodes-nameless",
            "{count} nodes have no name: they are shown as [No name]";
        /// Nodes are of a kind that is not known.
        NodeKindsUnknown {
            count: u64,
            /// The kind of the first.
            first: String,
        } = "node-kinds-unknown",
            "{count} nodes are of an unknown kind, such as {first:?}: they are read as methods";
        /// Several nodes have the same id.
        NodeIdsRepeated { ids: u64 } = "node-ids-repeated",
            "several nodes in the file share an id ({}): all are renumbered from n0",
            counted(*ids, "id");
    }
}
