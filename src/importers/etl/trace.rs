//! What the tree needs of a trace: samples with their stacks, and the rest.

use super::buffers::Buffer;
use super::headers::{EtlEvent, EventId, Events, Guid, Provider};
use super::intervals::Intervals;
use super::kernel::{
    EventKind, RUNDOWN, RUNTIME, Sampled, StackOwner, is_kernel_address, read_interval, read_owner,
    read_sample, read_stack_key, runtime_addresses,
};
use super::log_file::LogFile;
use super::machine::{Machine, ThreadId};
use super::window::{Record, Window};
use crate::importers::runtime::{CodeEvent, EventOrigin, Lifecycle, RuntimeEvent, RuntimeMarkers};
use crate::importers::stream::{DamagedBlocks, narrow, pointers};
use crate::input::{ImportError, Progress};
use crate::model::EventCount;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct StackId(u32);

impl StackId {
    pub(super) const NONE: StackId = StackId(u32::MAX);
}

/// A sample or runtime event, whose stack arrives in parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackRow {
    pub time: u64,
    pub thread: ThreadId,
    /// Of a runtime event.
    pub marker: Option<u32>,
    pub kernel: StackId,
    /// The kernel may have called them back, as it does for window procedures.
    pub user: StackId,
    /// The callers of `user`: the 32-bit part of a stack can arrive separately from the 64-bit part.
    pub outer: StackId,
}

impl StackRow {
    pub(super) fn parts(&self) -> impl Iterator<Item = StackId> {
        let parts = [self.outer, self.user, self.kernel];
        parts.into_iter().filter(|part| *part != StackId::NONE)
    }

    pub(super) fn has_stack(&self) -> bool {
        self.parts().next().is_some()
    }
}

type RowIndex = u32;

#[derive(Default)]
pub(super) struct EtlTrace {
    pub file: LogFile,
    pub machine: Machine,
    pub rows: Vec<StackRow>,
    pub intervals: Intervals,
    pub idle_samples: u64,
    pub short_events: u64,
    pub damage: DamagedBlocks,
    pub has_wrapped: bool,
    pub markers: RuntimeMarkers,
    /// Listed to show why a trace has no samples.
    events: IndexMap<EventId, u64, foldhash::fast::RandomState>,
    stacks: IndexSet<Box<[u64]>, foldhash::fast::RandomState>,
    by_owner: HashMap<(u64, u32), RowIndex, foldhash::fast::RandomState>,
    waiting_by_key: HashMap<u64, Vec<RowIndex>, foldhash::fast::RandomState>,
    /// The runtime's last on each thread, until that thread's next event.
    last_marker: HashMap<u32, RowIndex, foldhash::fast::RandomState>,
    window: Window,
}

impl EtlTrace {
    pub(super) fn new(file: LogFile) -> EtlTrace {
        EtlTrace {
            machine: Machine::new(file.pointer_bytes == 4),
            file,
            ..EtlTrace::default()
        }
    }

    pub(super) fn read(&mut self, buffer: &Buffer, progress: &Progress) -> Result<(), ImportError> {
        let mut events = Events::new(buffer.events);
        let (mut last, mut is_damaged) = (0, false);
        let mut next = events.next();
        while let Ok(Some(event)) = next {
            last = event.time.max(last);
            is_damaged |= self.event(event).is_none();
            next = events.next();
        }
        if is_damaged || next.is_err() {
            self.damage.note("buffer", buffer.offset);
        }
        if last > 0 {
            let is_later = self.window.processor_at(buffer.processor, last);
            self.has_wrapped |= self.file.is_circular && !is_later;
        }
        if self.window.is_full() {
            let due = self.window.due(self.file.processors, buffer.offset);
            self.take(&due, progress)?;
        }
        Ok(())
    }

