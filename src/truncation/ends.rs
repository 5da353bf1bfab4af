//! Where the stacks of samples end.

use crate::model::{RawNode, SampleLog};

/// Where a node of the original tree has no place in the repaired one.
pub(super) const NOWHERE: RawNode = RawNode(u32::MAX);

/// Where the stack of a sample ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEnd {
    /// Its node in the tree as it was recorded.
    pub node: RawNode,
    /// No stack of its own but a part of the one before or after it, see [`crate::model::SampleKind::is_rest`].
    pub is_rest: bool,
}

impl StackEnd {
    /// Where the stack of a row of a log ends.
    #[inline]
    pub(super) fn of(log: &SampleLog, row: u32) -> StackEnd {
        StackEnd {
            node: log.node(row),
            is_rest: log.kinds()[log.kind(row) as usize].is_rest,
        }
    }
}
