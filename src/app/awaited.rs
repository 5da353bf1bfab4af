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

/// What is awaited.
#[derive(Default)]
pub(super) struct Pending {
    /// The other view that was asked for. There is at most one: a new request replaces the previous one.
    pub view: Option<Awaited>,
    /// How far it is, in percent, once that has taken a while.
    pub percent: Option<u8>,
    /// The file that is being written.
    pub file: Option<String>,
    /// How many notes are being written.
    pub notes: usize,
    /// Whether dotspot leaves when all is written.
    pub leaves_when_written: bool,
}

impl Pending {
    pub(super) fn is_writing(&self) -> bool {
        self.file.is_some() || self.notes > 0
    }
}
