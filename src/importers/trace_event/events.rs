//! One event of a trace.

use super::ids::{Id, text};
use super::rows::Rows;
use crate::importers::tracks::Quantity;
use crate::input::json::{JsonError, JsonKind, JsonReader, RawString};
use std::io::Read;

/// How many nanoseconds a microsecond has, in which the files count.
const NANOSECONDS: u64 = 1_000;

/// What an event says, as far as it is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    /// What kind of event it is, if one byte says so.
    pub phase: u8,
    /// Its name, a text of [`Rows`].
    pub name: Option<u32>,
    /// When it was.
    pub at: Option<u64>,
    /// How long it lasted, in nanoseconds.
    pub duration: Option<u64>,
    pub process: Id,
    pub thread: Id,
    /// The stack frame that it names, a number of [`Rows`].
    pub stack_frame: Option<u32>,
    /// The argument `name`, a text of [`Rows`].
    pub argument: Option<u32>,
    /// The file of its source, a text of [`Rows`], and the line.
    pub file: Option<u32>,
    pub line: u32,
    /// Whether a number in it was out of range.
    pub is_clamped: bool,
}

enum Member {
    Name,
    Phase,
    At,
    Duration,
    ThreadDuration,
    Process,
    Thread,
    StackFrame,
    Arguments,
    Other,
}

impl Member {
    #[inline]
    fn named(name: &[u8]) -> Member {
        match name {
            b"name" => Member::Name,
            b"ph" => Member::Phase,
            b"ts" => Member::At,
            b"dur" => Member::Duration,
            b"tdur" => Member::ThreadDuration,
            b"pid" => Member::Process,
            b"tid" => Member::Thread,
            b"sf" => Member::StackFrame,
            b"args" => Member::Arguments,
            _ => Member::Other,
        }
    }

    /// The member that a key names, which may be written with escapes.
    #[inline]
    fn of(key: &RawString<'_>) -> Result<Member, JsonError> {
        match key.has_escapes() {
            false => Ok(Member::named(key.bytes())),
            true => Ok(Member::named(key.decode()?.as_bytes())),
        }
    }
}

/// Reads an event or a sample.
///
/// # Errors
/// Those of the reader.
#[inline]
pub(super) fn read_event<R: Read>(reader: &mut JsonReader<R>, rows: &mut Rows) -> Result<Event, JsonError> {
    let mut event = Event::default();
    let mut thread_duration = None;
    reader.enter_object()?;
    while let Some(key) = reader.next_raw_key()? {
        match Member::of(&key)? {
            Member::Name => event.name = text(reader, &mut rows.texts)?,
            Member::Phase => {
                event.phase = match reader.peek()? {
                    JsonKind::String => match reader.raw_string()?.bytes() {
                        [phase] => *phase,
                        _ => 0,
                    },
                    _ => reader.skip().map(|()| 0)?,
                };
            }
            Member::At => {
                let at = Quantity::read(reader)?.instant(NANOSECONDS);
                event.is_clamped |= at.is_some_and(|at| at.is_clamped);
                event.at = at.map(|at| at.value);
            }
            Member::Duration => event.duration = read_duration(reader, &mut event.is_clamped)?,
            Member::ThreadDuration => thread_duration = read_duration(reader, &mut event.is_clamped)?,
            Member::Process => event.process = Id::read(reader, &mut rows.texts)?.unwrap_or_default(),
            Member::Thread => event.thread = Id::read(reader, &mut rows.texts)?.unwrap_or_default(),
            Member::StackFrame => {
                event.stack_frame = Id::read(reader, &mut rows.texts)?.map(|id| rows.stack_frame(id));
            }
            Member::Arguments => read_arguments(reader, rows, &mut event)?,
            Member::Other => reader.skip()?,
        }
    }
    event.duration = event.duration.or(thread_duration);
    Ok(event)
}

fn read_duration<R: Read>(reader: &mut JsonReader<R>, is_clamped: &mut bool) -> Result<Option<u64>, JsonError> {
    let duration = Quantity::read(reader)?.scaled(NANOSECONDS);
    *is_clamped |= duration.is_some_and(|duration| duration.is_clamped);
    Ok(duration.map(|duration| duration.value))
}

/// Reads what names a process or a thread, and where Hermes has the source of a method.
fn read_arguments<R: Read>(reader: &mut JsonReader<R>, rows: &mut Rows, event: &mut Event) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Object {
        return reader.skip();
    }
    reader.enter_object()?;
    while let Some(key) = reader.next_raw_key()? {
        match key.bytes() {
            b"name" => event.argument = text(reader, &mut rows.texts)?,
            b"url" => event.file = text(reader, &mut rows.texts)?,
            // `as` takes the nearest bound for what is no line
            b"line" => event.line = Quantity::read(reader)?.to_f64().unwrap_or(0.0) as u32,
            _ => reader.skip()?,
        }
    }
    Ok(())
}
