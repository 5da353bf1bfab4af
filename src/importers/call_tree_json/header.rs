//! Everything in a call-tree JSON file but its tree.

use crate::diagnostics::{CallTreeDiagnostic, Diagnostic, FileDiagnostic, UnknownUnit};
use crate::importers::embedded_notes::EmbeddedNotes;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::{
    CountKind, MethodKey, MethodNotes, Metric, ProfileKind, RecordedNode, StoredHotspot,
    StoredMethod,
};
use crate::units::Unit;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::io::Read;

/// The most metrics that are read; further ones are passed over.
pub(super) const MAX_METRICS: usize = 16;

/// How many rows of a list are kept; a file that holds more is not written by people or profilers.
const MAX_ROWS: usize = 100_000;

/// How many bytes of notes on methods are kept, with the names of these; people don't write more.
const MAX_BYTES_OF_NOTES: usize = 1 << 20;

/// How many rows of a list of hotspots are kept; the format has at most 200.
const MAX_HOTSPOTS: usize = 1000;

/// A metric as `snapshot` declares it.
pub(super) struct MetricRow {
    pub name: String,
    pub unit: Unit,
    /// `None` if the file does not say whether there are counts
    pub counts: Option<Option<CountKind>>,
}

/// A row of `thread_roots`.
pub(super) struct ThreadMember {
    /// the hash of its node's id, see [`Header::id_key`]
    pub id_key: u64,
    pub thread_id: String,
    pub thread_name: Option<String>,
}

/// What the members of a file say, apart from the tree.
#[derive(Default)]
pub(super) struct DocumentHeader {
    pub source: String,
    pub decoder: String,
    pub decoder_version: String,
    pub payload_type: String,
    pub time_unit: Option<String>,
    pub metric: Option<MetricRow>,
    pub other_metrics: Vec<MetricRow>,
    pub kept: EmbeddedNotes,
    pub method_notes: MethodNotes,
    bytes_of_notes: usize,
    pub thread_rows: Vec<ThreadMember>,
    pub hotspots: Vec<StoredHotspot>,
    /// the scale with which the hotspots were read, if any was
    pub hotspot_scale: Option<u64>,
    /// values that were negative or too large
    pub clamped_values: u64,
    /// the rows of `hotspots.inclusive` and `.exclusive` so far
    hotspot_rows: [usize; 2],
    seen_hotspots: HashSet<(String, Option<String>, String)>,
    hasher: foldhash::fast::RandomState,
}

impl DocumentHeader {
    /// Ids are only ever compared with each other, so a hash (seeded at random) stands for them.
    pub(super) fn id_key(&self, id: &[u8]) -> u64 {
        self.hasher.hash_one(id)
    }

    pub(super) fn kind(&self) -> ProfileKind {
        ProfileKind::from_name(&self.payload_type)
    }

    /// The unit of the node times and how many stored steps one of the file's units is.
    pub(super) fn unit_and_scale(&self) -> (Unit, u64) {
        let time_unit = self
            .time_unit
            .as_deref()
            .and_then(unit_and_scale)
            .unwrap_or((Unit::Milliseconds, 1_000_000));
        match &self.metric {
            Some(metric) if metric.unit != time_unit.0 => {
                (metric.unit, metric.unit.stored_per_unit())
            }
            _ => time_unit,
        }
    }

    /// The metric of the node times. `has_counts` says whether any node had a count, and `named` what it was called, unless that
    /// was `call_count`, which are samples in older files of sampling.
    pub(super) fn main_metric(&self, has_counts: bool, named: Option<CountKind>) -> Metric {
        let said = self.metric.as_ref().and_then(|metric| metric.counts);
        let name = self.metric.as_ref().map_or("time", |metric| &metric.name);
        let counts = said.unwrap_or(has_counts.then_some(named.unwrap_or(self.kind().counts())));
        Metric {
            name: name.to_string(),
            unit: self.unit_and_scale().0,
            counts,
        }
    }

