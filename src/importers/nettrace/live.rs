//! A recording in progress: what has arrived, and method names that came early.

use super::blocks::{Blocks, END_OF_STREAM, push_block};
use super::events::{EventContent, each_event};
use super::framing::EventHeader;
use super::losses::Losses;
use super::metadata::{EventKind, Metadata};
use crate::importers::runtime::RuntimeEvent;
use std::collections::HashSet;
use std::ops::Range;

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) blocks: Blocks,
    metadata: Metadata,
    losses: Losses,
    pub(crate) events: u64,
    pub(crate) samples: u64,
    threads: HashSet<u64, foldhash::fast::RandomState>,
}

impl Tally {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.blocks.push(bytes, |name, content| {
            let _ = match name {
                b"MetadataBlock" => each_event(content, EventContent::Metadata, |_, payload| {
                    self.metadata.read(payload)
                }),
                b"EventBlock" => each_event(content, EventContent::Events, |header, _| {
                    self.losses.event(header.capture_thread, header.sequence);
                    self.events += 1;
                    if self.metadata.count(header.metadata_id, &[]) == EventKind::Sample {
                        self.samples += 1;
                        self.threads.insert(header.thread);
                    }
                    Some(())
                }),
                b"SPBlock" => self.losses.read_sequence_point(content),
                _ => Ok(()),
            };
        });
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.losses.lost
    }
}

const FIRST_KIND: u32 = 1 << 24;
/// For events inserted later; no real thread has this id.
const NO_THREAD: u64 = u64::MAX;
const BLOCK_BYTES: usize = 64 << 10;

/// Blocks with the names in `stream`, another recording of the process, for insertion at offset `at`, between two
/// blocks. May be empty.
pub(crate) fn blocks_of_names(stream: &[u8], at: u64) -> Vec<u8> {
    let mut names = LiveNames::default();
    Blocks::default().push(stream, |name, content| {
        // damaged blocks still contribute the names before the damage
        let _ = match name {
            b"MetadataBlock" => each_event(content, EventContent::Metadata, |_, payload| {
                names.kind(payload)
            }),
            b"EventBlock" => each_event(content, EventContent::Events, |header, payload| {
                names.event(header, payload);
                Some(())
            }),
            _ => Ok(()),
        };
    });
    names.close();
    let mut out = Vec::new();
    if !names.blocks.is_empty() {
        let kinds = with_header(&names.kinds, 0..0);
        push_block(&mut out, at, "MetadataBlock", &kinds);
        for (events, times) in names.blocks {
            push_block(&mut out, at, "EventBlock", &with_header(&events, times));
        }
    }
    out
}

/// Completes the first `at` bytes of a recording in progress: the names in `stream` and the end marker.
pub(crate) fn end_of_recording(stream: &[u8], at: u64) -> Vec<u8> {
    let mut end = blocks_of_names(stream, at);
    end.push(END_OF_STREAM);
    end
}

#[derive(Default)]
struct LiveNames {
    metadata: Metadata,
    kinds: Vec<u8>,
    blocks: Vec<(Vec<u8>, Range<u64>)>,
    events: Vec<u8>,
    times: Option<Range<u64>>,
    sequence: u32,
}

impl LiveNames {
    fn kind(&mut self, payload: &[u8]) -> Option<()> {
        self.metadata.read(payload)?;
        let (id, rest) = payload.split_first_chunk()?;
        let id = u32::from_le_bytes(*id).wrapping_add(FIRST_KIND);
        let payload = [&id.to_le_bytes(), rest].concat();
        push_event(&mut self.kinds, &EventHeader::default(), &payload);
        Some(())
    }

    fn event(&mut self, header: &EventHeader, payload: &[u8]) {
        let kind = self.metadata.count(header.metadata_id, &[]);
        if !matches!(kind, EventKind::Runtime(RuntimeEvent::Code(_))) {
            return;
        }
        self.sequence += 1;
        let time = header.timestamp;
        let header = EventHeader {
            metadata_id: header.metadata_id.wrapping_add(FIRST_KIND),
            sequence: self.sequence,
            capture_thread: NO_THREAD,
            thread: NO_THREAD,
            stack: 0,
            ..*header
        };
        push_event(&mut self.events, &header, payload);
        let times = self.times.get_or_insert(time..time);
        (times.start, times.end) = (times.start.min(time), times.end.max(time));
        if self.events.len() >= BLOCK_BYTES {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(times) = self.times.take() {
            self.blocks.push((std::mem::take(&mut self.events), times));
        }
    }
}

fn with_header(events: &[u8], times: Range<u64>) -> Vec<u8> {
    const HEADER_BYTES: u16 = 20;
    const NOT_COMPRESSED: u16 = 0;
    let [bytes, flags] = [HEADER_BYTES, NOT_COMPRESSED].map(u16::to_le_bytes);
    let [start, end] = [times.start, times.end].map(u64::to_le_bytes);
    [&bytes[..], &flags, &start, &end, events].concat()
}

fn push_event(out: &mut Vec<u8>, header: &EventHeader, payload: &[u8]) {
    /// What precedes the payload, without the size field itself.
    const REST_BYTES: usize = 76;
    out.extend(((REST_BYTES + payload.len()) as u32).to_le_bytes());
    out.extend(header.metadata_id.to_le_bytes());
    out.extend(header.sequence.to_le_bytes());
    out.extend(header.thread.to_le_bytes());
    out.extend(header.capture_thread.to_le_bytes());
    out.extend(0u32.to_le_bytes());
    out.extend(header.stack.to_le_bytes());
    out.extend(header.timestamp.to_le_bytes());
    out.extend([0; 32]);
    out.extend((payload.len() as u32).to_le_bytes());
    out.extend(payload);
    out.resize(out.len().next_multiple_of(4), 0);
}
