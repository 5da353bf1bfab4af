//! Metadata records: which number stands for which kind of event.
//!
//! The runtime's own events have neither a name nor fields there; a provider and an id tell what they are.

use super::framing::BlockResult;
use crate::importers::runtime::{CodeEvent, RuntimeProvider};
use crate::input::cursor::Cursor;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::HashMap;

const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
const EVENT_PIPE: &str = "Microsoft-DotNETCore-EventPipe";
const UNIVERSAL_EVENTS: &str = "Universal.Events";
const UNIVERSAL_SYSTEM: &str = "Universal.System";

/// The kinds of events that make a call tree, by what their payload holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    /// A sample of a thread's stack.
    Sample,
    /// Memory was allocated, with the number of bytes since the tick before.
    AllocationTick,
    /// What tells of code.
    Code(CodeEvent),
    /// An exception was thrown.
    Exception,
    /// A garbage collection starts.
    Collection,
    /// A thread begins to stop all others.
    Stop,
    /// All threads go on.
    GoOn,
    Process,
    RuntimeStart,
    /// A sample of a processor, and for how many it stands.
    Cpu,
    /// A thread goes on, after so many ticks without a processor.
    Switch,
    /// A process and its name.
    NamedProcess,
    /// A file that is mapped into a process, whose id some writers put before the addresses.
    Mapping {
        has_process: bool,
    },
    /// A symbol in a mapping.
    Symbol,
    /// None of these.
    Other,
}

impl EventKind {
    /// What an event of a provider is whose name counts, and not its number, and which has these fields.
    ///
    /// Source of the names: `UniversalProviders.md` in microsoft/perfview.
    fn of_name(provider: &str, name: &str, fields: &[Cow<str>]) -> EventKind {
        match (provider, name) {
            (UNIVERSAL_EVENTS, "cpu") => EventKind::Cpu,
            (UNIVERSAL_EVENTS, "cswitch") => EventKind::Switch,
            (UNIVERSAL_SYSTEM, "ExistingProcess" | "ProcessCreate") => EventKind::NamedProcess,
            (UNIVERSAL_SYSTEM, "ProcessMapping") => EventKind::Mapping {
                has_process: fields.get(1).is_some_and(|field| field == "ProcessId"),
            },
            (UNIVERSAL_SYSTEM, "ProcessSymbol") => EventKind::Symbol,
            _ => EventKind::Other,
        }
    }

    /// What an event of a provider is.
    ///
    /// Source of the numbers: `ClrEtwAll.man` and the sample profiler in dotnet/runtime.
    fn of(provider: &str, event: u32) -> EventKind {
        let code = match provider {
            RUNTIME => CodeEvent::of(RuntimeProvider::Runtime, event),
            RUNDOWN => CodeEvent::of(RuntimeProvider::Rundown, event),
            _ => None,
        };
        match (provider, event) {
            (SAMPLE_PROFILER, 0) => EventKind::Sample,
            (RUNTIME, 1) => EventKind::Collection,
            (RUNTIME, 3) => EventKind::GoOn,
            (RUNTIME, 9) => EventKind::Stop,
            (RUNTIME, 10) => EventKind::AllocationTick,
            (RUNTIME, 80) => EventKind::Exception,
            (RUNTIME | RUNDOWN, 187) => EventKind::RuntimeStart,
            (EVENT_PIPE, 1) => EventKind::Process,
            _ => code.map_or(EventKind::Other, EventKind::Code),
        }
    }
}

struct EventType {
    kind: EventKind,
    /// The provider's place in [`Metadata::providers`].
    provider: usize,
}

/// All metadata records that were read, and how many events there were of each provider.
#[derive(Default)]
pub(super) struct Metadata {
    rows: HashMap<u32, EventType, foldhash::fast::RandomState>,
    providers: IndexMap<String, u64, foldhash::fast::RandomState>,
    /// Events whose kind was never described.
    pub undescribed: u64,
}

impl Metadata {
    /// Reads a record; `None` if it ends too early.
    ///
    /// The fields of the event, and the tags that newer runtimes append, are not needed.
    pub(super) fn read(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.u32()?;
        let name = cursor.text()?;
        let event = cursor.u32()?;
        self.add(id, EventKind::of(&name, event), name);
        Some(())
    }

    /// Reads a block of version 6, which holds a row for each kind of event.
    ///
    /// # Errors
    /// The offset in the block of the first row that ends too early; the others were read.
    pub(super) fn read_block(&mut self, content: &[u8]) -> BlockResult {
        let mut cursor = Cursor::new(content);
        let mut header = || {
            cursor
                .u16()
                .and_then(|bytes| cursor.skip(usize::from(bytes)))
        };
        header().ok_or(0usize)?;
        let mut result = Ok(());
        while !cursor.is_at_end() {
            let start = cursor.position();
            let mut row = || {
                let bytes = cursor.u16()?;
                cursor.take(usize::from(bytes))
            };
            if self.read_row(row().ok_or(start)?).is_none() {
                result = result.and(Err(start));
            }
        }
        result
    }

    fn read_row(&mut self, row: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(row);
        let id = cursor.varuint32()?;
        let provider = cursor.utf8_varuint()?.into_owned();
        let event = cursor.varuint32()?;
        let name = cursor.utf8_varuint()?;
        let mut fields = Vec::new();
        for _ in 0..cursor.u16()? {
            let bytes = cursor.u16()?;
            let mut field = Cursor::new(cursor.take(usize::from(bytes))?);
            fields.push(field.utf8_varuint()?);
        }
        let kind = match EventKind::of(&provider, event) {
            EventKind::Other => EventKind::of_name(&provider, &name, &fields),
            kind => kind,
        };
        self.add(id, kind, provider);
        Some(())
    }

    fn add(&mut self, id: u32, kind: EventKind, provider: String) {
        let entry = self.providers.entry(provider);
        let provider = entry.index();
        entry.or_insert(0);
        self.rows.insert(id, EventType { kind, provider });
    }

    /// Forgets what the numbers mean.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
    }

    /// The kind of an event, which is counted.
    pub(super) fn count(&mut self, id: u32) -> EventKind {
        match self.rows.get(&id) {
            Some(row) => {
                if let Some((_, events)) = self.providers.get_index_mut(row.provider) {
                    *events += 1;
                }
                row.kind
            }
            None => {
                self.undescribed += 1;
                EventKind::Other
            }
        }
    }

    /// The providers that sent events, with the number of events, the busiest first.
    pub(super) fn providers(&self) -> Vec<(&str, u64)> {
        let mut providers: Vec<(&str, u64)> = self
            .providers
            .iter()
            .filter(|(_, events)| **events > 0)
            .map(|(name, &events)| (name.as_str(), events))
            .collect();
        providers.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        providers
    }
}

#[cfg(test)]
mod tests;
