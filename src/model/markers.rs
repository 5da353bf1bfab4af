//! Markers: events with times, such as collections, exceptions and lock contention, in columns.

use super::{RecordedNode, TimeRange, TreeForm, columns};
use crate::model::messages;
use crate::text::start_of;
use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};
use indexmap::IndexSet;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

words! {
    /// The names are those in JSON.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize)]
    pub enum MarkerKind {
        Collection = "collections",
        /// Threads were suspended for a collection.
        Pause = "gc_pauses",
        /// Threads were suspended for another reason, such as sampling their stacks.
        Suspension = "other_suspensions",
        Exception = "exceptions",
        Contention = "contention",
        Compilation = "compilations",
        ThreadPool = "thread_pool",
        /// Sampled: the bytes allocated since the previous one.
        Allocation = "allocations",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Number,
    Float,
    Text,
    /// An index in this comma-separated list, or else a plain number.
    Word(&'static str),
}

type Fields = &'static [(&'static str, FieldKind)];

use FieldKind::{Float, Number, Text, Word};

/// Exception messages can have any length.
const MAX_STRING_BYTES: usize = 512;
const MAX_STRINGS: usize = 100_000;

const COLLECTION: Fields = &[
    ("number", Number),
    ("generation", Number),
    ("reason", Word(messages::COLLECTION_REASONS)),
    ("type", Word(messages::COLLECTION_TYPES)),
];
const SUSPENSION: Fields = &[("reason", Word(messages::SUSPENSION_REASONS))];
const EXCEPTION: Fields = &[("type", Text), ("message", Text)];
const CONTENTION: Fields = &[("lock", Word(messages::LOCKS)), ("duration_ns", Float)];
const COMPILATION: Fields = &[("type", Text), ("method", Text), ("il_bytes", Number)];
const THREAD_POOL: Fields = &[
    ("event", Word(messages::POOL_EVENTS)),
    ("workers", Number),
    ("throughput", Float),
    ("reason", Word(messages::POOL_REASONS)),
];
const ALLOCATION: Fields = &[
    ("type", Text),
    ("bytes", Number),
    ("heap", Word(messages::HEAPS)),
];

impl MarkerKind {
    /// The plural display name, the fields, and the field that counts are grouped by.
    fn row(self) -> (&'static str, Fields, Option<usize>) {
        match self {
            Self::Collection => (messages::TITLE_COLLECTIONS, COLLECTION, Some(1)),
            Self::Pause => (messages::TITLE_PAUSES, SUSPENSION, None),
            Self::Suspension => (messages::TITLE_SUSPENSIONS, SUSPENSION, None),
            Self::Exception => (messages::TITLE_EXCEPTIONS, EXCEPTION, Some(0)),
            Self::Contention => (messages::TITLE_CONTENTION, CONTENTION, None),
            Self::Compilation => (messages::TITLE_COMPILATIONS, COMPILATION, None),
            Self::ThreadPool => (messages::TITLE_THREAD_POOL, THREAD_POOL, Some(0)),
            Self::Allocation => (messages::TITLE_ALLOCATIONS, ALLOCATION, Some(0)),
        }
    }

