//! Diagnostics about call-tree JSON.

use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// What is odd about call-tree JSON.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum CallTreeDiagnostic {
    /// Nodes have no name.
    NodesNameless {
        /// How many.
        count: u64,
    },
    /// Nodes are of a kind that is not known.
    NodeKindsUnknown {
        /// How many.
        count: u64,
        /// The kind of the first.
        first: String,
    },
    /// Several nodes have the same id.
    NodeIdsRepeated { ids: u64 },
}

impl CallTreeDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            CallTreeDiagnostic::NodesNameless { .. } => "nodes-nameless",
            CallTreeDiagnostic::NodeKindsUnknown { .. } => "node-kinds-unknown",
            CallTreeDiagnostic::NodeIdsRepeated { .. } => "node-ids-repeated",
        }
    }
}

impl fmt::Display for CallTreeDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallTreeDiagnostic::NodesNameless { count } => {
                write!(f, "{count} nodes have no name: they are shown as [No name]")
            }
            CallTreeDiagnostic::NodeKindsUnknown { count, first } => {
                write!(
                    f,
                    "{count} nodes are of an unknown kind, such as {first:?}: they are read as methods"
                )
            }
            CallTreeDiagnostic::NodeIdsRepeated { ids } => {
                let ids = counted(*ids, "id");
                write!(
                    f,
                    "several nodes in the file share an id ({ids}): all are renumbered from n0"
                )
            }
        }
    }
}
