//! Markers from runtime events. Source: the templates of `Microsoft-Windows-DotNETRuntime` in `ClrEtwAll.man` of
//! dotnet/runtime.

use crate::input::cursor::{Cursor, push_utf16};
use crate::model::{EventCount, MarkerKind, MarkerLog};
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkerEvent(u32);

/// What the event is part of, how many fields all its versions have, and its fields.
type EventLayout = (MarkerKind, Part, usize, Fields);

/// Each with its index among the marker's fields. Payloads may have more.
type Fields = &'static [(usize, PlainType)];

#[derive(Clone, Copy)]
enum Part {
    Whole,
    /// A whole marker, with this as its first field.
    Word(u64),
    Start(Key),
    End(Key),
}

#[derive(Clone, Copy)]
enum Key {
    Thread,
    /// The index of a collection, or the id of a method.
    FirstField,
}

type Values = [u64; MarkerLog::MAX_FIELDS];

const SKIPPED: usize = MarkerLog::MAX_FIELDS;

#[derive(Clone, Copy)]
enum PlainType {
    /// Bytes.
    Number(usize),
    Pointer,
    Text,
}

use PlainType::{Number, Pointer, Text};
const U8: PlainType = Number(1);
const U16: PlainType = Number(2);
const U32: PlainType = Number(4);
const U64: PlainType = Number(8);

/// Count, Depth, Reason, Type.
const GC_START: Fields = &[(0, U32), (1, U32), (2, U32), (3, U32)];
/// Count.
const GC_END: Fields = &[(SKIPPED, U32)];
/// Reason.
const SUSPEND: Fields = &[(0, U32)];
/// AllocationAmount, AllocationKind, ClrInstanceID, AllocationAmount64, TypeID, TypeName. The first has only 32 bits.
const ALLOCATION: Fields = &[
    (1, U32),
    (2, U32),
    (SKIPPED, U16),
    (1, U64),
    (SKIPPED, Pointer),
    (0, Text),
];
/// ExceptionType, ExceptionMessage.
const EXCEPTION: Fields = &[(0, Text), (1, Text)];
/// ContentionFlags.
const CONTENTION_START: Fields = &[(0, U8)];
/// ContentionFlags, ClrInstanceID, DurationNs.
const CONTENTION_STOP: Fields = &[(0, U8), (SKIPPED, U16), (1, U64)];
/// MethodID, ModuleID, MethodToken, MethodILSize, MethodNamespace, MethodName.
const JITTING: Fields = &[
    (SKIPPED, U64),
    (SKIPPED, U64),
    (SKIPPED, U32),
    (2, U32),
    (0, Text),
    (1, Text),
];
/// ActiveWorkerThreadCount.
const WORKERS: Fields = &[(1, U32)];
/// Throughput.
const THROUGHPUT: Fields = &[(2, U64)];
/// AverageThroughput, NewWorkerThreadCount, Reason.
const ADJUSTMENT: Fields = &[(2, U64), (1, U32), (3, U32)];

impl MarkerEvent {
    pub(crate) fn of(event: u32) -> Option<MarkerEvent> {
        MarkerEvent(event).layout().map(|_| MarkerEvent(event))
    }

