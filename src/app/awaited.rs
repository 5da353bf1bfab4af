//! The pending request for another view.

use super::butterfly_parts::ButterflySubject;
use crate::model::{Measure, NodeId, ViewSpec};

/// A pending request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The view that these steps make, without focuses.
    Steps(ViewSpec),
    /// A tree of callers.
    CallerTree(ButterflySubject),
    /// The list of the methods of a subtree.
    Methods {
        /// The root of what was shown.
        root: NodeId,
        /// The subtree.
        within: NodeId,
        /// What rows are ordered by and percentages are of.
        measure: Measure,
    },
}
