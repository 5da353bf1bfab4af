//! The framing of version 6: blocks, each preceded by its kind and size.
//!
//! Source: `NetTraceFormat.md` in microsoft/perfview. Label lists are skipped: they contain activity ids and the like.

use super::events::{self, EventContent};
use super::framing::{BlockReader, BlockResult, StopReason, damaged, each_row};
use super::recording::{NettraceRecording, TraceHeader};
use super::threads::IndexedThread;
use crate::importers::messages;
use crate::importers::stream::Ending;
use crate::input::cursor::Cursor;

const END_OF_STREAM: u8 = 0;
const TRACE: u8 = 1;

const FORGETS_THREADS: u32 = 1;
const FORGETS_METADATA: u32 = 2;

struct Block {
    kind: u8,
    offset: u64,
    is_cut: bool,
}

impl BlockReader {
    fn next(&mut self) -> Result<Block, StopReason> {
        let word = self.u32()?;
        let (size, kind) = ((word & 0xff_ffff) as usize, (word >> 24) as u8);
        let offset = self.stream.offset;
        self.stream.read(size, &mut self.content)?;
        Ok(Block {
            kind,
            offset,
            is_cut: self.content.len() < size,
        })
    }

    pub(super) fn trace_block(&mut self) -> Result<TraceHeader, StopReason> {
        let block = self.next()?;
        let at = block.offset.saturating_sub(4);
        if block.kind != TRACE {
            return Err(damaged(at, messages::no_trace_block(&block.kind)));
        }
        if block.is_cut {
            return Err(self.cut());
        }
        TraceHeader::parse_with_pairs(&self.content).map_err(|problem| damaged(at, problem))
    }

    pub(super) fn block(&mut self, recording: &mut NettraceRecording) -> Result<(), StopReason> {
        let block = self.next()?;
        let content = &self.content;
        let (name, damage) = match block.kind {
            END_OF_STREAM => return Err(StopReason::Ended(Ending::Complete)),
            2 => (
                "EventBlock",
                events::read_block(content, recording, EventContent::IndexedEvents),
            ),
            3 => ("MetadataBlock", recording.metadata.read_block(content)),
            4 => (
                "SequencePointBlock",
                read_sequence_point(content, recording),
            ),
            5 => ("StackBlock", recording.stacks.read_block(content)),
            6 => ("ThreadBlock", read_threads(content, recording)),
            7 => (
                "RemoveThreadBlock",
                read_removed_threads(content, recording),
            ),
            // labels and later kinds
            _ => ("", Ok(())),
        };
        if block.is_cut {
            // missing data at its end is not separate damage
            return Err(self.cut());
        }
        if let Err(at) = damage {
            recording.damage.note(name, block.offset + at as u64);
        }
        Ok(())
    }
}

fn read_sequence_point(content: &[u8], recording: &mut NettraceRecording) -> BlockResult {
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
        recording.losses.renumber();
        recording.threads.by_index_mut().clear();
    }
    if flags & FORGETS_METADATA != 0 {
        recording.metadata.forget();
    }
    read.ok_or(0)
}

fn read_threads(content: &[u8], recording: &mut NettraceRecording) -> BlockResult {
    let size = |cursor: &mut Cursor| cursor.u16().map(usize::from);
    each_row(&mut Cursor::new(content), size, |row| {
        let (index, thread) = IndexedThread::read(row)?;
        recording.threads.by_index_mut().insert(index, thread);
        Some(())
    })
}

/// Reads the indices that no longer refer to a thread, and how many events those threads sent.
fn read_removed_threads(content: &[u8], recording: &mut NettraceRecording) -> BlockResult {
    let mut cursor = Cursor::new(content);
    while !cursor.is_at_end() {
        let start = cursor.position();
        let mut pair = || Some((cursor.varuint()?, cursor.varuint32()?));
        let (index, sequence) = pair().ok_or(start)?;
        recording.losses.end(index, sequence);
        recording.threads.by_index_mut().remove(&index);
    }
    Ok(())
}
