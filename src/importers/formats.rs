//! The table of formats.

use super::{
    Failure, Head, ImportError, Input, Stage, call_tree_json, cpuprofile, dtp, nettrace, speedscope, trace_event,
};
use crate::model::Profile;

/// How sure a format is that a file is its own; the surest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The name fits, the content does not contradict.
    Name,
    /// The content looks like it.
    Likely,
    /// A magic number or a schema name says so.
    Certain,
}

/// A format that dotspot reads.
pub struct Format {
    /// Its name on the command line and in output.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Usual file extensions, with the dot.
    pub extensions: &'static [&'static str],
    /// The metrics that it gives.
    pub metrics: &'static str,
    /// Whether a file starts like one of this format.
    pub sniff: fn(&Head) -> Option<Confidence>,
    /// Reads it.
    pub read: fn(Input) -> Result<Profile, ImportError>,
}

impl Format {
    /// Whether this is the format of dotTrace snapshots, for which there are other decoders than ours.
    pub fn is_dottrace_snapshot(&self) -> bool {
        self.name == dtp::FORMAT.name
    }
}

/// All formats, the likeliest first.
pub const FORMATS: &[Format] = &[
    dtp::FORMAT,
    nettrace::FORMAT,
    speedscope::FORMAT,
    trace_event::FORMAT,
    cpuprofile::FORMAT,
    call_tree_json::FORMAT,
];

/// The format of a file by its content, then its name.
pub fn detect(head: &Head) -> Option<&'static Format> {
    FORMATS
        .iter()
        .filter_map(|format| (format.sniff)(head).map(|confidence| (confidence, format)))
        // the first of equals wins, and `max_by_key` takes the last
        .rev()
        .max_by_key(|(confidence, _)| *confidence)
        .map(|(_, format)| format)
}

/// The format that the content of a profile says, then its name.
///
/// # Errors
/// A file of no known format is told what was tried.
pub fn format_of(input: &Input) -> Result<&'static Format, ImportError> {
    detect(&input.head()).ok_or_else(|| not_recognised(input).into())
}

/// Reads a profile in the format that its content says.
///
/// # Errors
/// Those of [`format_of`] and of the format's reader.
pub fn import(input: Input) -> Result<Profile, ImportError> {
    (format_of(&input)?.read)(input)
}

fn not_recognised(input: &Input) -> Failure {
    let head = input.head();
    let tried: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    let is_snapshot = dtp::is_named_like_one(head.name.as_ref());
    let failure = Failure::new(
        &input.name,
        "",
        format!("is {}, which is none of the formats tried ({})", looks_like(head.bytes), tried.join(", ")),
    )
    .advice("`dotspot formats` lists what can be opened");
    if is_snapshot { failure.stage(Stage::Input) } else { failure }
}

/// What the first bytes look like, in words.
pub(super) fn looks_like(bytes: &[u8]) -> &'static str {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "a gzip file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"PERFILE2", "a perf.data file"),
        (b"\x7fELF", "an ELF program"),
        (b"MZ", "a Windows program"),
        (b"<?xml", "an XML file"),
        (b"{", "a JSON-like file"),
        (b"[{", "a JSON-like file"),
    ];
    let text = bytes.trim_ascii_start();
    if bytes.is_empty() {
        return "empty";
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return what;
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_some()) {
        "a binary file"
    } else {
        "a text file"
    }
}
