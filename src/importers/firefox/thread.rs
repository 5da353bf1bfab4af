//! A thread of a file while it is read.

use super::columns::{NS_PER_MS, Rows, Tables, members, read_each, read_rows, read_text};
use super::markers::MarkerColumns;
use super::notes::Oddities;
use crate::input::json::{JsonError, JsonReader, ZERO_INSTANT, in_member};
use crate::model::MarkerLog;
use std::io::Read;

/// The parts that make up one unit of weight: weights in milliseconds are exact to the nanosecond.
pub(super) const PARTS: u128 = NS_PER_MS as u128;
/// The parts that make up one unit of CPU time.
pub(super) const CPU_PARTS: u128 = 1_000;

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
    /// Rows of the stack table. There are as many samples.
    pub stacks: Rows,
    /// Nanoseconds from [`ZERO_INSTANT`] on.
    pub times: Vec<u64>,
    /// In [`PARTS`].
    pub weights: Vec<u128>,
    pub weight_type: WeightType,
    /// In [`CPU_PARTS`].
    pub cpu: Vec<u64>,
}

impl Samples {
    /// How many rows the columns have that a sample may lack.
    fn rows(&self) -> [usize; 3] {
        [self.times.len(), self.weights.len(), self.cpu.len()]
    }

    /// Leaves out those that lack what others of the thread, or those of `others`, have, where the file broke off in one of the columns.
    pub(super) fn cut(&mut self, others: &[FileThread]) {
        let is_elsewhere = |column: usize| others.iter().any(|of| of.samples.rows()[column] > 0);
        let columns = self.rows().into_iter().enumerate();
        let needed = columns.filter(|&(column, rows)| rows > 0 || is_elsewhere(column));
        let whole = needed.map(|(_, rows)| rows).min();
        self.stacks.truncate(whole.unwrap_or(usize::MAX));
    }

    fn read<R: Read>(
        &mut self,
        column: &str,
        reader: &mut JsonReader<R>,
        odd: &mut Oddities,
    ) -> Result<(), JsonError> {
        match column {
            "stack" => read_rows(reader, &mut self.stacks),
            "time" => read_each(reader, |value| {
                let instant = value.instant(NS_PER_MS);
                odd.clamped += u64::from(instant.is_none_or(|instant| instant.is_clamped));
                let instant = instant.map_or(ZERO_INSTANT, |instant| instant.value);
                self.times.push(instant);
            }),
            // the first counts from zero, and what rounding takes from one, the next gets
            "timeDeltas" => {
                let (mut at, mut remainder) = (ZERO_INSTANT, 0);
                read_each(reader, |value| {
                    let delta = value.scaled_with(NS_PER_MS, &mut remainder);
                    odd.clamped += u64::from(delta.is_none_or(|delta| delta.is_clamped));
                    at = at.saturating_add(delta.map_or(0, |delta| delta.value));
                    self.times.push(at);
                })
            }
            "weight" => read_each(reader, |value| {
                odd.negative += u64::from(value.to_f64().is_some_and(|weight| weight < 0.0));
                let is_number = value.to_f64().is_some();
                let weight = value
                    .millionths()
                    .unwrap_or(if is_number { 0 } else { PARTS });
                self.weights.push(weight);
            }),
            "weightType" => {
                self.weight_type = match reader.text()?.as_str() {
                    "tracing-ms" => WeightType::Milliseconds,
                    "bytes" => WeightType::Bytes,
                    _ => WeightType::Samples,
                };
                Ok(())
            }
            "threadCPUDelta" => read_each(reader, |value| {
                let delta = value
                    .scaled(CPU_PARTS as u64)
                    .map_or(0, |delta| delta.value);
                self.cpu.push(delta);
            }),
            _ => reader.skip(),
        }
    }
}

/// A thread, as far as it was read.
#[derive(Default)]
pub(super) struct FileThread {
    pub name: String,
    pub process_name: String,
    /// Numbers, which have a part after a point where a number was used again.
    pub tid: String,
    pub pid: String,
    pub tables: Tables,
    pub samples: Samples,
    pub markers: MarkerColumns,
    /// Whether it is one of Firefox's raw format.
    pub is_raw: bool,
}

impl FileThread {
    /// Whether there is anything in it.
    pub(super) fn has_any(&self) -> bool {
        !(self.samples.stacks.is_empty() && self.markers.names.is_empty())
    }

    /// Reads a thread.
    ///
    /// # Errors
    /// Errors from the reader. What was read stays.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        log: &mut MarkerLog,
        odd: &mut Oddities,
    ) -> Result<(), JsonError> {
        members(reader, |key, reader| {
            match key {
                "name" => self.name = reader.text()?,
                "processName" => self.process_name = reader.text()?,
                "tid" => self.tid = read_text(reader)?,
                "pid" => self.pid = read_text(reader)?,
                "samples" => members(reader, |column, reader| {
                    self.is_raw |= column == "schema";
                    self.samples.read(column, reader, odd)
                })
                .map_err(in_member("samples"))?,
                "markers" => {
                    let read = self.markers.read(reader, log);
                    read.map_err(in_member("markers"))?;
                }
                table => self.tables.read(table, reader)?,
            }
            Ok(())
        })
    }
}