    fn event(&mut self, mut event: EtlEvent) -> Option<()> {
        *self.events.entry(event.id).or_default() += 1;
        let Some(kind) = EventKind::of(event.id) else {
            return Some(());
        };
        if kind == EventKind::Sample {
            let Sampled::Thread(thread) = read_sample(event.payload, event.layout)? else {
                self.idle_samples += 1;
                return Some(());
            };
            event.thread = thread;
        }
        // no other part of these payloads is needed
        if matches!(kind, EventKind::Sample | EventKind::RuntimeOther) {
            event.payload = &[];
        }
        self.window.push(kind, &event);
        Some(())
    }

    pub(super) fn finish(&mut self, progress: &Progress) -> Result<(), ImportError> {
        let rest = self.window.rest();
        self.take(&rest, progress)?;
        self.window = Window::default();
        (self.by_owner, self.waiting_by_key, self.last_marker) = Default::default();
        self.machine.finish();
        self.rows
            .retain(|row| row.marker.is_none() || row.has_stack());
        self.rows
            .sort_by_key(|row| (row.time, row.marker.is_some()));
        Ok(())
    }

    fn take(&mut self, records: &[Record], progress: &Progress) -> Result<(), ImportError> {
        let window = std::mem::take(&mut self.window);
        for (index, record) in records.iter().enumerate() {
            if index.is_multiple_of(4096) {
                progress.check_cancelled()?;
            }
            self.short_events += u64::from(self.record(record, window.payload(record)).is_none());
        }
        self.window = window;
        self.window.compact();
        Ok(())
    }

    fn record(&mut self, record: &Record, payload: &[u8]) -> Option<()> {
        let layout = record.layout;
        match record.kind {
            EventKind::Sample => {
                self.add_row(record, None);
            }
            EventKind::Interval => self.intervals.add(record.time, read_interval(payload)?),
            EventKind::Stack => {
                let (owner, bytes) = read_owner(payload)?;
                if let Some(row) = self.row_of(&owner) {
                    self.add_stack(&[row], bytes, record);
                }
            }
            EventKind::StackKey => {
                let (owner, rest) = read_owner(payload)?;
                let (key, _) = read_stack_key(rest, layout)?;
                if let Some(row) = self.row_of(&owner) {
                    self.waiting_by_key.entry(key).or_default().push(row);
                }
            }
            EventKind::KeyedStack => {
                let (key, bytes) = read_stack_key(payload, layout)?;
                if let Some(waiting) = self.waiting_by_key.remove(&key) {
                    self.add_stack(&waiting, bytes, record);
                }
            }
            EventKind::Process(life) => self.machine.read_process(payload, record, life)?,
            EventKind::Thread(life) => self.machine.read_thread(payload, record, life)?,
            EventKind::Image(life) => self.machine.read_image(payload, record, life)?,
            EventKind::Runtime(_) | EventKind::RuntimeStack | EventKind::RuntimeOther => {
                self.runtime_event(record, payload)?
            }
        }
        Some(())
    }

    fn runtime_event(&mut self, record: &Record, payload: &[u8]) -> Option<()> {
        let last_marker = self.last_marker.remove(&record.thread);
        match record.kind {
            EventKind::RuntimeStack => {
                if let Some(row) = last_marker {
                    let addresses = runtime_addresses(payload, record.layout)?;
                    self.add_stack(&[row], addresses, record);
                }
            }
            EventKind::Runtime(RuntimeEvent::Code(event)) => {
                let process = self.machine.read_code(event, payload, record)?;
                if event == CodeEvent::Method(Lifecycle::Begins) {
                    self.markers.compiled(payload, process.0, record.time);
                }
            }
            EventKind::Runtime(RuntimeEvent::Marker(event)) => {
                let thread = self.machine.thread(record.thread);
                let origin = EventOrigin {
                    process: self.machine.process(record.process).0,
                    thread: thread.0.into(),
                    time: record.time,
                    pointer_bytes: record.layout.pointer_bytes.into(),
                };
                if let Some(marker) = self.markers.read(event, payload, origin)? {
                    let row = self.add_row(record, Some(marker));
                    self.last_marker.insert(record.thread, row);
                }
            }
            _ => {}
        }
        Some(())
    }

