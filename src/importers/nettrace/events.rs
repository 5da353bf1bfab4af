//! Blocks of events and of metadata.

use super::framing::{BlockReader, BlockResult, EventHeader, StopReason, each_row};
use super::recording::NettraceRecording;
use crate::input::cursor::Cursor;

const COMPRESSED: u16 = 1;
const MIN_BLOCK_HEADER_BYTES: u16 = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EventContent {
    Events,
    /// Of version 6, with thread indices, and labels in place of activity ids.
    IndexedEvents,
    Metadata,
}

impl BlockReader {
    pub(super) fn content(
        &mut self,
        name: &str,
        size: usize,
        recording: &mut NettraceRecording,
        decode: impl FnOnce(&[u8], &mut NettraceRecording) -> BlockResult,
    ) -> Result<(), StopReason> {
        let offset = self.stream.offset;
        self.stream.read(size, &mut self.content)?;
        let damage = decode(&self.content, recording);
        if self.content.len() < size {
            // not damage, just missing data at the end
            return Err(self.cut());
        }
        if let Err(at) = damage {
            recording.damage.note(name, offset + at as u64);
        }
        Ok(())
    }
}

pub(super) fn read_block(
    content: &[u8],
    recording: &mut NettraceRecording,
    kind: EventContent,
) -> BlockResult {
    each_event(content, kind, |header, payload| match kind {
        EventContent::Metadata => recording.metadata.read(payload),
        _ => recording.event(header, payload),
    })
}

/// Passes each event with its payload to `visit`, which returns `None` if it can't be decoded.
pub(super) fn each_event<'a>(
    content: &'a [u8],
    kind: EventContent,
    mut visit: impl FnMut(&EventHeader, &[u8]) -> Option<()>,
) -> BlockResult {
    let mut cursor = Cursor::new(content);
    let flags = block_header(&mut cursor).ok_or(0usize)?;
    let mut header = EventHeader::default();
    let is_compressed = flags & COMPRESSED != 0;
    let next = |cursor: &mut Cursor<'a>| {
        match is_compressed {
            true => compressed(cursor, &mut header, kind)?,
            false => full(cursor, &mut header, kind)?,
        }
        let payload = cursor.take(header.payload_bytes as usize)?;
        if !is_compressed {
            cursor.align_to_4();
        }
        Some((header, payload))
    };
    each_row(&mut cursor, next, |(header, payload)| {
        visit(&header, payload)
    })
}

/// Version 3 has no block header; each event has its stack, and metadata records are events with metadata id 0.
pub(super) fn read_old_block<'a>(
    content: &'a [u8],
    recording: &mut NettraceRecording,
) -> BlockResult {
    let next = |cursor: &mut Cursor<'a>| {
        let bytes = cursor.u32()?;
        cursor.take(bytes as usize)
    };
    each_row(&mut Cursor::new(content), next, |event| {
        old_event(event, recording)
    })
}

fn old_event(event: &[u8], recording: &mut NettraceRecording) -> Option<()> {
    let mut cursor = Cursor::new(event);
    let metadata_id = cursor.u32()?;
    let thread = u64::from(cursor.u32()?);
    let timestamp = cursor.u64()?;
    cursor.skip(32)?;
    let payload_bytes = cursor.u32()?;
    let payload = cursor.take(payload_bytes as usize)?;
    if metadata_id == 0 {
        return recording.metadata.read(payload);
    }
    let stack_bytes = cursor.u32()?;
    let stack = recording
        .stacks
        .set_only(cursor.take(stack_bytes as usize)?);
    // events have no sequence numbers, so losses can't be detected
    let header = EventHeader {
        metadata_id,
        sequence: 0,
        capture_thread: thread,
        thread,
        stack,
        timestamp,
        payload_bytes,
    };
    recording.uncounted_event(&header, payload)
}

fn block_header(cursor: &mut Cursor) -> Option<u16> {
    let (bytes, flags) = (cursor.u16()?, cursor.u16()?);
    // smallest and largest timestamp, and extensions in later versions
    cursor.skip(usize::from(bytes).checked_sub(4)?)?;
    (bytes >= MIN_BLOCK_HEADER_BYTES).then_some(flags)
}

/// Omitted fields keep their values from the previous event.
fn compressed(cursor: &mut Cursor, header: &mut EventHeader, kind: EventContent) -> Option<()> {
    let flags = cursor.u8()?;
    let has = |bit: u8| flags & bit != 0;
    if has(0x01) {
        header.metadata_id = cursor.varuint32()?;
    }
    if has(0x02) {
        // metadata records have the sequence 0, stored as a difference of -1
        header.sequence = header
            .sequence
            .wrapping_add(cursor.varuint32()?)
            .wrapping_add(1);
        header.capture_thread = cursor.varuint()?;
        let _processor = cursor.varuint()?;
    } else if header.metadata_id != 0 {
        header.sequence = header.sequence.wrapping_add(1);
    }
    if has(0x04) {
        header.thread = cursor.varuint()?;
    }
    if has(0x08) {
        header.stack = cursor.varuint32()?;
    }
    // negative, in two's complement, where another thread's events begin
    header.timestamp = header.timestamp.wrapping_add(cursor.varuint()?);
    // the ids of an activity and of its parent, or a list of labels; bit 0x40 marks sorted events and has no data
    if kind == EventContent::IndexedEvents {
        if has(0x10) {
            cursor.varuint()?;
        }
    } else {
        cursor.skip(16 * usize::from(has(0x10)) + 16 * usize::from(has(0x20)))?;
    }
    if has(0x80) {
        header.payload_bytes = cursor.varuint32()?;
    }
    Some(())
}

fn full(cursor: &mut Cursor, header: &mut EventHeader, kind: EventContent) -> Option<()> {
    let _event_bytes = cursor.u32()?;
    // the high bit marks sorted events
    header.metadata_id = cursor.u32()? & 0x7fff_ffff;
    header.sequence = cursor.u32()?;
    header.thread = cursor.u64()?;
    header.capture_thread = cursor.u64()?;
    let _processor = cursor.u32()?;
    header.stack = cursor.u32()?;
    header.timestamp = cursor.u64()?;
    let is_indexed = kind == EventContent::IndexedEvents;
    cursor.skip(if is_indexed { 4 } else { 32 })?;
    header.payload_bytes = cursor.u32()?;
    Some(())
}

#[cfg(test)]
mod tests;
