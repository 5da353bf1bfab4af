//! A file as far as it was read: tables whose columns are arrays. Missing parts are empty.

use crate::input::json::{JsonError, JsonReader, JsonValues, ZERO_INSTANT};
use crate::model::MarkerKind;
use crate::units::unix_time;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::fmt::{self, Formatter};
use std::io::Read;

pub(super) const NONE: u32 = u32::MAX;
pub(super) const NO_TIME: u64 = u64::MAX;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct File {
    pub meta: Meta,
    pub libs: Vec<Library>,
    /// Shared by all threads.
    pub shared: FileThread,
    pub threads: Option<Vec<FoundThread>>,
    pub exporter: String,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Library {
    pub name: Box<str>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta {
    pub interval: Option<u64>,
    pub profiling_start_time: Option<u64>,
    pub sample_units: HashMap<String, String>,
    pub product: String,
    pub oscpu: String,
    pub abi: String,
    /// Since 1970.
    pub start_time: Option<u64>,
    #[serde(rename = "logicalCPUs")]
    pub processors: Option<u32>,
    pub source_code_is_not_on_searchfox: bool,
    #[serde(rename = "CPUName")]
    pub cpu_name: String,
}

#[derive(Deserialize)]
#[serde(from = "FileThread")]
pub(super) struct FoundThread(pub Option<Box<FileThread>>);

impl From<FileThread> for FoundThread {
    fn from(mut thread: FileThread) -> FoundThread {
        // the first is relative to zero
        let mut at = ZERO_INSTANT;
        for delta in thread.samples.time_deltas.drain(..) {
            at = at.saturating_add(duration(delta));
            thread.samples.time.push(at);
        }
        // threads that have libraries have strings, too
        if thread.string_array.is_empty() {
            thread.libs.clear();
        }
        let is_raw = thread.samples.schema.is_some();
        let is_empty = thread.samples.stack.is_empty() && thread.markers.name.is_empty();
        FoundThread((is_raw || !is_empty).then(|| Box::new(thread)))
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FileThread {
    pub name: String,
    pub process_name: String,
    /// Numeric, with a suffix after a dot if an id was reused.
    pub tid: String,
    pub pid: String,
    pub samples: Table,
    pub markers: Table,
    pub stack_table: Table,
    pub frame_table: Table,
    pub func_table: Table,
    pub resource_table: Table,
    pub sources: Table,
    pub string_array: Vec<Box<str>>,
    /// In versions before 41.
    pub libs: Vec<Library>,
}

/// Of any table: row indices, and times as in [`crate::input::json::JsonNumber::instant`].
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Table {
    pub prefix: Vec<u32>,
    pub frame: Vec<u32>,
    pub func: Vec<u32>,
    pub name: Vec<u32>,
    pub resource: Vec<u32>,
    /// The file name's string index, in versions before 57.
    pub file_name: Vec<u32>,
    pub source: Vec<u32>,
    pub line_number: Vec<u32>,
    pub lib: Vec<u32>,
    pub filename: Vec<u32>,
    pub stack: Vec<u32>,
    pub phase: Vec<u32>,
    pub time: Vec<u64>,
    pub time_deltas: Vec<u64>,
    pub start_time: Vec<u64>,
    pub end_time: Vec<u64>,
    #[serde(rename = "threadCPUDelta")]
    pub cpu: Vec<u64>,
    pub weight: Vec<i128>,
    pub weight_type: String,
    pub data: Vec<MarkerData>,
    pub schema: Option<IgnoredAny>,
}

/// A marker written by dotspot: its kind, the row of its stack, and its fields by index.
pub(super) struct MarkerData(pub Option<Box<WrittenMarker>>);
type WrittenMarker = (MarkerKind, u32, Vec<(usize, String)>);

struct MarkerVisitor;

impl<'de> Deserialize<'de> for MarkerData {
    fn deserialize<D: Deserializer<'de>>(data: D) -> Result<MarkerData, D::Error> {
        data.deserialize_map(MarkerVisitor)
    }
}

impl<'de> Visitor<'de> for MarkerVisitor {
    type Value = MarkerData;

    fn expecting(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str("a marker")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MarkerData, A::Error> {
        let first: Option<(String, String)> = map.next_entry()?;
        let kind = first.filter(|(key, _)| key == "type");
        let Some(kind) = kind.and_then(|(_, name)| MarkerKind::named(&name)) else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(MarkerData(None));
        };
        let (mut stack, mut fields) = (NONE, Vec::new());
        while let Some(key) = map.next_key::<String>()? {
            let is_type = key == MarkerKind::TYPE_KEY;
            if key == "cause" {
                let cause: HashMap<String, u32> = map.next_value()?;
                stack = cause.get("stack").copied().unwrap_or(NONE);
            } else if let Some(field) = kind.field(if is_type { "type" } else { &key }) {
                fields.push((field, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(MarkerData(Some(Box::new((kind, stack, fields)))))
    }
}

impl File {
    pub(super) fn read<R: Read>(
        reader: &mut JsonReader<R>,
    ) -> Result<(File, Option<JsonError>), JsonError> {
        let mut values = JsonValues::new(reader);
        let mut file = File::deserialize(&mut values)?;
        let unexpected_end = values.unexpected_end;
        match &unexpected_end {
            None => reader.end()?,
            Some(_) => file.cut(),
        }
        Ok((file, unexpected_end))
    }

    /// Drops samples of the last thread without a value in every column, because the file is truncated.
    fn cut(&mut self) {
        let rows = |table: &Table| [table.time.len(), table.weight.len(), table.cpu.len()];
        let threads = self.threads.iter_mut().flatten();
        let mut threads: Vec<_> = threads.filter_map(|thread| thread.0.as_mut()).collect();
        let Some((last, others)) = threads.split_last_mut() else {
            return;
        };
        for (column, count) in rows(&last.samples).into_iter().enumerate() {
            if count > 0 || others.iter().any(|other| rows(&other.samples)[column] > 0) {
                last.samples.stack.truncate(count);
            }
        }
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let meta = &self.meta;
        let recorded = meta.start_time.map_or(0, duration) / 1_000_000;
        let recorded = (recorded > 0).then(|| unix_time(recorded));
        let processors = meta.processors.filter(|number| (1..NONE).contains(number));
        let processors = processors.map(|number| number.to_string());
        vec![
            ("program", meta.product.clone()),
            ("recorded", recorded.unwrap_or_default()),
            ("operating system", meta.oscpu.clone()),
            ("architecture", meta.abi.clone()),
            ("processors", processors.unwrap_or_default()),
            ("processor", meta.cpu_name.clone()),
            ("written by", self.exporter.clone()),
        ]
    }
}

pub(super) fn duration(instant: u64) -> u64 {
    let instant = Some(instant).filter(|&at| at != NO_TIME);
    instant.map_or(0, |at| at.saturating_sub(ZERO_INSTANT))
}