    pub(super) fn samples(&self) -> impl Iterator<Item = &StackRow> {
        self.rows.iter().filter(|row| row.marker.is_none())
    }

    pub(super) fn events(&self) -> Vec<EventCount> {
        let event = |(&id, &count): (&EventId, &u64)| {
            let EventId { provider, event } = id;
            let kind = EventKind::of(id);
            let is_rundown = provider == Provider::Guid(RUNDOWN);
            EventCount {
                provider: provider_name(provider),
                id: event.into(),
                name: match provider {
                    Provider::Kernel => format!("{}/{}", event >> 8, event & 0xff),
                    _ => String::new(),
                },
                count,
                is_read: is_rundown || kind.is_some_and(|kind| kind != EventKind::RuntimeOther),
                ..EventCount::default()
            }
        };
        self.events.iter().map(event).collect()
    }

    fn add_row(&mut self, record: &Record, marker: Option<u32>) -> RowIndex {
        let row = narrow(self.rows.len());
        self.by_owner.insert((record.time, record.thread), row);
        let thread = self.machine.thread(record.thread);
        self.rows.push(StackRow {
            time: record.time,
            thread,
            marker,
            kernel: StackId::NONE,
            user: StackId::NONE,
            outer: StackId::NONE,
        });
        row
    }

    /// Most stacks belong to events that aren't read.
    fn row_of(&mut self, owner: &StackOwner) -> Option<RowIndex> {
        let row = *self.by_owner.get(&(owner.time, owner.thread))?;
        let thread = self.rows[row as usize].thread;
        self.machine.assign(thread, owner.process);
        Some(row)
    }

    fn add_stack(&mut self, rows: &[RowIndex], bytes: &[u8], record: &Record) {
        let all: Vec<u64> = pointers(bytes, record.layout.pointer_bytes.into()).collect();
        // user code that the kernel calls back may call the kernel again
        let is_user = |&address: &u64| !is_kernel_address(address, self.machine.is_32_bit);
        let first = all.iter().position(is_user);
        let (kernel, user) = all.split_at(first.unwrap_or(all.len()));
        let (kernel, user) = (self.intern(kernel), self.intern(user));
        for &row in rows {
            let row = &mut self.rows[row as usize];
            if row.kernel == StackId::NONE {
                row.kernel = kernel;
            }
            if row.user == StackId::NONE {
                row.user = user;
            } else if row.outer == StackId::NONE && row.user != user {
                row.outer = user;
            }
        }
    }

    fn intern(&mut self, addresses: &[u64]) -> StackId {
        if addresses.is_empty() {
            return StackId::NONE;
        }
        let row = match self.stacks.get_index_of(addresses) {
            Some(row) => row,
            None => self.stacks.insert_full(addresses.into()).0,
        };
        StackId(narrow(row))
    }

    pub(super) fn innermost_first(&self, stack: StackId) -> &[u64] {
        let addresses = self.stacks.get_index(stack.0 as usize);
        addresses.map_or(&[], |addresses| addresses)
    }
}

fn provider_name(provider: Provider) -> String {
    match provider {
        Provider::Kernel => "Windows Kernel".into(),
        Provider::Messages => "messages".into(),
        Provider::Guid(RUNTIME) => "Microsoft-Windows-DotNETRuntime".into(),
        Provider::Guid(RUNDOWN) => "Microsoft-Windows-DotNETRuntimeRundown".into(),
        Provider::Guid(guid) => format_guid(guid),
    }
}

fn format_guid(guid: Guid) -> String {
    let (a, b, c) = (guid as u32, (guid >> 32) as u16, (guid >> 48) as u16);
    // the second half is written byte by byte
    let rest = ((guid >> 64) as u64).swap_bytes();
    let (d, e) = (rest >> 48, rest & 0xffff_ffff_ffff);
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}")
}

#[cfg(test)]
mod tests;
