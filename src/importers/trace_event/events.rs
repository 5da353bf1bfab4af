use super::cpu::CpuProfiles;
use super::ids::{Id, text};
use super::rows::EventNames;
use crate::importers::tracks::Quantity;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use std::io::Read;

/// Per microsecond, the unit of the files.
const NANOSECONDS: u64 = 1_000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TraceEvent {
    pub phase: u8,
    pub name: Option<u32>,
    pub at: Option<u64>,
    pub duration: Option<u64>,
    pub process: Id,
    pub thread: Id,
    pub stack_frame: Option<u32>,
    pub argument: Option<u32>,
    /// A text in [`EventNames`], and the line.
    pub file: Option<u32>,
    pub line: u32,
    /// A number was out of range.
    pub is_clamped: bool,
}

#[inline]
pub(super) fn read_event<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &mut EventNames,
    cpu: &mut CpuProfiles,
) -> Result<TraceEvent, JsonError> {
    let mut event = TraceEvent::default();
    cpu.id.clear();
    let mut thread_duration = None;
    reader.enter_object()?;
    while let Some(key) = reader.next_key_bytes()? {
        match key {
            b"name" => event.name = text(reader, &mut rows.texts)?,
            b"ph" => event.phase = read_phase(reader)?,
            b"ts" => {
                let at = Quantity::read(reader)?.instant(NANOSECONDS);
                event.is_clamped |= at.is_some_and(|at| at.is_clamped);
                event.at = at.map(|at| at.value);
            }
            b"dur" => event.duration = read_duration(reader, &mut event.is_clamped)?,
            b"tdur" => thread_duration = read_duration(reader, &mut event.is_clamped)?,
            b"pid" => event.process = Id::read(reader, &mut rows.texts)?.unwrap_or_default(),
            b"tid" => event.thread = Id::read(reader, &mut rows.texts)?.unwrap_or_default(),
            b"sf" => {
                let id = Id::read(reader, &mut rows.texts)?;
                event.stack_frame = id.map(|id| rows.stack_frame(id));
            }
            b"args" => read_arguments(reader, rows, &mut event, Some(cpu))?,
            b"id" => cpu.read_id(reader)?,
            _ => reader.skip()?,
        }
    }
    event.duration = event.duration.or(thread_duration);
    Ok(event)
}

#[inline]
fn read_phase<R: Read>(reader: &mut JsonReader<R>) -> Result<u8, JsonError> {
    match reader.peek()? {
        JsonKind::String => match reader.raw_string()?.bytes() {
            [phase] => Ok(*phase),
            _ => Ok(0),
        },
        _ => reader.skip().map(|()| 0),
    }
}

fn read_duration<R: Read>(
    reader: &mut JsonReader<R>,
    is_clamped: &mut bool,
) -> Result<Option<u64>, JsonError> {
    let duration = Quantity::read(reader)?.scaled(NANOSECONDS);
    *is_clamped |= duration.is_some_and(|duration| duration.is_clamped);
    Ok(duration.map(|duration| duration.value))
}

/// Names, and the source locations of methods as written by Hermes and dotspot.
fn read_arguments<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &mut EventNames,
    event: &mut TraceEvent,
    mut cpu: Option<&mut CpuProfiles>,
) -> Result<(), JsonError> {
    if !reader.enter_if_object()? {
        return Ok(());
    }
    while let Some(key) = reader.next_key_bytes()? {
        match (key, &mut cpu) {
            (b"data", Some(cpu)) => cpu.read_data(reader, false)?,
            (b"name", _) => event.argument = text(reader, &mut rows.texts)?,
            (b"url", _) => event.file = text(reader, &mut rows.texts)?,
            (b"line", _) => event.line = Quantity::read(reader)?.to_f64().unwrap_or(0.0) as u32,
            _ => reader.skip()?,
        }
    }
    Ok(())
}

/// Source locations that dotspot writes in `otherData`; any other form is skipped.
pub(super) fn read_sources<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &mut EventNames,
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Array {
        return reader.skip();
    }
    reader.each(|reader| {
        let mut source = TraceEvent::default();
        read_arguments(reader, rows, &mut source, None)?;
        if let (Some(name), Some(file)) = (source.argument, source.file) {
            let frame = rows.frame(Some(name), None);
            rows.set_location(frame, file, source.line);
        }
        Ok(())
    })
}
