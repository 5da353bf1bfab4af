//! The first bytes of a file, which identify the format and its version.

use super::framing::header_cut;
use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::{Confidence, Head, ImportError};

/// The first bytes since version 4.
const MAGIC: &[u8] = b"Nettrace";
/// What follows in version 4, and the start of version 3 and older: the length of a text and the text.
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.1";
/// What follows in version 3 and older, before the version: the start of two objects, the second without a type.
const OLD_OBJECT: &[u8] = &[4, 4, 1];
/// The first version in which the file states its version before its blocks.
const BLOCKS_VERSION: u32 = 6;
/// The names of the first object in a file.
pub(super) const TRACE_NAMES: [&str; 3] = [
    "Trace",
    "EventPipeFile",
    "Microsoft.DotNet.Runtime.EventPipeFile",
];

/// Differences between versions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Version 3: blocks contain events, each with its own stack, interspersed with metadata records.
    Old,
    /// Version 4: events, metadata, stacks and sequence points have separate blocks.
    New,
}

impl Dialect {
    /// The tag at the start of an object and, again, at the start of its type.
    pub(super) fn begin_object(self) -> u8 {
        match self {
            Dialect::Old => 4,
            Dialect::New => 5,
        }
    }

    /// The versions of files.
    pub(super) fn versions(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Dialect::Old => 3..=3,
            Dialect::New => 4..=5,
        }
    }
}

/// How a file is framed.
pub(super) enum Framing {
    /// Versions 3 and 4.
    Objects(Dialect),
    /// Version 6.
    Blocks,
}

/// Whether a file starts like a recording of any version.
pub(super) fn sniff(head: &Head) -> Option<Confidence> {
    if head.bytes.starts_with(MAGIC) || is_netperf(head.bytes) {
        return Some(Confidence::Certain);
    }
    let name = head.name.to_ascii_lowercase();
    let is_start = |ending, start: &[u8]| name.ends_with(ending) && start.starts_with(head.bytes);
    (is_start(".nettrace", MAGIC) || is_start(".netperf", FAST_SERIALIZATION))
        .then_some(Confidence::Name)
}

/// Other formats use the same framing; the name of the first object distinguishes them.
fn is_netperf(head: &[u8]) -> bool {
    let object = |name: &str| {
        let rest = head
            .strip_prefix(FAST_SERIALIZATION)?
            .strip_prefix(OLD_OBJECT)?
            .get(8..)?;
        rest.strip_prefix(&(name.len() as u32).to_le_bytes())?
            .strip_prefix(name.as_bytes())
    };
    TRACE_NAMES.into_iter().any(|name| object(name).is_some())
}

/// Reads the first bytes, up to the blocks.
///
/// # Errors
/// The file is not a recording, or of an unsupported version.
pub(super) fn read(stream: &mut Stream) -> Result<Framing, ImportError> {
    let mut start = Vec::new();
    stream.read(MAGIC.len(), &mut start)?;
    if start.is_empty() {
        let advice = messages::STOPPED_BEFORE_WRITING;
        return Err(stream
            .failure(messages::RECORDING_EMPTY)
            .advice(advice)
            .into());
    }
    if start == MAGIC {
        return read_behind_magic(stream);
    }
    let mut rest = Vec::new();
    stream.read(FAST_SERIALIZATION.len() - MAGIC.len(), &mut rest)?;
    start.extend(rest);
    if start == FAST_SERIALIZATION {
        return Ok(Framing::Objects(Dialect::Old));
    }
    if MAGIC.starts_with(&start) || FAST_SERIALIZATION.starts_with(&start) {
        return Err(header_cut(stream, stream.offset).into());
    }
    let problem = messages::NO_NETTRACE_MAGIC;
    Err(stream
        .failure(problem)
        .advice(messages::OPEN_FILE_OF_DOTNET_TRACE)
        .into())
}

/// Since version 6, a zero follows, then the major and the minor version; before, a text.
fn read_behind_magic(stream: &mut Stream) -> Result<Framing, ImportError> {
    let at = stream.offset;
    let mut start = Vec::new();
    stream.read(4, &mut start)?;
    if start == [0; 4] {
        let (Some(major), Some(_minor)) = (stream.u32()?, stream.u32()?) else {
            return Err(header_cut(stream, stream.offset).into());
        };
        return if major == BLOCKS_VERSION {
            Ok(Framing::Blocks)
        } else {
            Err(refuse(stream, major))
        };
    }
    let mut rest = Vec::new();
    stream.read(FAST_SERIALIZATION.len() - 4, &mut rest)?;
    start.extend(rest);
    if start == FAST_SERIALIZATION {
        return Ok(Framing::Objects(Dialect::New));
    }
    if FAST_SERIALIZATION.starts_with(&start) || [0; 4].starts_with(&start) {
        return Err(header_cut(stream, stream.offset).into());
    }
    let problem = messages::NO_FASTSERIALIZATION;
    Err(stream
        .failure(problem)
        .at(at)
        .advice(messages::FILE_DAMAGED)
        .into())
}

fn refuse(stream: &Stream, version: u32) -> ImportError {
    let Refusal { problem, advice } = refusal(version);
    stream.failure(problem).advice(advice).into()
}

/// The failure for an unsupported version.
pub(super) struct Refusal {
    pub problem: String,
    pub advice: &'static str,
}

/// The failure for `version`.
pub(super) fn refusal(version: u32) -> Refusal {
    let writer = match version {
        0..=2 => messages::IS_NETPERF,
        3..=6 => "",
        _ => messages::IS_NEWER,
    };
    let advice = messages::RECORD_WITH_COLLECT;
    Refusal {
        problem: messages::nettrace_version_unknown(&version, &writer),
        advice,
    }
}
