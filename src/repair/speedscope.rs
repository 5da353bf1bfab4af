//! The events of speedscope JSON.

use super::events::{
    At, Does, Failed, Odd, Part, Parts, Phases, Rows, SpanEvent, Spelling, Visitor,
};
use crate::importers::speedscope_syntax::{SpeedscopeMember, nanoseconds_in};
use crate::input::json::{JsonError, JsonKind, JsonProblem, JsonReader};
use crate::repair::messages;
use std::io::Read;

pub(super) const PHASES: Phases = Phases {
    open: b"\"O\"",
    close: b"\"C\"",
};

/// The frame table of a file. The second pass finds it known.
#[derive(Default)]
pub(super) struct Known {
    pub rows: Rows,
    is_known: bool,
}

/// Reads a file and tells `visitor` its events.
///
/// # Errors
/// It is no JSON or breaks off; its frames stand behind its profiles; what the visitor says.
pub(super) fn walk<R: Read>(
    reader: &mut JsonReader<R>,
    known: &mut Known,
    visitor: &mut impl Visitor,
) -> Result<(), Failed> {
    let mut tracks = 0;
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "shared" if known.is_known => reader.skip()?,
            "shared" => {
                read_shared(reader, &mut known.rows).map_err(|error| error.in_member("shared"))?
            }
            "profiles" => {
                if known.rows.len() == 0 {
                    let expected = messages::NO_SHARED_FIRST;
                    let problem = JsonProblem::Unexpected {
                        expected,
                        found: "none".into(),
                    };
                    return Err(JsonError::new(reader.offset(), problem).into());
                }
                known.is_known = true;
                reader.enter_array()?;
                while reader.next_element()? {
                    walk_profile(reader, &known.rows, tracks, visitor)?;
                    tracks += 1;
                }
            }
            _ => reader.skip()?,
        }
    }
    Ok(reader.end()?)
}

fn read_shared<R: Read>(reader: &mut JsonReader<R>, rows: &mut Rows) -> Result<(), JsonError> {
    reader.elements_of("frames", |reader| {
        let mut name = String::new();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => name = reader.text()?,
                _ => reader.skip()?,
            }
        }
        let frame = rows.len().to_string().into_bytes().into();
        rows.push(
            &name,
            Spelling {
                frame,
                ..Spelling::default()
            },
        );
        Ok(())
    })
}

fn walk_profile<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &Rows,
    track: u32,
    visitor: &mut impl Visitor,
) -> Result<(), Failed> {
    let mut scale = None;
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "unit" => {
                scale = nanoseconds_in(&reader.text()?);
            }
            "events" => walk_events(reader, rows, track, scale, visitor)?,
            _ => reader.skip()?,
        }
    }
    Ok(())
}

fn walk_events<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &Rows,
    track: u32,
    scale: Option<u64>,
    visitor: &mut impl Visitor,
) -> Result<(), Failed> {
    let in_member = |error: JsonError| error.in_member("events");
    reader.enter_array().map_err(in_member)?;
    visitor.array_begins(reader.offset(), rows)?;
    let mut last = reader.offset();
    while reader.next_element().map_err(in_member)? {
        let start = reader.offset();
        let event = read_event(reader, rows, scale).map_err(in_member)?;
        last = reader.offset();
        match event {
            Ok((does, row, at, parts)) => {
                visitor.event(
                    track,
                    &SpanEvent {
                        does,
                        row,
                        at,
                        text: start..last,
                        parts,
                    },
                    rows,
                )?;
            }
            Err(odd) => visitor.other(start..last, Some((track, odd)), rows)?,
        }
    }
    visitor.array_ends(last, rows)
}

/// What an event does, to which frame, when, and where its parts stand.
type Step = (Does, u32, At, Parts);

fn read_event<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &Rows,
    scale: Option<u64>,
) -> Result<Result<Step, Odd>, JsonError> {
    let (mut does, mut row, mut at, mut parts, mut odd) =
        (None, None, None, Parts::default(), None);
    reader.enter_object()?;
    while let Some(key) = reader.next_raw_key()? {
        let part = match SpeedscopeMember::named(key.bytes()) {
            SpeedscopeMember::Type => Part::Phase,
            SpeedscopeMember::Frame => Part::Frame,
            SpeedscopeMember::At => Part::At,
            SpeedscopeMember::Other => {
                odd = Some(Odd::OtherMembers);
                reader.skip()?;
                continue;
            }
        };
        let kind = reader.peek()?;
        let start = reader.offset();
        match (part, kind) {
            (Part::Phase, JsonKind::String) => does = Does::named(reader.raw_string()?.bytes()),
            (Part::Frame, JsonKind::Number) => {
                let number = reader
                    .number()?
                    .to_u64()
                    .and_then(|row| u32::try_from(row).ok());
                row = number.filter(|row| (*row as usize) < rows.len());
            }
            (Part::At, JsonKind::Number) => {
                let number = reader.number()?;
                let instant = scale
                    .map(|scale| number.instant(scale))
                    .filter(|instant| !instant.is_clamped);
                at = instant.map(|instant| At {
                    exact: number.to_f64(),
                    nanoseconds: instant.value,
                });
            }
            _ => reader.skip()?,
        }
        if !parts.push(part, start..reader.offset()) {
            odd = Some(Odd::OtherMembers);
        }
    }
    Ok(match (does, row, at) {
        _ if scale.is_none() => Err(Odd::NoUnit),
        (Some(does), Some(row), Some(at)) => odd.map_or(Ok((does, row, at, parts)), Err),
        _ => Err(Odd::Incomplete),
    })
}
