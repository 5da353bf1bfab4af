//! Metadata records: what kind of event an id means.
//!
//! Records of the runtime's own events have neither a name nor fields; such events are identified by provider and
//! event id. The fields of other events are needed to decode their payloads.

use super::framing::{BlockResult, each_row, sized_row};
use super::numbered::IdMap;
use crate::importers::runtime::{Field, FieldFormat, RuntimeEvent, RuntimeProvider, decode};
use crate::input::cursor::Cursor;
use crate::model::EventCount;
use crate::text::start_of;
use indexmap::IndexMap;

const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
const EVENT_PIPE: &str = "Microsoft-DotNETCore-EventPipe";
const UNIVERSAL_EVENTS: &str = "Universal.Events";
const UNIVERSAL_SYSTEM: &str = "Universal.System";

const MAX_VALUE_BYTES: usize = 200;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EventKind {
    Sample,
    Runtime(RuntimeEvent),
    Process,
    RuntimeStart,
    /// Its payload says how many samples it represents.
    Cpu,
    /// A thread resumes; the payload says for how many ticks it was off CPU.
    ContextSwitch,
    NamedProcess,
    /// Some writers put the process id before the addresses.
    Mapping {
        has_process: bool,
    },
    Symbol,
    #[default]
    Other,
}

impl EventKind {
    /// Names: `UniversalProviders.md` in microsoft/perfview.
    fn of(provider: &str, event: u32, name: &str, fields: &[Field]) -> EventKind {
        let of_runtime = match provider {
            RUNTIME => RuntimeEvent::of(RuntimeProvider::Runtime, event),
            RUNDOWN => RuntimeEvent::of(RuntimeProvider::Rundown, event),
            _ => None,
        };
        match (provider, event, name) {
            (SAMPLE_PROFILER, 0, _) => EventKind::Sample,
            (RUNTIME | RUNDOWN, 187, _) => EventKind::RuntimeStart,
            (EVENT_PIPE, 1, _) => EventKind::Process,
            (UNIVERSAL_EVENTS, _, "cpu") => EventKind::Cpu,
            (UNIVERSAL_EVENTS, _, "cswitch") => EventKind::ContextSwitch,
            (UNIVERSAL_SYSTEM, _, "ExistingProcess" | "ProcessCreate") => EventKind::NamedProcess,
            (UNIVERSAL_SYSTEM, _, "ProcessMapping") => EventKind::Mapping {
                has_process: fields.get(1).is_some_and(|(name, _)| name == "ProcessId"),
            },
            (UNIVERSAL_SYSTEM, _, "ProcessSymbol") => EventKind::Symbol,
            _ => of_runtime.map_or(EventKind::Other, EventKind::Runtime),
        }
    }
}

#[derive(Default)]
struct EventType {
    kind: EventKind,
    row: usize,
}

#[derive(Default)]
struct DescribedEvents {
    count: EventCount,
    fields: Vec<Field>,
}

#[derive(Default)]
pub(super) struct Metadata {
    rows: IdMap<EventType>,
    counts: IndexMap<(String, u32, String), DescribedEvents, foldhash::fast::RandomState>,
    pub undescribed: u64,
}

impl Metadata {
    /// `None` if the record is truncated.
    pub(super) fn read(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u32()?;
        let provider = cursor.text()?;
        let event = cursor.u32()?;
        let name = cursor.text().unwrap_or_default();
        let fields = read_fields(&mut cursor).unwrap_or_default();
        self.add(id, (provider, event, name), fields);
        Some(())
    }

    pub(super) fn read_block(&mut self, content: &[u8]) -> BlockResult {
        let mut cursor = Cursor::new(content);
        let _header = sized_row(&mut cursor).ok_or(0usize)?;
        each_row(&mut cursor, sized_row, |row| self.read_row(row))
    }

    fn read_row(&mut self, row: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(row);
        let id = cursor.varuint32()?;
        let provider = cursor.utf8_varuint()?.into_owned();
        let event = cursor.varuint32()?;
        let name = cursor.utf8_varuint()?.into_owned();
        let fields = FieldFormat::Short.fields(&mut cursor).unwrap_or_default();
        self.add(id, (provider, event, name), fields);
        Some(())
    }

    fn add(&mut self, id: u32, key: (String, u32, String), fields: Vec<Field>) {
        let kind = EventKind::of(&key.0, key.1, &key.2, &fields);
        let is_rundown = key.0 == RUNDOWN;
        let entry = self.counts.entry(key);
        let row = entry.index();
        let (provider, event, name) = entry.key().clone();
        let described = entry.or_default();
        described.count.provider = provider;
        described.count.id = event;
        described.count.name = name;
        // other rundown events repeat what is known
        described.count.is_read |= kind != EventKind::Other || is_rundown;
        described.fields = fields;
        self.rows.insert(id, EventType { kind, row });
    }

    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    #[inline]
    pub(super) fn count(&mut self, id: u32, payload: &[u8]) -> EventKind {
        let Some(row) = self.rows.get(id) else {
            self.undescribed += 1;
            return EventKind::Other;
        };
        if let Some((_, described)) = self.counts.get_index_mut(row.row) {
            described.count.count += 1;
            if row.kind == EventKind::Other && described.count.count == 1 {
                described.keep_first(payload);
            }
        }
        row.kind
    }

    /// In the order in which the file describes them.
    pub(super) fn events(&self) -> Vec<EventCount> {
        let counts = self.counts.values().map(|described| &described.count);
        let occurring = counts.filter(|event| event.count > 0);
        occurring.cloned().collect()
    }
}

impl DescribedEvents {
    #[cold]
    fn keep_first(&mut self, payload: &[u8]) {
        let values = decode(&self.fields, payload).unwrap_or_default();
        let text =
            |(name, value): (&str, String)| (name.into(), start_of(&value, MAX_VALUE_BYTES).into());
        self.count.first = values.into_iter().map(text).collect();
    }
}

/// Keywords, version, level and fields. Newer runtimes append tags, one of which has the fields if some are arrays.
fn read_fields(cursor: &mut Cursor) -> Option<Vec<Field>> {
    const FIELDS: u8 = 2;
    cursor.skip(8 + 4 + 4)?;
    let fields = FieldFormat::TypeFirst.fields(cursor)?;
    while let Some(bytes) = cursor.u32() {
        let (tag, mut content) = (cursor.u8()?, Cursor::new(cursor.take(bytes as usize)?));
        if tag == FIELDS && fields.is_empty() {
            return FieldFormat::Sized.fields(&mut content);
        }
    }
    Some(fields)
}

#[cfg(test)]
mod tests;