    /// What is odd about this part of the file, a sentence each.
    pub(super) fn oddities(&self) -> Vec<Diagnostic> {
        let unknown = self
            .time_unit
            .clone()
            .filter(|unit| unit_and_scale(unit).is_none());
        let unit = unknown.map(|unit| {
            Diagnostic::File(FileDiagnostic::UnitUnknown {
                unit,
                values: UnknownUnit::ReadAsMilliseconds,
            })
        });
        let left_out: usize = self
            .hotspot_rows
            .iter()
            .map(|rows| rows.saturating_sub(MAX_HOTSPOTS))
            .sum();
        let rows = CallTreeDiagnostic::HotspotsLeftOut {
            most: MAX_HOTSPOTS,
            left_out,
        };
        unit.into_iter()
            .chain((left_out > 0).then_some(Diagnostic::CallTree(rows)))
            .collect()
    }

    /// Reads the value of the member `snapshot`.
    pub(super) fn read_snapshot<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            let (name, target) = match key {
                "source" => ("source", &mut self.source),
                "decoder" => ("decoder", &mut self.decoder),
                "decoder_version" => ("decoder_version", &mut self.decoder_version),
                "payload_type" => ("payload_type", &mut self.payload_type),
                "time_unit" => ("time_unit", self.time_unit.get_or_insert_default()),
                "warnings" => {
                    self.kept
                        .read_warnings(reader)
                        .map_err(|error| error.in_member("warnings"))?;
                    continue;
                }
                "notes" => {
                    self.kept
                        .read_notes(reader)
                        .map_err(|error| error.in_member("notes"))?;
                    continue;
                }
                "method_notes" => {
                    self.read_method_notes(reader)
                        .map_err(|error| error.in_member("method_notes"))?;
                    continue;
                }
                "metric" => {
                    self.metric = read_metric(reader).map_err(|error| error.in_member("metric"))?;
                    continue;
                }
                "other_metrics" => {
                    self.other_metrics =
                        read_metrics(reader).map_err(|error| error.in_member("other_metrics"))?;
                    continue;
                }
                _ => {
                    reader.skip()?;
                    continue;
                }
            };
            *target = text_or_number(reader)
                .map_err(|error| error.in_member(name))?
                .unwrap_or_default();
        }
        Ok(())
    }

    /// Reads the value of the member `method_notes`.
    fn read_method_notes<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        reader.enter_array()?;
        while reader.next_element()? {
            reader.enter_object()?;
            let (mut name, mut signature, mut note) = (String::new(), String::new(), String::new());
            while let Some(key) = reader.next_key()? {
                match key {
                    "method" => name = text_or_number(reader)?.unwrap_or_default(),
                    "signature" => signature = text_or_number(reader)?.unwrap_or_default(),
                    "note" => note = text_or_number(reader)?.unwrap_or_default(),
                    _ => reader.skip()?,
                }
            }
            self.bytes_of_notes += name.len() + signature.len() + note.len();
            if self.bytes_of_notes <= MAX_BYTES_OF_NOTES {
                self.method_notes.set(MethodKey { name, signature }, &note);
            }
        }
        Ok(())
    }

    /// Reads the value of the member `thread_roots`.
    pub(super) fn read_thread_roots<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        reader.enter_array()?;
        while reader.next_element()? {
            reader.enter_object()?;
            let (mut id_key, mut thread_id, mut thread_name) = (None, String::new(), None);
            while let Some(key) = reader.next_key()? {
                match key {
                    "id" => {
                        let id = text_or_number(reader).map_err(|error| error.in_member("id"))?;
                        id_key = id.map(|id| self.id_key(id.as_bytes()));
                    }
                    "thread_id" => thread_id = text_or_number(reader)?.unwrap_or_default(),
                    "thread_name" => thread_name = text_or_number(reader)?,
                    _ => reader.skip()?,
                }
            }
            if let Some(id_key) = id_key.filter(|_| self.thread_rows.len() < MAX_ROWS) {
                self.thread_rows.push(ThreadMember {
                    id_key,
                    thread_id,
                    thread_name,
                });
            }
        }
        Ok(())
    }

    /// Reads the value of the member `hotspots`; a method that is in both lists is kept once.
    pub(super) fn read_hotspots<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        let scale = self.unit_and_scale().1;
        self.hotspot_scale = Some(scale);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            let list = match key {
                "inclusive" => 0,
                "exclusive" => 1,
                _ => {
                    reader.skip()?;
                    continue;
                }
            };
            if reader.take_null()? {
                continue;
            }
            reader.enter_array()?;
            while reader.next_element()? {
                self.hotspot_rows[list] += 1;
                match self.hotspot_rows[list] <= MAX_HOTSPOTS {
                    true => self.read_hotspot(reader, scale)?,
                    false => reader.skip()?,
                }
            }
        }
        Ok(())
    }

    fn read_hotspot<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        scale: u64,
    ) -> Result<(), JsonError> {
        let (mut name, mut signature, mut kind) = (None, None, String::new());
        let (mut inclusive, mut exclusive, mut count, mut node_count) = (None, None, None, None);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            let (member, target, scale) = match key {
                "inclusive_time" => ("inclusive_time", &mut inclusive, scale),
                "exclusive_time" => ("exclusive_time", &mut exclusive, scale),
                "call_count" => ("call_count", &mut count, 1),
                "sample_count" => ("sample_count", &mut count, 1),
                "count" => ("count", &mut count, 1),
                "node_count" => ("node_count", &mut node_count, 1),
                "name" => {
                    name = named_text(reader, "name")?;
                    continue;
                }
                "signature" => {
                    signature = named_text(reader, "signature")?;
                    continue;
                }
                "kind" => {
                    kind = named_text(reader, "kind")?.unwrap_or_default();
                    continue;
                }
                _ => {
                    reader.skip()?;
                    continue;
                }
            };
            if !reader.take_null()? {
                let scaled = reader
                    .number()
                    .map_err(|error| error.in_member(member))?
                    .scaled(scale);
                self.clamped_values += u64::from(scaled.is_clamped);
                *target = Some(scaled.value);
            }
        }
        let (Some(name), Some(inclusive), Some(exclusive)) = (name, inclusive, exclusive) else {
            return Ok(());
        };
        let method = (name.clone(), signature.clone(), kind);
        if self.seen_hotspots.insert(method) {
            self.hotspots.push(StoredHotspot {
                scope: RecordedNode::ROOT,
                method: StoredMethod::Named { name, signature },
                inclusive,
                exclusive,
                count,
                node_count,
            });
        }
        Ok(())
    }
}