    fn layout(self) -> Option<EventLayout> {
        use Key::{FirstField, Thread};
        use MarkerKind::{
            Allocation, Collection, Compilation, Contention, Exception, Suspension, ThreadPool,
        };
        use Part::{End, Start, Whole, Word};
        Some(match self.0 {
            1 => (Collection, Start(FirstField), 4, GC_START),
            2 => (Collection, End(FirstField), 1, GC_END),
            // suspension begins; threads have been restarted
            9 => (Suspension, Start(Thread), 1, SUSPEND),
            3 => (Suspension, End(Thread), 0, &[][..]),
            10 => (Allocation, Whole, 2, ALLOCATION),
            50 => (ThreadPool, Word(0), 1, WORKERS),
            51 => (ThreadPool, Word(1), 1, WORKERS),
            54 => (ThreadPool, Word(2), 1, THROUGHPUT),
            55 => (ThreadPool, Word(3), 3, ADJUSTMENT),
            80 => (Exception, Whole, 2, EXCEPTION),
            81 => (Contention, Start(Thread), 1, CONTENTION_START),
            91 => (Contention, End(Thread), 1, CONTENTION_STOP),
            145 => (Compilation, Start(FirstField), 6, JITTING),
            _ => return None,
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct EventOrigin {
    pub process: u32,
    pub thread: u64,
    pub time: u64,
    pub pointer_bytes: usize,
}

/// By kind, process, and thread or first field.
type OpenKey = (MarkerKind, u32, u64);

#[derive(Default)]
pub(crate) struct RuntimeMarkers {
    log: MarkerLog,
    threads: IndexSet<(u32, u64), foldhash::fast::RandomState>,
    open: HashMap<OpenKey, u32, foldhash::fast::RandomState>,
    /// Collections whose start has not been read yet: another thread may have written it.
    ended: HashMap<OpenKey, u64, foldhash::fast::RandomState>,
    scratch: String,
}

impl RuntimeMarkers {
    /// Reasons that make a suspension a GC pause: `SuspendForGC` and `SuspendForGCPrep`.
    const GC_PAUSE_REASONS: [u64; 2] = [1, 6];
    const BYTES_FIELD: usize = 1;

    /// `None` if the payload is truncated. Returns the row of the marker that the event starts, if any.
    pub(crate) fn read(
        &mut self,
        event: MarkerEvent,
        payload: &[u8],
        origin: EventOrigin,
    ) -> Option<Option<u32>> {
        let (kind, part, required, fields) = event.layout()?;
        let fields = self.values((required, fields), payload, origin.pointer_bytes);
        let (mut values, first) = fields?;
        let key = |key: Key| match key {
            Key::Thread => (kind, origin.process, origin.thread),
            Key::FirstField => (kind, origin.process, first),
        };
        Some(match part {
            Part::Whole => Some(self.push(kind, origin.time, origin, &values)),
            Part::Word(word) => {
                values[0] = word;
                Some(self.push(kind, origin.time, origin, &values))
            }
            Part::Start(by) => self.start(key(by), origin, &values),
            Part::End(by) => {
                self.end(key(by), origin.time, &values);
                None
            }
        })
    }

    fn values(
        &mut self,
        (required, fields): (usize, Fields),
        payload: &[u8],
        pointer_bytes: usize,
    ) -> Option<(Values, u64)> {
        let mut values = [MarkerLog::MISSING; MarkerLog::MAX_FIELDS];
        let mut first = 0;
        let mut cursor = Cursor::new(payload);
        for (index, (place, field)) in fields.iter().enumerate() {
            let value = match field {
                Number(bytes) => cursor.number(*bytes),
                Pointer => cursor.number(pointer_bytes),
                Text => cursor.utf16z().map(|text| {
                    self.scratch.clear();
                    push_utf16(&mut self.scratch, text);
                    self.log.intern(&self.scratch)
                }),
            };
            let Some(value) = value else {
                if index < required {
                    return None;
                }
                break;
            };
            if index == 0 {
                first = value;
            }
            if let Some(field) = values.get_mut(*place) {
                *field = value;
            }
        }
        Some((values, first))
    }

    fn start(&mut self, key: OpenKey, origin: EventOrigin, values: &Values) -> Option<u32> {
        let kind = match key.0 {
            // .NET Framework sends two versions of its start event
            MarkerKind::Collection if self.is_open(key, values) => return None,
            MarkerKind::Suspension if Self::GC_PAUSE_REASONS.contains(&values[0]) => {
                MarkerKind::Pause
            }
            kind => kind,
        };
        // a marker that is still open gets no further events
        self.open.remove(&key);
        let mut end = MarkerLog::OPEN;
        if kind == MarkerKind::Collection {
            end = self.ended.remove(&key).unwrap_or(end);
        }
        let row = self.push(kind, end, origin, values);
        if end == MarkerLog::OPEN {
            self.open.insert(key, row);
        }
        Some(row)
    }

    fn is_open(&mut self, key: OpenKey, values: &[u64]) -> bool {
        let Some(&row) = self.open.get(&key) else {
            return false;
        };
        (0..key.0.fields().len()).all(|field| *self.log.value_mut(row, field) == values[field])
    }

    fn push(&mut self, kind: MarkerKind, end: u64, origin: EventOrigin, values: &Values) -> u32 {
        let (thread, _) = self.threads.insert_full((origin.process, origin.thread));
        let thread = u32::try_from(thread).unwrap_or(u32::MAX);
        self.log.push(kind, (origin.time, end), thread, values)
    }

    fn end(&mut self, key: OpenKey, time: u64, values: &Values) {
        let Some(row) = self.open.remove(&key) else {
            if key.0 == MarkerKind::Collection {
                self.ended.insert(key, time);
            }
            return;
        };
        self.log.rows[row as usize].end = time;
        for (field, &value) in values.iter().enumerate() {
            if value != MarkerLog::MISSING {
                *self.log.value_mut(row, field) = value;
            }
        }
    }

    pub(crate) fn compiled(&mut self, payload: &[u8], process: u32, time: u64) {
        if let Some(method) = Cursor::new(payload).u64() {
            let values = [MarkerLog::MISSING; MarkerLog::MAX_FIELDS];
            self.end((MarkerKind::Compilation, process, method), time, &values);
        }
    }

    pub(crate) fn kind(&self, marker: u32) -> MarkerKind {
        self.log.rows[marker as usize].kind
    }

    pub(crate) fn bytes(&mut self, marker: u32) -> u64 {
        *self.log.value_mut(marker, Self::BYTES_FIELD)
    }

    pub(crate) fn type_of(&mut self, marker: u32) -> (u32, &str) {
        let text = *self.log.value_mut(marker, 0);
        (
            u32::try_from(text).unwrap_or(u32::MAX),
            self.log.text_of(text),
        )
    }

    pub(crate) fn set_sample(&mut self, marker: u32, row: usize) {
        self.log.rows[marker as usize].stack = u32::try_from(row).unwrap_or(MarkerLog::NONE);
    }

    /// With times in nanoseconds, threads as indices into those of the recording, and all event counts.
    pub(crate) fn finish(
        mut self,
        nanoseconds: impl Fn(u64) -> u64,
        thread_row: impl Fn(u32, u64) -> Option<usize>,
        events: Vec<EventCount>,
    ) -> MarkerLog {
        let row = |&(process, thread): &(u32, u64)| thread_row(process, thread);
        let row = |key| row(key).and_then(|row| u32::try_from(row).ok());
        let threads: Vec<u32> = self
            .threads
            .iter()
            .map(|key| row(key).unwrap_or(MarkerLog::NONE))
            .collect();
        self.log.events = events;
        self.log.set_times(nanoseconds);
        for marker in &mut self.log.rows {
            marker.thread = threads[marker.thread as usize];
        }
        self.log
    }
}

/// The providers with the most events, and the number of others.
pub(crate) fn busiest_providers(events: &[EventCount]) -> (Vec<(String, u64)>, usize) {
    const MAX_NAMED: usize = 3;
    let mut counts: IndexMap<&str, u64, foldhash::fast::RandomState> = IndexMap::default();
    for event in events {
        *counts.entry(&event.provider).or_default() += event.count;
    }
    counts.sort_by(|name, count, other, other_count| other_count.cmp(count).then(name.cmp(other)));
    let named = counts.iter().take(MAX_NAMED);
    let named = named.map(|(&name, &count)| (name.into(), count));
    (named.collect(), counts.len().saturating_sub(MAX_NAMED))
}

#[cfg(test)]
mod tests;
