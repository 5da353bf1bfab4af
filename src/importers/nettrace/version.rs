//! The first bytes, which identify the format and its version.

use super::framing::header_cut;
use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::{Confidence, Failure, Head, ImportError};

const MAGIC: &[u8] = b"Nettrace";
/// Then version 4, and the start of version 3 and older: the length of a text and the text.
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.1";
/// Then version 3 and older, before the version: the start of two objects, the second without a type.
const OLD_OBJECT: &[u8] = &[4, 4, 1];
/// After [`MAGIC`] since version 6, before the version.
const ZERO: &[u8] = &[0; 4];
pub(super) const TRACE_NAMES: [&str; 3] = [
    "Trace",
    "EventPipeFile",
    "Microsoft.DotNet.Runtime.EventPipeFile",
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Each event has its stack; metadata records are among the events.
    V3,
    /// Events, metadata, stacks and sequence points have separate blocks.
    V4,
    V6,
}

/// Recognizes unsupported versions, too, to report them as such.
pub(super) fn sniff(head: &Head) -> Option<Confidence> {
    if head.bytes.starts_with(MAGIC) || is_netperf(head.bytes) {
        return Some(Confidence::Certain);
    }
    let name = head.name.to_ascii_lowercase();
    let is_start = |ending, start: &[u8]| name.ends_with(ending) && start.starts_with(head.bytes);
    (is_start(".nettrace", MAGIC) || is_start(".netperf", FAST_SERIALIZATION))
        .then_some(Confidence::Name)
}

/// The name of the first object tells formats with the same framing apart.
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

pub(super) fn read(stream: &mut Stream) -> Result<Framing, ImportError> {
    let mut start = Vec::new();
    stream.read(MAGIC.len(), &mut start)?;
    if start.is_empty() {
        let failure = stream.failure(messages::RECORDING_EMPTY);
        return Err(failure.advice(messages::STOPPED_BEFORE_WRITING).into());
    }
    let (has_magic, at) = (start == MAGIC, stream.offset);
    if has_magic {
        stream.read(ZERO.len(), &mut start)?;
    }
    if has_magic && start == ZERO {
        return match (stream.u32()?, stream.u32()?) {
            (Some(6), Some(_minor)) => Ok(Framing::V6),
            (Some(version), Some(_)) => Err(unsupported_version(stream, version).into()),
            _ => Err(header_cut(stream, stream.offset).into()),
        };
    }
    let mut rest = Vec::new();
    stream.read(FAST_SERIALIZATION.len() - start.len(), &mut rest)?;
    start.extend(rest);
    if start == FAST_SERIALIZATION {
        return Ok(if has_magic { Framing::V4 } else { Framing::V3 });
    }
    let other = if has_magic { ZERO } else { MAGIC };
    if other.starts_with(&start) || FAST_SERIALIZATION.starts_with(&start) {
        return Err(header_cut(stream, stream.offset).into());
    }
    Err(if has_magic {
        let failure = stream.failure(messages::NO_FASTSERIALIZATION).at(at);
        failure.advice(messages::FILE_DAMAGED).into()
    } else {
        let failure = stream.failure(messages::NO_NETTRACE_MAGIC);
        failure.advice(messages::OPEN_FILE_OF_DOTNET_TRACE).into()
    })
}

pub(super) fn unsupported_version(stream: &Stream, version: u32) -> Failure {
    let failure = stream.failure(messages::nettrace_version_unknown(&version));
    failure.advice(messages::RECORD_WITH_COLLECT)
}
