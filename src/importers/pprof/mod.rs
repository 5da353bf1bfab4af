//! pprof: <https://github.com/google/pprof/blob/main/proto/profile.proto>, written by many profilers, including some
//! for .NET.
//!
//! Samples precede the tables they refer to, so all fields are held in memory: files are small. Reads samples with all
//! their values, functions with files, inlined functions, file names of modules, and labels that name threads.

mod tables;
mod tree;
mod wire;

use super::embedded_notes::{EmbeddedNotes, OWN_EXPORTER};
use super::{Format, ReadOptions};
use crate::diagnostics::{Anomaly, Diagnostic, partly};
use crate::importers::messages;
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{ProfileKind, Recording, Source, UntimedReason};
use crate::units::{Unit, thousands};
use tables::{Tables, field};
use tree::{MAX_METRICS, StackTreeBuilder};
use wire::{Fields, WireValue};

pub(super) const FORMAT: Format = Format {
    name: "pprof",
    title: "pprof profile",
    extensions: &[".pprof", ".pb", ".pb.gz", ".prof"],
    metrics: messages::METRICS_OF_PPROF,
    limitations: messages::LIMITS_OF_PPROF,
    sniff,
    read,
};

/// A shorter head is the whole file.
const FULL_HEAD_BYTES: usize = 4096;
/// Up to this length, other files may look like a profile.
const FEW_BYTES: usize = 64;

/// A profile has no magic number. A head must consist only of its fields, at least one of which is a typed message.
fn sniff(head: &Head) -> Option<Confidence> {
    let mut fields = Fields::new(head.bytes);
    let (mut seen, mut messages) = (0, 0);
    for (number, value) in &mut fields {
        let fits = match value {
            WireValue::Bytes(bytes) => match message_of(number) {
                Some(wanted) => {
                    messages += 1;
                    is_message(bytes, wanted)
                }
                None => number == field::STRING || number == field::COMMENT,
            },
            WireValue::Number(_) => {
                number > field::STRING && number <= field::DOC_URL && number != field::PERIOD_TYPE
            }
            WireValue::Fixed => false,
        };
        if !fits {
            return None;
        }
        seen += 1;
    }
    let is_whole = match fields.broken_at {
        None => seen >= 2,
        // a long field may extend beyond the head
        Some(_) if head.bytes.len() >= FULL_HEAD_BYTES => true,
        Some(at) => seen >= 2 && at > FEW_BYTES,
    };
    if messages > 0 && is_whole {
        return Some(Confidence::Likely);
    }
    // gzip data have lost their extension by now
    let mut extensions = FORMAT.extensions.iter();
    let is_named_so = extensions.any(|extension| head.name.ends_with(extension));
    (is_named_so && is_whole && seen > 0).then_some(Confidence::Name)
}

/// As bits: integer fields, then messages or packed integers.
fn message_of(field: u64) -> Option<(u32, u32)> {
    Some(match field {
        field::SAMPLE_TYPE | field::PERIOD_TYPE => (0b110, 0),
        field::SAMPLE => (0b110, 0b1110),
        field::MAPPING => (0b1111_1111_1110, 0),
        field::LOCATION => (0b10_1110, 0b1_0000),
        field::FUNCTION => (0b11_1110, 0),
        _ => return None,
    })
}

fn is_message(bytes: &[u8], (numbers, messages): (u32, u32)) -> bool {
    let mut fields = Fields::new(bytes);
    let fits = fields.by_ref().all(|(number, value)| {
        let wanted = match value {
            WireValue::Number(_) => numbers,
            WireValue::Bytes(_) => messages,
            WireValue::Fixed => 0,
        };
        number < 32 && wanted & 1 << number != 0
    });
    fits && !bytes.is_empty() && fields.broken_at.is_none()
}

fn read(mut input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let bytes = input.read_all()?;
    let tables = Tables::read(&bytes);
    if let Some(at) = tables.broken_at.filter(|_| tables.samples == 0) {
        let failure = Failure::new(&input.name, FORMAT.title, messages::NO_PPROF_FIELD);
        let failure = failure.at(at as u64);
        return Err(failure.advice(messages::DAMAGED_OR_OTHER_FORMAT).into());
    }
    let name = input.name.clone();
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, facts(&tables));
    let sampled = tree::build(&bytes, &tables, source, &input.progress);
    let mut sampled = sampled.map_err(|error| error.for_file(&input.name, FORMAT.title))?;
    sampled.assembly.diagnostics = diagnostics(&tables, &sampled);
    let no_times = Err(UntimedReason::NoTimes);
    Ok((sampled.assembly).profile(sampled.default_metric, no_times))
}

fn facts(tables: &Tables) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if tables.duration_ns > 0 {
        let seconds = tables.duration_ns as f64 / 1e9;
        facts.push(("duration", format!("{seconds:.1} s")));
    }
    // 1 is not an interval: each value stands for itself
    if tables.period > 1 {
        let [what, unit] = tables.period_type.map(|number| tables.text(number));
        let (known, (times, by)) = tree::unit_named(&unit);
        let ms = tables.period.saturating_mul(times) as f64 / (by as f64 * 1e6);
        let every = match known {
            Unit::Milliseconds => format!("{ms} ms"),
            _ => format!("{} {unit}", thousands(tables.period)),
        };
        let sampling = format!("every {every} of {what}");
        facts.push(("sampling", sampling.trim_end_matches(" of ").to_string()));
    }
    let max_comments = embedded_notes(tables).map_or(20, |_| 0);
    let comments = tables.comments.iter().take(max_comments);
    facts.extend(comments.map(|&comment| ("comment", tables.text(comment).into_owned())));
    facts
}

fn embedded_notes(tables: &Tables) -> Option<EmbeddedNotes> {
    let mut sentences = EmbeddedNotes::default();
    let (&first, comments) = tables.comments.split_first()?;
    let first = tables.text(first);
    let writer = first.strip_prefix("written by ")?;
    let mut comments = comments.iter();
    let is_own = writer.starts_with(OWN_EXPORTER)
        && comments.all(|&comment| sentences.take_comment(&tables.text(comment)));
    is_own.then_some(sentences)
}

fn diagnostics(tables: &Tables, sampled: &StackTreeBuilder) -> Vec<Diagnostic> {
    let values = tables.sample_types.len();
    let left_out = Diagnostic::MetricsLeftOut {
        values,
        read: MAX_METRICS,
    };
    let embedded = embedded_notes(tables).into_iter();
    let embedded = embedded.flat_map(EmbeddedNotes::diagnostics);
    let incomplete_at =
        |at| Diagnostic::unreadable_from(at as u64, messages::BROKEN_OFF_WITHOUT_NAMES);
    let all = [
        tables.broken_at.map(incomplete_at),
        Anomaly::ValuesNegative.times(sampled.negative),
        Anomaly::LocationsMissing.times(sampled.without_location),
        partly::FUNCTIONS_WITHOUT_NUMBER.times(tables.functions_without_id),
        (values > MAX_METRICS).then_some(left_out),
    ];
    embedded.chain(all.into_iter().flatten()).collect()
}
