//! Markers: what happened, in columns beside the samples.

use super::columns::{NONE, NS_PER_MS, Rows, is_object, read_row, read_rows};
use super::thread::{read_each, read_text};
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::{EventCount, MarkerKind, MarkerLog};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::io::Read;

/// How many names are counted: a file has a few hundred.
const MAX_NAMES: usize = 10_000;
/// Who has sent what is counted.
const PROVIDER: &str = "markers";
/// The phases of markers that only say when something starts, and when it ends.
const IS_START: u32 = 2;
const IS_END: u32 = 3;
/// The markers of SpiderMonkey that are garbage collections.
const COLLECTIONS: [&str; 2] = ["GCMajor", "GCMinor"];

/// The markers of all threads.
#[derive(Default)]
pub(super) struct Markers {
    pub log: MarkerLog,
    counts: IndexMap<(String, bool), u64, RandomState>,
}

/// What dotspot wrote about a marker.
struct WrittenMarker {
    row: usize,
    kind: MarkerKind,
    values: [u64; MarkerLog::MAX_FIELDS],
    /// Where its stack ends, in the stack table.
    stack: u32,
}

/// The columns of a thread's markers.
#[derive(Default)]
pub(super) struct MarkerColumns {
    /// Rows of the strings.
    names: Rows,
    phases: Rows,
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// Data of markers that dotspot wrote, in the order of the rows.
    written: Vec<WrittenMarker>,
}

impl MarkerColumns {
    /// Whether there is any.
    pub(super) fn has_any(&self) -> bool {
        !self.names.is_empty()
    }

    /// Reads the table of a thread.
    ///
    /// # Errors
    /// Those of the reader. What was read stays.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        markers: &mut Markers,
    ) -> Result<(), JsonError> {
        if !is_object(reader)? {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => read_rows(reader, &mut self.names)?,
                "phase" => read_rows(reader, &mut self.phases)?,
                // without a second one before version 29
                "startTime" | "time" => read_times(reader, &mut self.starts)?,
                "endTime" => read_times(reader, &mut self.ends)?,
                "data" => self.read_written(reader, &mut markers.log)?,
                _ => reader.skip()?,
            }
        }
        Ok(())
    }

    /// Reads what is said of each marker.
    fn read_written<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        log: &mut MarkerLog,
    ) -> Result<(), JsonError> {
        if reader.peek()? != JsonKind::Array {
            return reader.skip();
        }
        let mut row = 0;
        reader.each(|reader| {
            self.written.extend(read_data(reader, row, log)?);
            row += 1;
            Ok(())
        })
    }

    /// Puts the markers of a thread, by its row, into the log, on the file's clock. `place` gives the row of the sample log in
    /// which a stack stands.
    ///
    /// # Errors
    /// Those of `place`.
    pub(super) fn finish<E>(
        self,
        markers: &mut Markers,
        strings: &[Box<str>],
        thread: u32,
        mut place: impl FnMut(u32, u64) -> Result<u32, E>,
    ) -> Result<(), E> {
        let mut written = self.written.into_iter().peekable();
        for (row, &name) in self.names.iter().enumerate() {
            let data = written.next_if(|data| data.row == row);
            let name = strings.get(name as usize).map_or("", |name| name);
            let phase = self.phases.get(row).copied();
            let time = self
                .starts
                .get(row)
                .copied()
                .filter(|&time| time != NO_TIME);
            let is_known = data.is_some() || COLLECTIONS.contains(&name);
            let Some(time) = time.filter(|_| is_known && phase != Some(IS_END)) else {
                markers.count(name, false);
                continue;
            };
            markers.count(name, true);
            let end = self.ends.get(row).copied();
            let end = end.filter(|&end| end != NO_TIME && phase != Some(IS_START));
            let (kind, values) = match &data {
                Some(data) => (data.kind, data.values),
                None => (
                    MarkerKind::Collection,
                    [MarkerLog::MISSING; MarkerLog::MAX_FIELDS],
                ),
            };
            let end = match kind.lasts() {
                true => end.map_or(MarkerLog::OPEN, |end| end.max(time)),
                false => time,
            };
            let marker = markers.log.push(kind, (time, end), thread, &values);
            if let Some(data) = data.filter(|data| data.stack != NONE) {
                markers.log.rows[marker as usize].stack = place(data.stack, time)?;
            }
        }
        Ok(())
    }
}

impl Markers {
    fn count(&mut self, name: &str, is_read: bool) {
        let is_full = self.counts.len() >= MAX_NAMES;
        let key = (
            if is_full {
                String::new()
            } else {
                name.to_string()
            },
            is_read,
        );
        *self.counts.entry(key).or_default() += 1;
    }

    /// The log, with times from this zero on.
    pub(super) fn finish(mut self, zero_ns: u64) -> MarkerLog {
        for marker in &mut self.log.rows {
            marker.time = marker.time.saturating_sub(zero_ns);
            if marker.end != MarkerLog::OPEN {
                marker.end = marker.end.saturating_sub(zero_ns);
            }
        }
        let events = self.counts.into_iter();
        self.log.events = events
            .map(|((name, is_read), count)| EventCount {
                provider: PROVIDER.into(),
                name,
                count,
                is_read,
                ..EventCount::default()
            })
            .collect();
        self.log
    }
}

/// The time of no marker.
const NO_TIME: u64 = u64::MAX;

fn read_times<R: Read>(reader: &mut JsonReader<R>, times: &mut Vec<u64>) -> Result<(), JsonError> {
    read_each(reader, |value| {
        let instant = value.instant(NS_PER_MS);
        times.push(instant.map_or(NO_TIME, |instant| instant.value.min(NO_TIME - 1)));
    })
}

/// Reads what a marker says, if dotspot wrote it: its type, which then comes first, is the name of a kind.
fn read_data<R: Read>(
    reader: &mut JsonReader<R>,
    row: usize,
    log: &mut MarkerLog,
) -> Result<Option<WrittenMarker>, JsonError> {
    if !is_object(reader)? {
        return reader.skip().map(|()| None);
    }
    let mut found: Option<WrittenMarker> = None;
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        let Some(marker) = &mut found else {
            match key {
                "type" => {
                    let kind = MarkerKind::named(&reader.text()?);
                    found = kind.map(|kind| WrittenMarker::new(row, kind));
                }
                _ => reader.skip()?,
            }
            continue;
        };
        match (marker.kind.field(key), key) {
            (_, "cause") => marker.stack = read_cause(reader)?,
            (Some(field), _) => {
                let text = read_text(reader)?;
                marker.values[field] = log.stored(marker.kind, field, &text);
            }
            (None, _) => reader.skip()?,
        }
    }
    Ok(found)
}

/// The stack of a marker.
fn read_cause<R: Read>(reader: &mut JsonReader<R>) -> Result<u32, JsonError> {
    let mut stack = NONE;
    if !is_object(reader)? {
        return reader.skip().map(|()| stack);
    }
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "stack" => stack = read_row(reader)?,
            _ => reader.skip()?,
        }
    }
    Ok(stack)
}

impl WrittenMarker {
    fn new(row: usize, kind: MarkerKind) -> WrittenMarker {
        WrittenMarker {
            row,
            kind,
            values: [MarkerLog::MISSING; MarkerLog::MAX_FIELDS],
            stack: NONE,
        }
    }
}
