//! The framing of version 6: blocks, each preceded by its kind and size.
//!
//! Source of the format: `NetTraceFormat.md` in microsoft/perfview. Label lists are skipped: they contain activity ids
//! and the like, which the tree does not need.

use super::events::{self, EventContent};
use super::framing::{BlockResult, StopReason, StreamEnding, no_header};
use super::recording::{NettraceRecording, TraceHeader};
use super::threads::IndexedThread;
use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::ImportError;
use crate::input::cursor::Cursor;

const END_OF_STREAM: u8 = 0;
const TRACE: u8 = 1;
const EVENTS: u8 = 2;
const METADATA: u8 = 3;
const SEQUENCE_POINT: u8 = 4;
const STACKS: u8 = 5;
const THREADS: u8 = 6;
const REMOVED_THREADS: u8 = 7;

/// The flag of a sequence point after which indices refer to other threads.
const FORGETS_THREADS: u32 = 1;
/// The flag of a sequence point after which ids refer to other kinds of events.
const FORGETS_METADATA: u32 = 2;

/// Reads all blocks of a file, after what precedes them. Also returns the number of bytes read.
///
/// # Errors
/// Cancelled; the file can't be read; it does not start with a valid Trace block.
pub(super) fn read(stream: Stream) -> Result<(NettraceRecording, StreamEnding, u64), ImportError> {
    let mut blocks = V6Blocks {
        stream,
        content: Vec::new(),
    };
    let mut recording = match blocks.trace() {
        Ok(header) => NettraceRecording::of_machine(header),
        Err(StopReason::Failed(error)) => return Err(error),
        Err(StopReason::Ended(ending)) => return Err(no_header(&blocks.stream, ending).into()),
    };
    loop {
        match blocks.block(&mut recording) {
            Ok(()) => blocks.stream.progress().at(0)?,
            Err(StopReason::Failed(error)) => return Err(error),
            Err(StopReason::Ended(ending)) => return Ok((recording, ending, blocks.stream.offset)),
        }
    }
}

struct V6Blocks {
    stream: Stream,
    /// The content of the block being read.
    content: Vec<u8>,
}

/// A block whose content was read, as far as it is present.
struct Block {
    kind: u8,
    /// Of its content.
    offset: u64,
    is_cut: bool,
}

impl V6Blocks {
    /// Reads the next block.
    fn next(&mut self) -> Result<Block, StopReason> {
        let Some(word) = self.stream.u32()? else {
            return Err(self.cut());
        };
        let (size, kind) = ((word & 0xff_ffff) as usize, (word >> 24) as u8);
        let offset = self.stream.offset;
        self.stream.read(size, &mut self.content)?;
        Ok(Block {
            kind,
            offset,
            is_cut: self.content.len() < size,
        })
    }

    fn cut(&self) -> StopReason {
        let at = self.stream.offset;
        StopReason::Ended(StreamEnding::Cut { at })
    }

    /// Reads the first block.
    fn trace(&mut self) -> Result<TraceHeader, StopReason> {
        let block = self.next()?;
        let damaged = |problem: String| {
            let failure = self
                .stream
                .failure(problem)
                .at(block.offset.saturating_sub(4));
            StopReason::Ended(StreamEnding::Damaged(Box::new(failure)))
        };
        if block.kind != TRACE {
            return Err(damaged(messages::no_trace_block(&block.kind)));
        }
        if block.is_cut {
            return Err(self.cut());
        }
        TraceHeader::parse_with_pairs(&self.content).map_err(damaged)
    }

    /// Reads the next block and its content.
    fn block(&mut self, recording: &mut NettraceRecording) -> Result<(), StopReason> {
        let block = self.next()?;
        let content = &self.content;
        let damage = match block.kind {
            END_OF_STREAM => return Err(StopReason::Ended(StreamEnding::Complete)),
            EVENTS => events::read_block(content, recording, EventContent::IndexedEvents),
            METADATA => recording.metadata.read_block(content),
            SEQUENCE_POINT => read_sequence_point(content, recording).map_err(|()| 0),
            STACKS => recording.stacks.read_block(content),
            THREADS => read_threads(content, recording),
            REMOVED_THREADS => read_removed_threads(content, recording),
            // labels and later kinds
            _ => Ok(()),
        };
        if block.is_cut {
            // missing data at its end is not separate damage
            return Err(self.cut());
        }
        if let Err(at) = damage {
            recording.note_damage(block.offset + at as u64, name(block.kind));
        }
        Ok(())
    }
}

/// The name of a kind of block in the format's description.
fn name(kind: u8) -> &'static str {
    match kind {
        EVENTS => "EventBlock",
        METADATA => "MetadataBlock",
        SEQUENCE_POINT => "SequencePointBlock",
        STACKS => "StackBlock",
        THREADS => "ThreadBlock",
        REMOVED_THREADS => "RemoveThreadBlock",
        _ => "",
    }
}

/// Reads a sequence point: how many events each thread has sent so far, and what is reset here.
fn read_sequence_point(content: &[u8], recording: &mut NettraceRecording) -> Result<(), ()> {
    let mut cursor = Cursor::new(content);
    let mut flags = 0;
    let mut threads = || -> Option<()> {
        cursor.u64()?;
        flags = cursor.u32()?;
        for _ in 0..cursor.u32()? {
            let thread = cursor.varuint()?;
            recording.losses.sequence_point(thread, cursor.varuint32()?);
        }
        Some(())
    };
    let read = threads();
    recording.sequence_point();
    if flags & FORGETS_THREADS != 0 {
        recording.forget_threads();
    }
    if flags & FORGETS_METADATA != 0 {
        recording.metadata.forget();
    }
    read.ok_or(())
}

/// Reads descriptions of threads, one per row.
fn read_threads(content: &[u8], recording: &mut NettraceRecording) -> BlockResult {
    let mut cursor = Cursor::new(content);
    let mut result = Ok(());
    while !cursor.is_at_end() {
        let start = cursor.position();
        let mut row = || {
            let bytes = cursor.u16()?;
            cursor.take(usize::from(bytes))
        };
        // its size is known, so the rest of the block can still be read
        match IndexedThread::read(row().ok_or(start)?) {
            Some((index, thread)) => recording.threads.add(index, thread),
            None => result = result.and(Err(start)),
        }
    }
    result
}

/// Reads the indices that no longer refer to a thread, and how many events those threads sent.
fn read_removed_threads(content: &[u8], recording: &mut NettraceRecording) -> BlockResult {
    let mut cursor = Cursor::new(content);
    while !cursor.is_at_end() {
        let start = cursor.position();
        let mut pair = || Some((cursor.varuint()?, cursor.varuint32()?));
        let (index, sequence) = pair().ok_or(start)?;
        recording.remove_thread(index, sequence);
    }
    Ok(())
}
