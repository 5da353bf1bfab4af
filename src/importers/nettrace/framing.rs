//! Shared by both framings: blocks, damaged ones, events.

use crate::importers::messages;
use crate::importers::stream::{Ending, Stream};
use crate::input::cursor::Cursor;
use crate::input::{Failure, ImportError};

pub(super) enum StopReason {
    Failed(ImportError),
    Ended(Ending),
}

impl From<ImportError> for StopReason {
    fn from(error: ImportError) -> StopReason {
        StopReason::Failed(error)
    }
}

/// An error is the offset where a block is damaged; everything before it was read.
pub(super) type BlockResult = Result<(), usize>;

pub(super) struct BlockReader {
    pub stream: Stream,
    pub content: Vec<u8>,
}

impl BlockReader {
    pub(super) fn cut(&self) -> StopReason {
        let at = self.stream.offset;
        StopReason::Ended(Ending::Cut { at })
    }

    pub(super) fn u32(&mut self) -> Result<u32, StopReason> {
        self.stream.u32()?.ok_or_else(|| self.cut())
    }
}

pub(super) fn damaged(at: u64, problem: String) -> StopReason {
    StopReason::Ended(Ending::Damaged { at, problem })
}

pub(super) fn header_cut(stream: &Stream, at: u64) -> Failure {
    let failure = stream.failure(messages::RECORDING_ENDS_IN_HEADER).at(at);
    failure.advice(messages::STOPPED_TOO_EARLY)
}

/// Passes each row to `visit`, which returns `None` if it can't be decoded; `next` takes it from the block.
pub(super) fn each_row<'a, Row>(
    cursor: &mut Cursor<'a>,
    mut next: impl FnMut(&mut Cursor<'a>) -> Option<Row>,
    mut visit: impl FnMut(Row) -> Option<()>,
) -> BlockResult {
    let mut result = Ok(());
    while !cursor.is_at_end() {
        let start = cursor.position();
        let row = next(cursor).ok_or(start)?;
        // its size is known, so the rest can still be read
        if visit(row).is_none() {
            result = result.and(Err(start));
        }
    }
    result
}

pub(super) fn sized_row<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let bytes = cursor.u16()?;
    cursor.take(bytes.into())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EventHeader {
    pub metadata_id: u32,
    /// Among those of a capture thread, from 1; 0 in metadata blocks.
    pub sequence: u32,
    /// The thread that wrote the event: the operating system's id or, in version 6, an index.
    pub capture_thread: u64,
    /// The thread that the event is about, likewise.
    pub thread: u64,
    /// Since the last sequence point; 0 for none.
    pub stack: u32,
    /// In ticks of the recording's clock.
    pub timestamp: u64,
    pub payload_bytes: u32,
}