/// The text of a member of this name.
fn named_text<R: Read>(
    reader: &mut JsonReader<R>,
    member: &'static str,
) -> Result<Option<String>, JsonError> {
    text_or_number(reader).map_err(|error| error.in_member(member))
}

/// A unit by its name in `time_unit`, and how many stored steps one of it is.
fn unit_and_scale(name: &str) -> Option<(Unit, u64)> {
    match name {
        "s" => Some((Unit::Milliseconds, 1_000_000_000)),
        "us" | "µs" => Some((Unit::Milliseconds, 1_000)),
        "ns" => Some((Unit::Milliseconds, 1)),
        _ => Unit::from_name(name).map(|unit| (unit, unit.stored_per_unit())),
    }
}

/// A string; a number as it is written; `None` for null.
fn text_or_number<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<String>, JsonError> {
    Ok(match reader.peek()? {
        JsonKind::Number => Some(reader.number()?.text().to_string()),
        JsonKind::Null => {
            reader.skip()?;
            None
        }
        _ => Some(reader.string()?.to_string()),
    })
}

fn read_metrics<R: Read>(reader: &mut JsonReader<R>) -> Result<Vec<MetricRow>, JsonError> {
    let mut rows = Vec::new();
    if reader.take_null()? {
        return Ok(rows);
    }
    reader.enter_array()?;
    while reader.next_element()? {
        // one that is null still has its place
        let row = read_metric(reader)?.unwrap_or(MetricRow {
            name: String::new(),
            unit: Unit::Count,
            counts: None,
        });
        if rows.len() < MAX_METRICS {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn read_metric<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<MetricRow>, JsonError> {
    if reader.take_null()? {
        return Ok(None);
    }
    let mut row = MetricRow {
        name: String::new(),
        unit: Unit::Count,
        counts: None,
    };
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "name" => row.name = text_or_number(reader)?.unwrap_or_default(),
            "unit" => {
                let unit = text_or_number(reader)?.unwrap_or_default();
                row.unit = Unit::from_name(&unit).unwrap_or(Unit::Count);
            }
            "counts" => {
                let counts = text_or_number(reader)?;
                row.counts = Some(counts.as_deref().and_then(CountKind::from_name));
            }
            _ => reader.skip()?,
        }
    }
    Ok(Some(row))
}
