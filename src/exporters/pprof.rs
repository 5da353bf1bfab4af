//! pprof, compressed with gzip as its documentation asks:
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>.
//!
//! Every metric is a sample type, the chosen one the default. Each node with an exclusive value, and each leaf, is a
//! sample with its stack and the labels `thread_id` and `thread`. pprof merges functions of the same name, so
//! parameters outside the name are appended; the system name is the raw name. Warnings and notes are comments. Samples
//! come first, strings last: memory has only the frame table.

use super::exporter::{Exporter, Output};
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::stack_sums::refusal;
use super::tracks::{ExportTrack, has_processes, title_of, tracks};
use crate::exporters::messages;
use crate::exporters::protobuf::{push_bytes, push_number, push_varint, varint_len};
use crate::model::{MetricId, NodeId};
use crate::units::Unit;
use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "pprof",
    extensions: &[".pb.gz", ".pprof", ".pb"],
    output: Output::Packed,
    refusal: refuse,
    write,
};

/// Implementations of protocol buffers read messages up to 2 GiB.
const MAX_BYTES: u64 = i32::MAX as u64;
/// A sample without stack and values: tags, lengths, two labels.
const SAMPLE_BYTES: u64 = 40;

mod field {
    pub(super) const SAMPLE_TYPE: u64 = 1;
    pub(super) const SAMPLE: u64 = 2;
    pub(super) const MAPPING: u64 = 3;
    pub(super) const LOCATION: u64 = 4;
    pub(super) const FUNCTION: u64 = 5;
    pub(super) const STRING: u64 = 6;
    pub(super) const COMMENT: u64 = 13;
    pub(super) const DEFAULT_TYPE: u64 = 14;
}

/// As our reader and others expect them.
const THREAD_ID: &str = "thread_id";
const THREAD_NAME: &str = "thread";

/// The only mapping says that functions have names: without one, readers look for symbols.
const MAPPING: u64 = 1;

fn refuse(part: &Part) -> Option<String> {
    let metrics = part.metrics();
    let tracks = tracks(part, &metrics);
    let rows = Rows::new(part, &tracks, FrameIdentity::NameAndSignature);
    let frame_bytes = |frame| varint_len(u64::from(rows.row_of_frame(frame)) + 1);
    let values = metrics.len() as u64 * varint_len(i64::MAX as u64);
    let bytes = (frame_bytes, SAMPLE_BYTES + values);
    refusal(part, &tracks, &metrics, bytes, MAX_BYTES)
}

#[derive(Default)]
struct Strings(IndexSet<String>);

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        let known = self.0.get_index_of(text);
        known.unwrap_or_else(|| self.0.insert_full(text.into()).0) as u64
    }
}

fn write(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    let metrics = part.metrics();
    let tracks = tracks(part, &metrics);
    let rows = Rows::new(part, &tracks, FrameIdentity::NameAndSignature);
    let mut strings = Strings::default();
    strings.number("");
    let mut out = GzEncoder::new(out, Compression::default());
    for &metric in &metrics {
        let metric = part.view.recording.metric(metric);
        let unit = match metric.unit {
            Unit::Milliseconds => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
        };
        let kind = message(&[(1, strings.number(&metric.name)), (2, strings.number(unit))]);
        put(&mut out, field::SAMPLE_TYPE, &kind)?;
    }
    let default = strings.number(&part.chosen_metric().name);
    let mut about = vec![(field::DEFAULT_TYPE, default)];
    about.extend(comments(part).map(|comment| (field::COMMENT, strings.number(&comment))));
    out.write_all(&message(&about))?;
    let has_processes = has_processes(&tracks);
    for track in &tracks {
        let labels = labels(part, track, has_processes, &mut strings);
        samples(part, track, &rows, (&metrics, &labels), &mut out)?;
    }
    write_tables(&rows, &mut strings, &mut out)?;
    out.finish()?.flush()
}

/// The program's name and the diagnostics, if there are any.
fn comments<'a>(part: &Part<'a>) -> impl Iterator<Item = String> + use<'a> {
    let warnings = sentences::warnings(part.view).map(|sentence| format!("warning: {sentence}"));
    let notes = sentences::notes(part.view).map(|sentence| format!("note: {sentence}"));
    let mut sentences = warnings.chain(notes).peekable();
    let version = sentences.peek().map(|_| format!("written by {PROGRAM}"));
    version.into_iter().chain(sentences)
}

