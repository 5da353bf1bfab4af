//! Everything in a call-tree JSON file except its tree.

use crate::diagnostics::{Diagnostic, UnknownUnit};
use crate::importers::embedded_notes::EmbeddedNotes;
use crate::input::json::{JsonError, JsonReader, JsonValues};
use crate::model::{CountKind, MethodKey, MethodNotes, Metric, ProfileKind, Source};
use crate::units::Unit;
use serde::Deserialize;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::io::Read;

pub(super) const MAX_METRICS: usize = 16;

#[derive(Default)]
pub(super) struct DocumentHeader {
    pub snapshot: Snapshot,
    pub thread_roots: Vec<ThreadRoot>,
    hasher: foldhash::fast::RandomState,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Snapshot {
    pub source: String,
    pub decoder: String,
    pub decoder_version: String,
    payload_type: String,
    time_unit: Option<String>,
    warnings: Vec<String>,
    notes: Vec<String>,
    facts: Vec<Fact>,
    method_notes: Vec<MethodNote>,
    metric: Option<MetricRow>,
    pub other_metrics: Vec<MetricRow>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fact {
    name: String,
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MethodNote {
    method: String,
    signature: String,
    note: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct MetricRow {
    pub name: String,
    unit: String,
    counts: String,
}

impl MetricRow {
    pub(super) fn unit(&self) -> Unit {
        Unit::named(&self.unit).unwrap_or(Unit::Count)
    }

    /// `open` if that is null or not declared, so that only the nodes show it.
    pub(super) fn counts_or(&self, open: Option<CountKind>) -> Option<CountKind> {
        match self.counts.is_empty() {
            true => open,
            false => CountKind::named(&self.counts),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ThreadRoot {
    pub id: Option<String>,
    pub thread_id: String,
    pub thread_name: Option<String>,
}

impl DocumentHeader {
    /// A randomly seeded hash suffices, because ids are only compared with each other.
    pub(super) fn id_key(&self, id: &[u8]) -> u64 {
        self.hasher.hash_one(id)
    }

    pub(super) fn kind(&self) -> ProfileKind {
        ProfileKind::named(&self.snapshot.payload_type).unwrap_or(ProfileKind::Unknown)
    }

    /// The unit, and the number of stored steps per unit of the file.
    pub(super) fn unit_and_scale(&self) -> (Unit, u64) {
        let time_unit = self.snapshot.time_unit.as_deref();
        let time_unit = time_unit
            .and_then(unit_and_scale)
            .unwrap_or((Unit::Milliseconds, 1_000_000));
        match self.snapshot.metric.as_ref().map(MetricRow::unit) {
            Some(unit) if unit != time_unit.0 => (unit, unit.stored_per_unit()),
            _ => time_unit,
        }
    }

    /// `named` is the kind of count, unless the member was `call_count`, which is samples in older sampling files.
    pub(super) fn main_metric(&self, has_counts: bool, named: Option<CountKind>) -> Metric {
        let metric = self.snapshot.metric.as_ref();
        let name = metric.map_or("time", |metric| metric.name.as_str());
        let open = has_counts.then_some(named.unwrap_or(self.kind().counts()));
        let counts = metric.map_or(open, |metric| metric.counts_or(open));
        Metric::new(name, self.unit_and_scale().0, counts)
    }

    pub(super) fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> + use<> {
        let embedded = EmbeddedNotes {
            warnings: self.snapshot.warnings.clone(),
            notes: self.snapshot.notes.clone(),
        };
        let unit = self.snapshot.time_unit.clone();
        let unknown = unit.filter(|unit| unit_and_scale(unit).is_none());
        let unknown = unknown.map(|unit| {
            let values = UnknownUnit::ReadAsMilliseconds;
            Diagnostic::UnitUnknown { unit, values }
        });
        embedded.diagnostics().chain(unknown)
    }

    /// If a name is repeated, the first one wins.
    pub(super) fn facts(&self) -> Vec<(Cow<'static, str>, String)> {
        let mut facts: Vec<(Cow<'static, str>, String)> = Vec::new();
        for Fact { name, text } in &self.snapshot.facts {
            let is_new = !facts.iter().any(|(known, _)| known == name);
            if is_new && !text.is_empty() && Source::is_public(name) {
                facts.push((name.clone().into(), text.clone()));
            }
        }
        if !self.snapshot.source.is_empty() {
            facts.insert(0, ("source".into(), self.snapshot.source.clone()));
        }
        facts
    }

    pub(super) fn method_notes(&self) -> MethodNotes {
        let mut notes = MethodNotes::default();
        for row in &self.snapshot.method_notes {
            let key = MethodKey {
                name: row.method.clone(),
                signature: row.signature.clone(),
            };
            notes.set(key, &row.note);
        }
        notes
    }
}

/// Reads as much of a value as there is. Fails if the value has another shape, or the file ends within it.
pub(super) fn read_value<R: Read, T: Deserialize<'static>>(
    reader: &mut JsonReader<R>,
    value: &mut T,
) -> Result<(), JsonError> {
    if reader.take_null()? {
        return Ok(());
    }
    let mut values = JsonValues::new(reader);
    *value = T::deserialize(&mut values)?;
    values.unexpected_end.map_or(Ok(()), Err)
}

/// By its name in `time_unit`, with its number of stored steps.
fn unit_and_scale(name: &str) -> Option<(Unit, u64)> {
    match name {
        "s" => Some((Unit::Milliseconds, 1_000_000_000)),
        "us" | "µs" => Some((Unit::Milliseconds, 1_000)),
        "ns" => Some((Unit::Milliseconds, 1)),
        _ => Unit::named(name).map(|unit| (unit, unit.stored_per_unit())),
    }
}
