//! A thread of a file while it is read.

use super::columns::{self, NS_PER_MS, Rows, Tables, read_rows};
use super::markers::{MarkerColumns, Markers};
use super::notes::Oddities;
use crate::importers::tracks::Quantity;
use crate::input::json::{JsonError, JsonKind, JsonReader, ZERO_INSTANT, in_member};
use std::io::Read;

/// So many parts of a weight or of a difference are one: times in milliseconds are exact to the nanosecond.
pub(super) const PARTS: u64 = 1_000_000;
/// The same of the processor's time, which has a unit of its own.
pub(super) const CPU_PARTS: u64 = 1_000;

/// What weights count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WeightType {
    #[default]
    Samples,
    Milliseconds,
    Bytes,
}

/// The columns of a thread's samples. Those that are not there are empty.
#[derive(Default)]
pub(super) struct Samples {
    /// Rows of the stack table.
    pub stacks: Rows,
    /// Nanoseconds from [`ZERO_INSTANT`] on.
    pub times: Vec<u64>,
    /// In [`PARTS`].
    pub weights: Vec<u64>,
    pub weight_type: WeightType,
    /// In [`CPU_PARTS`].
    pub cpu: Vec<u64>,
}

impl Samples {
    /// How many there are: as many as have a stack, or the mark of none.
    pub(super) fn len(&self) -> usize {
        self.stacks.len()
    }

    /// Leaves out those that lack what others have, where the file broke off in one of the columns.
    pub(super) fn cut(&mut self) {
        let columns = [self.times.len(), self.weights.len(), self.cpu.len()];
        let whole = columns.into_iter().filter(|&rows| rows > 0);
        self.stacks.truncate(whole.min().unwrap_or(usize::MAX));
    }

    fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        odd: &mut Oddities,
    ) -> Result<bool, JsonError> {
        let mut is_raw = false;
        if !columns::is_object(reader)? {
            return reader.skip().map(|()| is_raw);
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "stack" => read_rows(reader, &mut self.stacks)?,
                "time" => read_each(reader, |value| {
                    let instant = value.instant(NS_PER_MS);
                    odd.clamped += u64::from(instant.is_none_or(|instant| instant.is_clamped));
                    self.times
                        .push(instant.map_or(ZERO_INSTANT, |instant| instant.value));
                })?,
                "timeDeltas" => self.read_deltas(reader, odd)?,
                "weight" => read_each(reader, |value| {
                    let weight = value.scaled(PARTS);
                    odd.negative += u64::from(value.to_f64().is_some_and(|weight| weight < 0.0));
                    // without a weight it counts as one
                    self.weights
                        .push(weight.map_or(PARTS, |weight| weight.value));
                })?,
                "weightType" => {
                    self.weight_type = match reader.text()?.as_str() {
                        "tracing-ms" => WeightType::Milliseconds,
                        "bytes" => WeightType::Bytes,
                        _ => WeightType::Samples,
                    }
                }
                "threadCPUDelta" => read_each(reader, |value| {
                    let delta = value.scaled(CPU_PARTS).map_or(0, |delta| delta.value);
                    self.cpu.push(delta);
                })?,
                key => {
                    is_raw |= key == "schema";
                    reader.skip()?;
                }
            }
        }
        Ok(is_raw)
    }

    /// Reads times as differences, the first of which counts from zero. What rounding takes from one, the next gets.
    fn read_deltas<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        odd: &mut Oddities,
    ) -> Result<(), JsonError> {
        let (mut at, mut remainder) = (ZERO_INSTANT, 0);
        read_each(reader, |value| {
            let delta = value.scaled_with(NS_PER_MS, &mut remainder);
            odd.clamped += u64::from(delta.is_none_or(|delta| delta.is_clamped));
            at = at.saturating_add(delta.map_or(0, |delta| delta.value));
            self.times.push(at);
        })
    }
}

/// A thread, as far as it was read.
#[derive(Default)]
pub(super) struct FileThread {
    pub name: String,
    pub process_name: String,
    /// Numbers, which may have a part behind a point where a number was used again.
    pub tid: String,
    pub pid: String,
    pub tables: Tables,
    pub samples: Samples,
    pub markers: MarkerColumns,
    /// Whether it is one of Firefox's raw format.
    pub is_raw: bool,
}

impl FileThread {
    /// Reads a thread.
    ///
    /// # Errors
    /// Those of the reader. What was read stays.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        markers: &mut Markers,
        odd: &mut Oddities,
    ) -> Result<(), JsonError> {
        // the raw format has whole processes as texts
        if !columns::is_object(reader)? {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => self.name = reader.text()?,
                "processName" => self.process_name = reader.text()?,
                "tid" => self.tid = read_text(reader)?,
                "pid" => self.pid = read_text(reader)?,
                "samples" => {
                    let is_raw = self.samples.read(reader, odd);
                    self.is_raw |= is_raw.map_err(in_member("samples"))?;
                }
                "markers" => {
                    let read = self.markers.read(reader, markers);
                    read.map_err(in_member("markers"))?;
                }
                key => {
                    let key = key.to_string();
                    self.is_raw |= key == "stringTable";
                    if !self.tables.read(&key, reader)? {
                        reader.skip()?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads an array of numbers; a whole column may be `null`.
///
/// # Errors
/// Those of the reader.
pub(super) fn read_each<R: Read>(
    reader: &mut JsonReader<R>,
    mut take: impl FnMut(Quantity<'_>),
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Array {
        return reader.skip();
    }
    reader.each(|reader| {
        take(Quantity::read(reader)?);
        Ok(())
    })
}

/// A text, or a number as it is written, as numbers of threads and processes are in versions before 47.
///
/// # Errors
/// Those of the reader.
pub(super) fn read_text<R: Read>(reader: &mut JsonReader<R>) -> Result<String, JsonError> {
    match reader.peek()? {
        JsonKind::Number => Ok(reader.number()?.text().to_string()),
        _ => reader.text(),
    }
}
