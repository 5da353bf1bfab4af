//! Sorts events by time across processors: an event is held back until no processor can have an earlier one.

use super::headers::{EtlEvent, HeaderLayout};
use super::kernel::EventKind;
use std::collections::HashMap;

const STEP_BYTES: usize = 4 << 20;
/// The bytes held back if a processor writes nothing for long; it grows with the file.
const MIN_LIMIT_BYTES: u64 = 16 << 20;
const MAX_LIMIT_BYTES: u64 = 96 << 20;
const LIMIT_PER_BYTE: u64 = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub time: u64,
    /// The start and length of its payload in [`Window::bytes`], which stays far below 4 GiB.
    bytes: (u32, u32),
    pub thread: u32,
    pub process: u32,
    pub kind: EventKind,
    pub layout: HeaderLayout,
}

#[derive(Default)]
pub(super) struct Window {
    records: Vec<Record>,
    bytes: Vec<u8>,
    processors: HashMap<u16, u64, foldhash::fast::RandomState>,
    waiting_bytes: usize,
}

impl Window {
    pub(super) fn push(&mut self, kind: EventKind, event: &EtlEvent) {
        let bytes = (self.bytes.len() as u32, event.payload.len() as u32);
        self.bytes.extend_from_slice(event.payload);
        self.records.push(Record {
            time: event.time,
            bytes,
            thread: event.thread,
            process: event.process,
            kind,
            layout: event.layout,
        });
    }

    /// `false` if the processor's buffers had already been read further.
    pub(super) fn processor_at(&mut self, processor: u16, time: u64) -> bool {
        let known = self.processors.entry(processor).or_insert(0);
        let is_later = time >= *known;
        *known = time.max(*known);
        is_later
    }

    pub(super) fn payload(&self, record: &Record) -> &[u8] {
        let (start, length) = (record.bytes.0 as usize, record.bytes.1 as usize);
        self.bytes.get(start..start + length).unwrap_or_default()
    }

    fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.records.len() * size_of::<Record>()
    }

    pub(super) fn is_full(&self) -> bool {
        self.memory_bytes() >= self.waiting_bytes + STEP_BYTES
    }

    /// Takes out the events that are due, in time order. Call [`Window::compact`] after processing them.
    pub(super) fn due(&mut self, processors: u32, read_bytes: u64) -> Vec<Record> {
        // most buffers are already in order, which this sort exploits
        self.records.sort_by_key(|record| record.time);
        let all_are_known = self.processors.len() >= processors as usize;
        let reached = self.processors.values().min().filter(|_| all_are_known);
        let reached = reached.copied().unwrap_or(0);
        let mut count = self.records.partition_point(|record| record.time < reached);
        let limit = MIN_LIMIT_BYTES
            .saturating_add(LIMIT_PER_BYTE.saturating_mul(read_bytes))
            .min(MAX_LIMIT_BYTES);
        if self.memory_bytes() as u64 > limit {
            count = count.max(self.records.len() / 2);
        }
        self.records.drain(..count).collect()
    }

    pub(super) fn rest(&mut self) -> Vec<Record> {
        self.records.sort_by_key(|record| record.time);
        std::mem::take(&mut self.records)
    }

    pub(super) fn compact(&mut self) {
        let sizes = self.records.iter().map(|record| record.bytes.1 as usize);
        let mut bytes = Vec::with_capacity(sizes.sum());
        for row in 0..self.records.len() {
            let start = bytes.len() as u32;
            bytes.extend_from_slice(self.payload(&self.records[row]));
            self.records[row].bytes.0 = start;
        }
        self.bytes = bytes;
        self.waiting_bytes = self.memory_bytes();
    }
}

#[cfg(test)]
mod tests;
