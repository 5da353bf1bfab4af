//! Where the stacks of samples end.

use crate::model::{RawNode, SampleLog};

/// Where a node of the original tree has no place in the repaired one.
pub(super) const NOWHERE: RawNode = RawNode(u32::MAX);

/// Where the stack of a sample ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackEnd {
    /// Its node in the tree as it was recorded.
    pub node: RawNode,
    /// No stack of its own but a part of the one before or after it, see [`crate::model::SampleKind::is_rest`].
    pub is_rest: bool,
}

/// Where the stacks of samples end, by row.
pub(crate) trait StackEnds: Sync {
    fn row_count(&self) -> usize;

    /// The rows that have a stack, in order of time within each track.
    fn rows(&self) -> impl Iterator<Item = u32> + '_;

    /// Where the stack of a row ends.
    fn end(&self, row: u32) -> StackEnd;
}

impl StackEnds for SampleLog {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows_in_order()
    }

    #[inline]
    fn end(&self, row: u32) -> StackEnd {
        StackEnd {
            node: self.node(row),
            is_rest: self.kinds()[self.kind(row) as usize].is_rest,
        }
    }
}

impl StackEnds for Vec<StackEnd> {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        0..self.len() as u32
    }

    fn end(&self, row: u32) -> StackEnd {
        self[row as usize]
    }
}