    pub fn title(self) -> &'static str {
        self.row().0
    }

    pub fn fields(self) -> impl ExactSizeIterator<Item = &'static str> {
        self.row().1.iter().map(|(name, _)| *name)
    }

    pub fn grouped_by(self) -> Option<&'static str> {
        let (_, fields, field) = self.row();
        Some(fields[field?].0)
    }

    pub fn has_duration(self) -> bool {
        use MarkerKind::{Allocation, Exception, ThreadPool};
        !matches!(self, Exception | ThreadPool | Allocation)
    }

    /// Whether overviews list it, because it shows what slowed a program down.
    pub fn is_notable(self) -> bool {
        use MarkerKind::{Collection, Contention, Exception, Pause};
        matches!(self, Collection | Pause | Exception | Contention)
    }

    /// What the field `type` is called where `type` is the kind of marker.
    pub const TYPE_KEY: &str = "of_type";

    pub fn field(self, name: &str) -> Option<usize> {
        self.fields().position(|field| field == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MarkerValue<'a> {
    Number(u64),
    Float(f64),
    Text(&'a str),
}

impl fmt::Display for MarkerValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MarkerValue::Number(number) => number.fmt(f),
            MarkerValue::Float(number) => number.fmt(f),
            MarkerValue::Text(text) => f.write_str(text),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct EventCount {
    pub provider: String,
    pub id: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub count: u64,
    /// Whether the importer uses them, for samples, names or markers.
    #[serde(skip)]
    pub is_read: bool,
    /// The fields of the first event, if the importer ignores it and the source describes them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub first: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MarkerRow {
    pub kind: MarkerKind,
    /// In a log, on the importer's clock; in a table, in nanoseconds on the samples' time axis. An unknown end is
    /// [`MarkerLog::OPEN`].
    pub time: u64,
    pub end: u64,
    /// An index, or [`MarkerLog::NONE`].
    pub thread: u32,
    /// The leaf of the stack, or [`MarkerLog::NONE`]: a row of the sample log; in a table, a node of the original tree.
    pub stack: u32,
    first_value: u32,
}

#[derive(Clone, Debug, Default)]
pub struct MarkerLog {
    pub rows: Vec<MarkerRow>,
    values: Vec<u64>,
    texts: IndexSet<String, foldhash::fast::RandomState>,
    pub events: Vec<EventCount>,
}

impl MarkerLog {
    pub const NONE: u32 = u32::MAX;
    pub const OPEN: u64 = u64::MAX;
    pub const MISSING: u64 = u64::MAX;
    pub const MAX_FIELDS: usize = 4;

    /// Values are in the order of the kind's fields: numbers, bits of floats, and ids from [`MarkerLog::intern`].
    pub fn push(
        &mut self,
        kind: MarkerKind,
        (time, end): (u64, u64),
        thread: u32,
        values: &[u64; MarkerLog::MAX_FIELDS],
    ) -> u32 {
        // memory runs out before 32-bit indices do
        let narrow = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        self.rows.push(MarkerRow {
            kind,
            time,
            end,
            thread,
            stack: MarkerLog::NONE,
            first_value: narrow(self.values.len()),
        });
        self.values.extend(&values[..kind.fields().len()]);
        narrow(self.rows.len() - 1)
    }

    /// Interns a string, truncated if long; [`MarkerLog::MISSING`] once there are too many.
    pub fn intern(&mut self, text: &str) -> u64 {
        let text = start_of(text, MAX_STRING_BYTES);
        match self.texts.get_index_of(text) {
            Some(known) => known as u64,
            None if self.texts.len() < MAX_STRINGS => self.texts.insert_full(text.into()).0 as u64,
            None => Self::MISSING,
        }
    }

    pub fn text_of(&self, number: u64) -> &str {
        let text = usize::try_from(number).ok();
        text.and_then(|number| self.texts.get_index(number))
            .map_or("", |text| text)
    }

    /// Parses what a [`MarkerValue`] was formatted as.
    pub fn parse_value(&mut self, kind: MarkerKind, field: usize, text: &str) -> u64 {
        let number = || text.parse().unwrap_or(Self::MISSING);
        match kind.row().1[field].1 {
            Number => number(),
            Float => text.parse().map_or(Self::MISSING, f64::to_bits),
            Text => self.intern(text),
            Word(words) => {
                let row = words.split(", ").position(|word| word == text);
                row.map_or_else(number, |row| row as u64)
            }
        }
    }

    pub fn value_mut(&mut self, row: u32, field: usize) -> &mut u64 {
        &mut self.values[self.rows[row as usize].first_value as usize + field]
    }

    pub fn set_times(&mut self, new: impl Fn(u64) -> u64) {
        for marker in &mut self.rows {
            marker.time = new(marker.time);
            if marker.end != MarkerLog::OPEN {
                marker.end = new(marker.end);
            }
        }
    }

    pub fn finish(
        mut self,
        stacks: &[RecordedNode],
        repaired: Option<&[RecordedNode]>,
    ) -> MarkerTable {
        // sorting allocates even if nothing moves
        if !self.rows.is_sorted_by_key(|row| row.time) {
            self.rows.sort_by_key(|row| row.time);
        }
        let leaf = |stacks: &[RecordedNode], row: u32| {
            let leaf = stacks.get(row as usize).copied();
            leaf.unwrap_or(MarkerTable::NO_STACK)
        };
        let pick = |stacks| {
            self.rows
                .iter()
                .map(|row| leaf(stacks, row.stack))
                .collect()
        };
        let repaired = repaired.map(pick);
        for row in &mut self.rows {
            row.stack = leaf(stacks, row.stack).0;
        }
        MarkerTable {
            rows: self.rows,
            repaired: repaired.unwrap_or_default(),
            values: self.values,
            texts: self.texts.into_iter().collect(),
            events: self.events,
        }
    }
}

/// The markers in time order, and the number of events of each provider and id in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MarkerTable {
    rows: Vec<MarkerRow>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    repaired: Vec<RecordedNode>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    values: Vec<u64>,
    texts: Vec<String>,
    pub events: Vec<EventCount>,
}

impl MarkerTable {
    const NO_STACK: RecordedNode = RecordedNode(u32::MAX);

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Marker<'_>> {
        (0..self.len()).map(|row| Marker { table: self, row })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Marker<'a> {
    table: &'a MarkerTable,
    row: usize,
}

impl<'a> Marker<'a> {
    fn row(self) -> &'a MarkerRow {
        &self.table.rows[self.row]
    }

    pub fn kind(self) -> MarkerKind {
        self.row().kind
    }

    pub fn time_ns(self) -> u64 {
        self.row().time
    }

    /// 0 for an instant; `None` if its end was not recorded.
    pub fn duration_ns(self) -> Option<u64> {
        let end = Some(self.row().end).filter(|&end| end != MarkerLog::OPEN);
        end.map(|end| end.saturating_sub(self.time_ns()))
    }

    pub fn is_in(self, range: TimeRange) -> bool {
        let start = self.time_ns();
        let end = start.saturating_add(self.duration_ns().unwrap_or(0));
        range.contains(start) || range.overlap(start, end) > 0
    }

    /// An index in [`super::Recording::threads`], if the thread has samples or stacks.
    pub fn thread(self) -> Option<usize> {
        let thread = self.row().thread;
        (thread != MarkerLog::NONE).then_some(thread as usize)
    }

    /// The leaf of its stack; for an allocation, the node of the type below the stack.
    pub fn stack(self, form: TreeForm) -> Option<RecordedNode> {
        let repaired = self.table.repaired.get(self.row);
        let repaired = repaired.filter(|_| form == TreeForm::Repaired);
        let stack = repaired.map_or(RecordedNode(self.row().stack), |&node| node);
        Some(stack).filter(|&node| node != MarkerTable::NO_STACK)
    }

    pub fn fields(self) -> impl Iterator<Item = (&'static str, MarkerValue<'a>)> {
        let names = self.kind().fields().enumerate();
        names.filter_map(move |(field, name)| Some((name, self.value(field)?)))
    }

    pub fn field(self, name: &str) -> Option<MarkerValue<'a>> {
        self.value(self.kind().field(name)?)
    }

    pub fn group(self) -> Option<MarkerValue<'a>> {
        self.value(self.kind().row().2?)
    }

    fn value(self, field: usize) -> Option<MarkerValue<'a>> {
        let first = self.row().first_value as usize;
        let value = *self.table.values.get(first + field)?;
        let (_, kind) = self.kind().row().1[field];
        let row = usize::try_from(value).unwrap_or(usize::MAX);
        match kind {
            _ if value == MarkerLog::MISSING => None,
            Number => Some(MarkerValue::Number(value)),
            Float => Some(MarkerValue::Float(f64::from_bits(value))),
            Text => Some(MarkerValue::Text(self.table.texts.get(row)?)),
            Word(words) => {
                let word = words.split(", ").nth(row);
                Some(word.map_or(MarkerValue::Number(value), MarkerValue::Text))
            }
        }
    }
}

#[cfg(test)]
mod tests;
