//! The events of Chromium trace-event JSON.

use super::events::{At, Failed, Odd, Part, Parts, Phases, Rows, SpanEvent, Spelling, Visitor};
use crate::importers::trace_event_syntax::{EventMember, NANOSECONDS, does, read_phase};
use crate::input::json::{JsonError, JsonKind, JsonReader, RawTexts};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::io::Read;

pub(super) const PHASES: Phases = Phases {
    open: b"\"B\"",
    close: b"\"E\"",
};

/// What the events of a file name. The second pass finds all of it known.
#[derive(Default)]
pub(super) struct Known {
    pub rows: Rows,
    texts: RawTexts,
    /// By their names and stack frames, in the order of `rows`.
    frames: IndexSet<(u32, u32), RandomState>,
    /// By their processes and numbers.
    threads: IndexSet<(u32, u32), RandomState>,
}

/// An event as far as it was read.
#[derive(Default)]
struct Event {
    phase: u8,
    name: Option<u32>,
    name_token: Vec<u8>,
    category: Vec<u8>,
    stack_frame: Option<u32>,
    frame_token: Vec<u8>,
    at: Option<At>,
    process: Option<u32>,
    thread: Option<u32>,
    parts: Parts,
    odd: Option<Odd>,
}

/// Reads a file and tells `visitor` its events.
///
/// # Errors
/// It is no JSON, breaks off, or has no events; what the visitor says. An array of events may lack its end.
pub(super) fn walk<R: Read>(
    reader: &mut JsonReader<R>,
    known: &mut Known,
    visitor: &mut impl Visitor,
) -> Result<(), Failed> {
    if reader.peek()? == JsonKind::Array {
        walk_events(reader, known, visitor, true)?;
        return Ok(reader.end()?);
    }
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "traceEvents" => walk_events(reader, known, visitor, false)?,
            _ => reader.skip()?,
        }
    }
    Ok(reader.end()?)
}

fn walk_events<R: Read>(
    reader: &mut JsonReader<R>,
    known: &mut Known,
    visitor: &mut impl Visitor,
    may_lack_its_end: bool,
) -> Result<(), Failed> {
    let in_member = |error: JsonError| {
        if may_lack_its_end {
            error
        } else {
            error.in_member("traceEvents")
        }
    };
    reader.enter_array().map_err(in_member)?;
    visitor.array_begins(reader.offset(), &known.rows)?;
    let mut last = reader.offset();
    loop {
        match reader.next_element() {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if may_lack_its_end && error.is_truncated() => break,
            Err(error) => return Err(in_member(error).into()),
        }
        let start = reader.offset();
        let event = read_event(reader, known).map_err(in_member)?;
        last = reader.offset();
        tell(event, start..last, known, visitor)?;
    }
    visitor.array_ends(last, &known.rows)
}

/// Tells the visitor of an event.
fn tell(
    event: Event,
    text: std::ops::Range<u64>,
    known: &mut Known,
    visitor: &mut impl Visitor,
) -> Result<(), Failed> {
    let Some(does) = does(event.phase) else {
        let track = (event.phase == b'X').then(|| (thread(&event, known), Odd::Complete));
        return visitor.other(text, track, &known.rows);
    };
    let track = thread(&event, known);
    let (Some(name), Some(stack_frame), Some(at)) = (event.name, event.stack_frame, event.at)
    else {
        return visitor.other(text, Some((track, Odd::Incomplete)), &known.rows);
    };
    if let Some(odd) = event.odd {
        return visitor.other(text, Some((track, odd)), &known.rows);
    }
    let row = match known.frames.get_index_of(&(name, stack_frame)) {
        Some(row) => row as u32,
        None => {
            known.frames.insert((name, stack_frame));
            let (name_token, category, frame) =
                (event.name_token, event.category, event.frame_token);
            let spelling = Spelling {
                name: name_token.into(),
                category: category.into(),
                frame: frame.into(),
            };
            known.rows.push(known.texts.text(name), spelling)
        }
    };
    visitor.event(
        track,
        &SpanEvent {
            does,
            row,
            at,
            text,
            parts: event.parts,
        },
        &known.rows,
    )
}

