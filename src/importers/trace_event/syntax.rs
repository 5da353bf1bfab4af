//! How events are spelled: for the reader, and for repair, which writes them again.

use crate::input::json::{JsonError, JsonKind, JsonReader, RawString};
use std::io::Read;

/// How many nanoseconds a microsecond has, in which the files count.
pub(crate) const NANOSECONDS: u64 = 1_000;

/// A member of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventMember {
    Name,
    Category,
    Phase,
    At,
    Duration,
    ThreadDuration,
    Process,
    Thread,
    StackFrame,
    Arguments,
    Id,
    Other,
}

impl EventMember {
    #[inline]
    pub(crate) fn named(name: &[u8]) -> EventMember {
        match name {
            b"name" => EventMember::Name,
            b"cat" => EventMember::Category,
            b"ph" => EventMember::Phase,
            b"ts" => EventMember::At,
            b"dur" => EventMember::Duration,
            b"tdur" => EventMember::ThreadDuration,
            b"pid" => EventMember::Process,
            b"tid" => EventMember::Thread,
            b"sf" => EventMember::StackFrame,
            b"args" => EventMember::Arguments,
            b"id" => EventMember::Id,
            _ => EventMember::Other,
        }
    }

    /// The member that a key names, which may be written with escapes.
    #[inline]
    pub(super) fn of(key: &RawString<'_>) -> Result<EventMember, JsonError> {
        match key.has_escapes() {
            false => Ok(EventMember::named(key.bytes())),
            true => Ok(EventMember::named(key.decode()?.as_bytes())),
        }
    }
}

/// Reads the phase of an event: 0 for what is none.
#[inline]
pub(crate) fn read_phase<R: Read>(reader: &mut JsonReader<R>) -> Result<u8, JsonError> {
    match reader.peek()? {
        JsonKind::String => match reader.raw_string()?.bytes() {
            [phase] => Ok(*phase),
            _ => Ok(0),
        },
        _ => reader.skip().map(|()| 0),
    }
}
