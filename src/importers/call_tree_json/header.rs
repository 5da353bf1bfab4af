//! Everything in a call-tree JSON file except its tree.

use crate::diagnostics::{Diagnostic, UnknownUnit};
use crate::importers::embedded_notes::{EmbeddedNotes, read_sentences};
use crate::input::json::{JsonError, JsonKind, JsonReader, in_member};
use crate::model::{
    CountKind, MethodKey, MethodNotes, Metric, ProfileKind, RecordedNode, Source, StoredHotspot,
    StoredMethod,
};
use crate::units::Unit;
use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::io::Read;

pub(super) const MAX_METRICS: usize = 16;

pub(super) struct MetricRow {
    pub name: String,
    pub unit: Unit,
    /// `None` if the file does not say whether there are counts
    pub counts: Option<Option<CountKind>>,
}

impl MetricRow {
    const NAMELESS: MetricRow = MetricRow {
        name: String::new(),
        unit: Unit::Count,
        counts: None,
    };
}

pub(super) struct ThreadMember {
    pub id_key: u64,
    pub thread_id: String,
    pub thread_name: Option<String>,
}

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
    pub facts: Vec<(Cow<'static, str>, String)>,
    pub method_notes: MethodNotes,
    pub thread_rows: Vec<ThreadMember>,
    pub hotspots: Vec<StoredHotspot>,
    pub hotspot_scale: Option<u64>,
    pub clamped_values: u64,
    seen_hotspots: HashSet<(String, Option<String>, String)>,
    hasher: foldhash::fast::RandomState,
}

impl DocumentHeader {
    /// A randomly seeded hash of an id. It suffices because ids are only compared with each other.
    pub(super) fn id_key(&self, id: &[u8]) -> u64 {
        self.hasher.hash_one(id)
    }

    pub(super) fn kind(&self) -> ProfileKind {
        ProfileKind::named(&self.payload_type).unwrap_or(ProfileKind::Unknown)
    }

    /// The unit of the node times, and the number of stored steps per unit of the file.
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

    /// `has_counts`: some node had a count. `named`: the kind of count, unless the member was `call_count`, which
    /// holds samples in older sampling files.
    pub(super) fn main_metric(&self, has_counts: bool, named: Option<CountKind>) -> Metric {
        let stated = self.metric.as_ref().and_then(|metric| metric.counts);
        let name = self.metric.as_ref().map_or("time", |metric| &metric.name);
        let counts = stated.unwrap_or(has_counts.then_some(named.unwrap_or(self.kind().counts())));
        Metric::new(name, self.unit_and_scale().0, counts)
    }

    pub(super) fn anomaly(&self) -> Option<Diagnostic> {
        let unit = self.time_unit.clone();
        let unknown = unit.filter(|unit| unit_and_scale(unit).is_none())?;
        Some(Diagnostic::UnitUnknown {
            unit: unknown,
            values: UnknownUnit::ReadAsMilliseconds,
        })
    }