fn thread(event: &Event, known: &mut Known) -> u32 {
    let none = u32::MAX;
    known
        .threads
        .insert_full((event.process.unwrap_or(none), event.thread.unwrap_or(none)))
        .0 as u32
}

fn read_event<R: Read>(reader: &mut JsonReader<R>, known: &mut Known) -> Result<Event, JsonError> {
    let mut event = Event::default();
    reader.enter_object()?;
    while let Some(key) = reader.next_raw_key()? {
        let part = match EventMember::named(key.bytes()) {
            EventMember::Phase => Some(Part::Phase),
            EventMember::At => Some(Part::At),
            EventMember::Name => Some(Part::Name),
            EventMember::Category => Some(Part::Category),
            EventMember::StackFrame => Some(Part::Frame),
            EventMember::Process => {
                event.process = read_id(reader, known, None)?;
                None
            }
            EventMember::Thread => {
                event.thread = read_id(reader, known, None)?;
                None
            }
            EventMember::Duration
            | EventMember::ThreadDuration
            | EventMember::Arguments
            | EventMember::Id
            | EventMember::Other => {
                event.odd.get_or_insert(Odd::OtherMembers);
                reader.skip()?;
                None
            }
        };
        if let Some(part) = part {
            reader.peek()?;
            let start = reader.offset();
            read_part(reader, part, &mut event, known)?;
            if !event.parts.push(part, start..reader.offset()) {
                event.odd.get_or_insert(Odd::OtherMembers);
            }
        }
    }
    Ok(event)
}

fn read_part<R: Read>(
    reader: &mut JsonReader<R>,
    part: Part,
    event: &mut Event,
    known: &mut Known,
) -> Result<(), JsonError> {
    match (part, reader.peek()?) {
        (Part::Phase, _) => event.phase = read_phase(reader)?,
        (Part::At, JsonKind::Number) => {
            let at = reader.number()?;
            let instant = at.instant(NANOSECONDS);
            if !instant.is_clamped {
                event.at = Some(At {
                    exact: at.to_f64(),
                    nanoseconds: instant.value,
                });
            }
        }
        (Part::Name, JsonKind::String) => {
            let name = reader.raw_string()?;
            event.name_token = [b"\"", name.bytes(), b"\""].concat();
            event.name = Some(known.texts.number(&name)?);
        }
        (Part::Category, JsonKind::String) => {
            event.category = [b"\"", reader.raw_string()?.bytes(), b"\""].concat();
        }
        (Part::Frame, _) => {
            event.stack_frame = read_id(reader, known, Some(&mut event.frame_token))?
        }
        (Part::Category, _) => {
            event.odd.get_or_insert(Odd::OtherMembers);
            reader.skip()?;
        }
        _ => reader.skip()?,
    }
    Ok(())
}

/// The number of what names a process, a thread or a stack frame: a number, or a string with its quotes.
fn read_id<R: Read>(
    reader: &mut JsonReader<R>,
    known: &mut Known,
    token: Option<&mut Vec<u8>>,
) -> Result<Option<u32>, JsonError> {
    let text = match reader.peek()? {
        JsonKind::Number => reader.number()?.text().to_string(),
        JsonKind::String => {
            let raw = reader.raw_string()?;
            // half a pair of surrogates has no text, and is the same as others of its kind
            raw.decode()?;
            format!("\"{}\"", String::from_utf8_lossy(raw.bytes()))
        }
        _ => return reader.skip().map(|()| None),
    };
    if let Some(token) = token {
        token.extend_from_slice(text.as_bytes());
    }
    Ok(Some(known.texts.number_of(&text)))
}
