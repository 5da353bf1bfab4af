//! Markers: what happened, in columns next to the samples.

use super::columns::{NONE, NS_PER_MS, Rows, members, read_each, read_rows, read_text, row_of};
use crate::importers::tracks::Quantity;
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
/// The markers of Firefox that are garbage collections.
const COLLECTIONS: [&str; 2] = ["GCMajor", "GCMinor"];
/// The time of no marker.
const NO_TIME: u64 = u64::MAX;

/// What a marker says that dotspot wrote.
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
    pub names: Rows,
    phases: Rows,
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// In the order of the rows.
    written: Vec<WrittenMarker>,
}

impl MarkerColumns {
    /// Reads the table of a thread; texts of markers that dotspot wrote go into the log.
    ///
    /// # Errors
    /// Errors from the reader. What was read stays.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        log: &mut MarkerLog,
    ) -> Result<(), JsonError> {
        members(reader, |column, reader| match column {
            "name" => read_rows(reader, &mut self.names),
            "phase" => read_rows(reader, &mut self.phases),
            // without a second one before version 29
            "startTime" | "time" => read_each(reader, |value| self.starts.push(time_of(&value))),
            "endTime" => read_each(reader, |value| self.ends.push(time_of(&value))),
            "data" if reader.peek()? == JsonKind::Array => {
                let mut row = 0;
                reader.each(|reader| {
                    self.written.extend(read_data(reader, row, log)?);
                    row += 1;
                    Ok(())
                })
            }
            _ => reader.skip(),
        })
    }

    /// Puts the markers of a thread, by its row, into the log, on the file's clock, and counts the others. `place` gives the row of
    /// the sample log in which a stack stands.
    ///
    /// # Errors
    /// Errors from `place`.
    pub(super) fn finish<E>(
        self,
        (log, counts): (&mut MarkerLog, &mut MarkerCounts),
        strings: &[Box<str>],
        thread: u32,
        mut place: impl FnMut(u32, u64) -> Result<u32, E>,
    ) -> Result<(), E> {
        let mut written = self.written.into_iter().peekable();
        let time_at = |times: &[u64], row: usize| {
            let time = times.get(row).copied();
            time.filter(|&time| time != NO_TIME)
        };
        for (row, &name) in self.names.iter().enumerate() {
            let data = written.next_if(|data| data.row == row);
            let name = strings.get(name as usize).map_or("", |name| name);
            let data = data.or_else(|| {
                let is_collection = COLLECTIONS.contains(&name);
                is_collection.then(|| WrittenMarker::new(row, MarkerKind::Collection))
            });
            let phase = self.phases.get(row).copied();
            let time = time_at(&self.starts, row).filter(|_| phase != Some(IS_END));
            counts.add(name, data.is_some() && time.is_some());
            let (Some(data), Some(time)) = (data, time) else {
                continue;
            };
            let end = time_at(&self.ends, row).filter(|_| phase != Some(IS_START));
            let end = match data.kind.lasts() {
                true => end.map_or(MarkerLog::OPEN, |end| end.max(time)),
                false => time,
            };
            let marker = log.push(data.kind, (time, end), thread, &data.values);
            if data.stack != NONE {
                log.rows[marker as usize].stack = place(data.stack, time)?;
            }
        }
        Ok(())
    }
}

/// How many characters of a marker's name are counted by.
const MAX_NAME: usize = 200;

/// How many markers there are, by name and whether anything was made of them.
#[derive(Default)]
pub(super) struct MarkerCounts(IndexMap<(String, bool), u64, RandomState>);

impl MarkerCounts {
    fn add(&mut self, name: &str, is_read: bool) {
        let end = name
            .char_indices()
            .nth(MAX_NAME)
            .map_or(name.len(), |(end, _)| end);
        let name = if self.0.len() < MAX_NAMES {
            &name[..end]
        } else {
            ""
        };
        *self.0.entry((name.into(), is_read)).or_default() += 1;
    }

    /// The log, with these counts and with times from this zero on.
    pub(super) fn finish(self, mut log: MarkerLog, zero_ns: u64) -> MarkerLog {
        for marker in &mut log.rows {
            marker.time = marker.time.saturating_sub(zero_ns);
            if marker.end != MarkerLog::OPEN {
                marker.end = marker.end.saturating_sub(zero_ns);
            }
        }
        let event = |((name, is_read), count)| EventCount {
            provider: PROVIDER.into(),
            name,
            count,
            is_read,
            ..EventCount::default()
        };
        log.events = self.0.into_iter().map(event).collect();
        log
    }
}

/// A time on the file's clock; [`NO_TIME`] if there is none.
fn time_of(value: &Quantity<'_>) -> u64 {
    let instant = value.instant(NS_PER_MS);
    instant.map_or(NO_TIME, |instant| instant.value.min(NO_TIME - 1))
}

/// Reads what a marker says, if dotspot wrote it: its type, which then comes first, is the name of a kind.
fn read_data<R: Read>(
    reader: &mut JsonReader<R>,
    row: usize,
    log: &mut MarkerLog,
) -> Result<Option<WrittenMarker>, JsonError> {
    let mut found: Option<WrittenMarker> = None;
    members(reader, |key, reader| {
        let name = if key == MarkerKind::TYPE_KEY {
            "type"
        } else {
            key
        };
        let field = found.as_ref().and_then(|marker| marker.kind.field(name));
        match (key, &mut found) {
            ("type", None) => {
                let kind = MarkerKind::named(&reader.text()?);
                found = kind.map(|kind| WrittenMarker::new(row, kind));
            }
            ("type", Some(_)) => reader.skip()?,
            ("cause", Some(marker)) => members(reader, |key, reader| {
                match key {
                    "stack" => marker.stack = row_of(&Quantity::read(reader)?),
                    _ => reader.skip()?,
                }
                Ok(())
            })?,
            (_, Some(marker)) => match field {
                Some(field) => {
                    let text = read_text(reader)?;
                    marker.values[field] = log.stored(marker.kind, field, &text);
                }
                None => reader.skip()?,
            },
            (_, None) => reader.skip()?,
        }
        Ok(())
    })?;
    Ok(found)
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