/// The id and name of a track, as far as it has them.
fn labels(part: &Part, track: &ExportTrack, has_processes: bool, strings: &mut Strings) -> Vec<u8> {
    let (id, thread) = track
        .thread
        .map_or(("", ""), |(_, thread)| (&thread.id, &thread.name));
    let process = track.process.filter(|_| has_processes);
    let process = process.map(|process| part.view.name(process));
    let name: Cow<str> = match process {
        _ if track.thread.is_none() && has_processes => title_of(part, track, true),
        Some(process) if thread.is_empty() => process.into(),
        Some(process) => format!("{process} / {thread}").into(),
        None if track.thread.is_some() && thread.is_empty() && id.is_empty() => track.title.into(),
        None => thread.into(),
    };
    let mut fields = Vec::new();
    for (key, text) in [(THREAD_ID, id), (THREAD_NAME, &name)] {
        if !text.is_empty() {
            let label = message(&[(1, strings.number(key)), (2, strings.number(text))]);
            push_bytes(&mut fields, 3, &label);
        }
    }
    fields
}

fn message(fields: &[(u64, u64)]) -> Vec<u8> {
    let mut message = Vec::new();
    for &(field, number) in fields {
        push_number(&mut message, field, number);
    }
    message
}

fn put(out: &mut impl Write, field: u64, bytes: &[u8]) -> io::Result<()> {
    let mut message = Vec::new();
    push_bytes(&mut message, field, bytes);
    out.write_all(&message)
}

fn samples(
    part: &Part,
    track: &ExportTrack,
    rows: &Rows,
    (metrics, labels): (&[MetricId], &[u8]),
    out: &mut impl Write,
) -> io::Result<()> {
    let tree = &part.view.tree;
    let (mut sample, mut packed, mut message) = (Vec::new(), Vec::new(), Vec::new());
    let mut write = |stack: &[u32], node: NodeId| {
        sample.clear();
        packed.clear();
        let innermost = stack.iter().rev();
        innermost.for_each(|&row| push_varint(&mut packed, u64::from(row) + 1));
        if !packed.is_empty() {
            push_bytes(&mut sample, 1, &packed);
        }
        packed.clear();
        let values = metrics.iter().map(|&metric| tree.exclusive(metric, node));
        for value in values {
            i64::try_from(value).map_err(|_| io::Error::other(messages::VALUE_TOO_LARGE))?;
            push_varint(&mut packed, value);
        }
        push_bytes(&mut sample, 2, &packed);
        sample.extend_from_slice(labels);
        message.clear();
        push_bytes(&mut message, field::SAMPLE, &sample);
        out.write_all(&message)
    };
    for &own in &track.exclusive_nodes {
        match track.thread {
            Some(_) => write(&[], own)?,
            None => write(&[rows.row_of_frame(tree.frame(own))], own)?,
        }
    }
    let mut stack = Vec::new();
    track.walk(tree, |node, enters| {
        if !enters {
            stack.pop();
            return Ok(());
        }
        stack.push(rows.row_of_frame(tree.frame(node)));
        match part.has_stack(node, metrics) {
            true => write(&stack, node),
            false => Ok(()),
        }
    })
}

fn write_tables(rows: &Rows, strings: &mut Strings, out: &mut impl Write) -> io::Result<()> {
    // functions have names
    put(out, field::MAPPING, &message(&[(1, MAPPING), (7, 1)]))?;
    for (row, id) in rows.rows.iter().zip(1u64..) {
        let mut location = message(&[(1, id), (2, MAPPING)]);
        push_bytes(&mut location, 4, &message(&[(1, id)]));
        put(out, field::LOCATION, &location)?;
        let name = strings.number(&format!("{}{}", row.name, row.signature));
        let system_name = match row.signature {
            "" => 0,
            _ => strings.number(row.name),
        };
        let (file, line) = (strings.number(row.file), u64::from(row.line));
        let function = message(&[(1, id), (2, name), (3, system_name), (4, file), (5, line)]);
        put(out, field::FUNCTION, &function)?;
    }
    let mut texts = strings.0.iter();
    texts.try_for_each(|text| put(out, field::STRING, text.as_bytes()))
}
