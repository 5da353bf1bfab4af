//! The other view that was asked for.

use super::butterfly_parts::ButterflySubject;
use crate::model::{Measure, NodeId, ViewSpec};

/// What was asked for, while its answer is awaited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The view that these steps make; focuses are not among them.
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