    pub(super) fn read_snapshot<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.take_null()? {
            return Ok(());
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "source" => self.source = member_text(reader, "source")?,
                "decoder" => self.decoder = member_text(reader, "decoder")?,
                "decoder_version" => self.decoder_version = member_text(reader, "decoder_version")?,
                "payload_type" => self.payload_type = member_text(reader, "payload_type")?,
                "time_unit" => self.time_unit = Some(member_text(reader, "time_unit")?),
                "warnings" => read_sentences(reader, &mut self.kept.warnings)
                    .map_err(in_member("warnings"))?,
                "notes" => {
                    read_sentences(reader, &mut self.kept.notes).map_err(in_member("notes"))?
                }
                "facts" => self.read_facts(reader).map_err(in_member("facts"))?,
                "method_notes" => self
                    .read_method_notes(reader)
                    .map_err(in_member("method_notes"))?,
                "metric" => self.metric = read_metric(reader).map_err(in_member("metric"))?,
                "other_metrics" => {
                    self.other_metrics = read_metrics(reader).map_err(in_member("other_metrics"))?
                }
                _ => reader.skip()?,
            }
        }
        Ok(())
    }

    /// Keeps only public facts. If a name is repeated, the first one wins.
    fn read_facts<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        rows(reader, |reader| {
            let [name, text] = texts(reader, ["name", "text"])?.map(Option::unwrap_or_default);
            let is_new = !self.facts.iter().any(|(known, _)| *known == name);
            if is_new && !text.is_empty() && Source::is_public(&name) {
                self.facts.push((name.into(), text));
            }
            Ok(())
        })
    }

    fn read_method_notes<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        rows(reader, |reader| {
            let [name, signature, note] =
                texts(reader, ["method", "signature", "note"])?.map(Option::unwrap_or_default);
            self.method_notes.set(MethodKey { name, signature }, &note);
            Ok(())
        })
    }

    pub(super) fn read_thread_roots<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        rows(reader, |reader| {
            let [id, thread_id, thread_name] = texts(reader, ["id", "thread_id", "thread_name"])?;
            self.thread_rows.extend(id.map(|id| ThreadMember {
                id_key: self.hasher.hash_one(id.as_bytes()),
                thread_id: thread_id.unwrap_or_default(),
                thread_name,
            }));
            Ok(())
        })
    }

    /// A method in both lists is kept once.
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
            match key {
                "inclusive" | "exclusive" => {
                    rows(reader, |reader| self.read_hotspot(reader, scale))?
                }
                _ => reader.skip()?,
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
            match key {
                "inclusive_time" => inclusive = self.value(reader, "inclusive_time", scale)?,
                "exclusive_time" => exclusive = self.value(reader, "exclusive_time", scale)?,
                "call_count" => count = self.value(reader, "call_count", 1)?,
                "sample_count" => count = self.value(reader, "sample_count", 1)?,
                "count" => count = self.value(reader, "count", 1)?,
                "node_count" => node_count = self.value(reader, "node_count", 1)?,
                "name" => name = named_text(reader, "name")?,
                "signature" => signature = named_text(reader, "signature")?,
                "kind" => kind = member_text(reader, "kind")?,
                _ => reader.skip()?,
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

    /// In stored steps; `None` for null.
    fn value<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        member: &'static str,
        scale: u64,
    ) -> Result<Option<u64>, JsonError> {
        if reader.take_null()? {
            return Ok(None);
        }
        let scaled = reader.number().map_err(in_member(member))?.scaled(scale);
        self.clamped_values += u64::from(scaled.is_clamped);
        Ok(Some(scaled.value))
    }
}

fn named_text<R: Read>(
    reader: &mut JsonReader<R>,
    member: &'static str,
) -> Result<Option<String>, JsonError> {
    text_or_number(reader).map_err(in_member(member))
}

/// Like [`named_text`], but empty for null.
fn member_text<R: Read>(
    reader: &mut JsonReader<R>,
    member: &'static str,
) -> Result<String, JsonError> {
    named_text(reader, member).map(Option::unwrap_or_default)
}

/// A unit by its name in `time_unit`, and its number of stored steps.
fn unit_and_scale(name: &str) -> Option<(Unit, u64)> {
    match name {
        "s" => Some((Unit::Milliseconds, 1_000_000_000)),
        "us" | "µs" => Some((Unit::Milliseconds, 1_000)),
        "ns" => Some((Unit::Milliseconds, 1)),
        _ => Unit::named(name).map(|unit| (unit, unit.stored_per_unit())),
    }
}

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

fn rows<R: Read>(
    reader: &mut JsonReader<R>,
    read: impl FnMut(&mut JsonReader<R>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    if reader.take_null()? {
        return Ok(());
    }
    reader.each(read)
}

/// The texts of the named members of an object; others are skipped.
fn texts<R: Read, const N: usize>(
    reader: &mut JsonReader<R>,
    names: [&'static str; N],
) -> Result<[Option<String>; N], JsonError> {
    let mut found = [const { None }; N];
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match names.iter().position(|name| *name == key) {
            Some(at) => found[at] = named_text(reader, names[at])?,
            None => reader.skip()?,
        }
    }
    Ok(found)
}

fn read_metrics<R: Read>(reader: &mut JsonReader<R>) -> Result<Vec<MetricRow>, JsonError> {
    let mut metrics = Vec::new();
    rows(reader, |reader| {
        // a null metric still occupies its position
        let row = read_metric(reader)?.unwrap_or(MetricRow::NAMELESS);
        if metrics.len() < MAX_METRICS {
            metrics.push(row);
        }
        Ok(())
    })?;
    Ok(metrics)
}

fn read_metric<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<MetricRow>, JsonError> {
    if reader.take_null()? {
        return Ok(None);
    }
    let mut row = MetricRow::NAMELESS;
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "name" => row.name = text_or_number(reader)?.unwrap_or_default(),
            "unit" => {
                let unit = text_or_number(reader)?.unwrap_or_default();
                row.unit = Unit::named(&unit).unwrap_or(Unit::Count);
            }
            "counts" => {
                let counts = text_or_number(reader)?;
                row.counts = Some(counts.as_deref().and_then(CountKind::named));
            }
            _ => reader.skip()?,
        }
    }
    Ok(Some(row))
}
