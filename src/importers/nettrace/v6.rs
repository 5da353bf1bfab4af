//! Version 6: blocks, each preceded by its kind and size.
//!
//! Source: `NetTraceFormat.md` in microsoft/perfview. Label lists are skipped: they contain activity ids and the like.

use super::events::{self, EventContent};
use super::framing::{BlockReader, BlockResult, StopReason, damaged, each_row, sized_row};
use super::recording::{NettraceRecording, TraceHeader};
use super::threads::IndexedThread;
use crate::importers::messages;
use crate::importers::stream::Ending;
use crate::input::cursor::Cursor;

const END_OF_STREAM: u8 = 0;
const TRACE: u8 = 1;

const FORGETS_THREADS: u32 = 1;
const FORGETS_METADATA: u32 = 2;

impl BlockReader {
    fn kind_and_size(&mut self) -> Result<(u8, usize), StopReason> {
        let word = self.u32()?;
        Ok(((word >> 24) as u8, (word & 0xff_ffff) as usize))
    }

    pub(super) fn trace_block(&mut self) -> Result<TraceHeader, StopReason> {
        let at = self.stream.offset;
        let (kind, size) = self.kind_and_size()?;
        if kind != TRACE {
            return Err(damaged(at, messages::no_trace_block(&kind)));
        }
        self.stream.read(size, &mut self.content)?;
        if self.content.len() < size {
            return Err(self.cut());
        }
        TraceHeader::parse(&self.content, true).map_err(|problem| damaged(at, problem))
    }

    pub(super) fn block(&mut self, recording: &mut NettraceRecording) -> Result<(), StopReason> {
        type Decode = fn(&[u8], &mut NettraceRecording) -> BlockResult;
        let (kind, size) = self.kind_and_size()?;
        let (name, decode): (&str, Decode) = match kind {
            END_OF_STREAM => return Err(StopReason::Ended(Ending::Complete)),
            2 => ("EventBlock", |content, recording| {
                events::read_block(content, recording, EventContent::IndexedEvents)
            }),
            3 => ("MetadataBlock", |content, recording| {
                recording.metadata.read_block(content)
            }),
            4 => ("SequencePointBlock", read_sequence_point),
            5 => ("StackBlock", |content, recording| {
                recording.stacks.read_block(content)
            }),
            6 => ("ThreadBlock", read_threads),
            7 => ("RemoveThreadBlock", read_removed_threads),
            // labels and later kinds
            _ => ("", |_, _| Ok(())),
        };
        self.content(name, size, recording, decode)
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
    each_row(&mut Cursor::new(content), sized_row, |row| {
        let (index, thread) = IndexedThread::read(row)?;
        recording.threads.by_index_mut().insert(index, thread);
        Some(())
    })
}

/// Indices that no longer refer to a thread, and how many events those threads sent.
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
