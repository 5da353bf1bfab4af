use crate::model::{RawNode, SampleLog};

pub(super) const NOWHERE: RawNode = RawNode(u32::MAX);

#[derive(Clone, Copy, Debug)]
pub(super) struct StackEnd {
    pub node: RawNode,
    /// See [`crate::model::SampleKind::is_rest`].
    pub is_rest: bool,
}

impl StackEnd {
    #[inline]
    pub(super) fn of(log: &SampleLog, row: u32) -> StackEnd {
        StackEnd {
            node: log.node(row),
            is_rest: log.kinds[log.kind(row) as usize].is_rest,
        }
    }
}
