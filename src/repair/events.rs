//! What the formats have in common: spans that open and close, and how the file spells them.

pub(super) use crate::importers::speedscope_syntax::Does;

use crate::importers::{is_nameless, is_thread, is_thread_time};
use crate::input::json::JsonError;
use crate::repair::messages;
use std::io;
use std::ops::Range;

/// A point of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At {
    /// The number in the file. Two events are at one time if it is the same.
    pub exact: f64,
    /// As importers count: nanoseconds from some start on.
    pub nanoseconds: u64,
}

/// A part of an event in which the events of a thread differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Phase,
    At,
    Name,
    Category,
    Frame,
}

/// Where the parts of an event stand in the file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    rows: [Option<(Part, Range<u64>)>; 5],
}

impl Parts {
    /// Notes a part. `false` if the event has had it.
    pub(super) fn push(&mut self, part: Part, range: Range<u64>) -> bool {
        if self.has(part) {
            return false;
        }
        match self.rows.iter_mut().find(|row| row.is_none()) {
            Some(row) => {
                *row = Some((part, range));
                true
            }
            None => false,
        }
    }

    pub(super) fn has(&self, part: Part) -> bool {
        self.iter().any(|(known, _)| known == part)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Part, Range<u64>)> {
        self.rows.iter().flatten().cloned()
    }
}

/// An event that opens or closes a span of a thread.
#[derive(Clone, Debug)]
pub(super) struct SpanEvent {
    pub does: Does,
    /// The frame: a number of [`Rows`].
    pub row: u32,
    pub at: At,
    /// Where it stands in the file.
    pub text: Range<u64>,
    pub parts: Parts,
}

/// How the phases of events are spelled.
#[derive(Clone, Copy)]
pub(super) struct Phases {
    pub open: &'static [u8],
    pub close: &'static [u8],
}

/// What a frame is in the stacks that TraceEvent writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A thread: all above it are headings.
    Thread,
    /// What kind of time its caller spends; no frame of the program.
    ThreadTime,
    /// A frame of which nobody knows what it is.
    Nameless,
    /// A method below a thread, a heading above.
    Other,
}

/// How the parts of an event that tell its frame are spelled.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    pub name: Box<[u8]>,
    pub category: Box<[u8]>,
    pub frame: Box<[u8]>,
}

/// The frames of a file, as far as its events name them.
#[derive(Default)]
pub(super) struct Rows {
    roles: Vec<Role>,
    spellings: Vec<Spelling>,
}

impl Rows {
    /// Adds a frame with this name: its number.
    pub(super) fn push(&mut self, name: &str, spelling: Spelling) -> u32 {
        let role = match name {
            name if is_thread(name) => Role::Thread,
            name if is_thread_time(name) => Role::ThreadTime,
            name if is_nameless(name) => Role::Nameless,
            _ => Role::Other,
        };
        self.roles.push(role);
        self.spellings.push(spelling);
        (self.roles.len() - 1) as u32
    }

    pub(super) fn len(&self) -> usize {
        self.roles.len()
    }

    pub(super) fn role(&self, row: u32) -> Role {
        self.roles.get(row as usize).copied().unwrap_or(Role::Other)
    }

    pub(super) fn spelling(&self, row: u32) -> Option<&Spelling> {
        self.spellings.get(row as usize)
    }

    /// Whether there are threads and what ends the stacks of thread time, as TraceEvent writes them.
    pub(super) fn are_of_traceevent(&self) -> bool {
        self.roles.contains(&Role::Thread) && self.roles.contains(&Role::ThreadTime)
    }
}

/// Why the spans of a thread can't be rewritten. None of this is in what dotnet-trace writes today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    Mixed,
    Crossed,
    Late,
    Incomplete,
    OtherMembers,
    Complete,
    NoUnit,
    Long,
}

impl Odd {
    /// The reason, a clause.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Odd::Mixed => messages::EVENTS_SCATTERED,
            Odd::Crossed => messages::SPANS_CROSS,
            Odd::Late => messages::OUT_OF_ORDER,
            Odd::Incomplete => messages::EVENT_INCOMPLETE,
            Odd::OtherMembers => messages::OTHER_MEMBERS,
            Odd::Complete => messages::OTHER_KINDS,
            Odd::Long => messages::EVENT_TOO_LONG,
            Odd::NoUnit => messages::NO_UNIT,
        }
    }
}

/// Why a file is not read to its end.
#[derive(Debug)]
pub(super) enum Failed {
    Json(JsonError),
    /// The repaired file can't be written.
    Write(io::Error),
    /// The file is not the one that was examined.
    Changed,
}

impl From<JsonError> for Failed {
    fn from(error: JsonError) -> Failed {
        Failed::Json(error)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::Write(error)
    }
}

impl Failed {
    /// There are more different stacks than a tree can hold.
    pub(super) fn full(offset: u64) -> Failed {
        Failed::Json(JsonError::tree_full(offset))
    }
}

/// Is told the events of a file in their order. Tracks are threads, numbered from 0 on as they come.
pub(super) trait Visitor {
    /// An array of events begins behind this offset.
    fn array_begins(&mut self, offset: u64, rows: &Rows) -> Result<(), Failed>;
    /// It ends in front of this offset.
    fn array_ends(&mut self, offset: u64, rows: &Rows) -> Result<(), Failed>;
    fn event(&mut self, track: u32, event: &SpanEvent, rows: &Rows) -> Result<(), Failed>;
    /// An element that is no event of a span. `track` has it, if it is a reason to leave that as it is.
    fn other(
        &mut self,
        text: Range<u64>,
        track: Option<(u32, Odd)>,
        rows: &Rows,
    ) -> Result<(), Failed>;
}
