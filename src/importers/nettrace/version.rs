//! The first bytes of a file: whether it is one of this format, and of which version.

use super::stream::Stream;
use crate::importers::{Confidence, Failure, Head, ImportError};

/// The first bytes since version 4.
const MAGIC: &[u8] = b"Nettrace";
/// What follows them in version 4, and what version 3 and older begin with: the length of a text and the text.
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.1";
/// What follows that in version 3 and older, before the version: two objects begin, the second of no type.
const OLD_OBJECT: &[u8] = &[4, 4, 1];
const HEADER_BYTES: usize = MAGIC.len() + FAST_SERIALIZATION.len();

/// Whether a file starts like a recording of any version.
pub(super) fn sniff(head: &Head) -> Option<Confidence> {
    if head.bytes.starts_with(MAGIC) || is_netperf(head.bytes) {
        return Some(Confidence::Certain);
    }
    let is_named_so = head.name.to_ascii_lowercase().ends_with(".nettrace");
    (is_named_so && MAGIC.starts_with(head.bytes)).then_some(Confidence::Name)
}

/// Other formats use the same framing; the name of the first object tells them apart.
fn is_netperf(head: &[u8]) -> bool {
    let object = |name: &str| {
        let rest = head.strip_prefix(FAST_SERIALIZATION)?.strip_prefix(OLD_OBJECT)?.get(8..)?;
        rest.strip_prefix(&(name.len() as u32).to_le_bytes())?.strip_prefix(name.as_bytes())
    };
    let names = ["Trace", "EventPipeFile", "Microsoft.DotNet.Runtime.EventPipeFile"];
    names.into_iter().any(|name| object(name).is_some())
}

/// Reads the first bytes up to the objects.
///
/// # Errors
/// A sentence that says what it is if it is not a recording of version 4.
pub(super) fn read(stream: &mut Stream) -> Result<(), ImportError> {
    let mut start = Vec::new();
    stream.read(HEADER_BYTES, &mut start)?;
    if start.is_empty() {
        let advice = "dotnet-trace was ended before it wrote anything: record again and let it stop by itself";
        return Err(stream.failure("is empty, and a recording was expected").advice(advice).into());
    }
    let is_cut = start.len() < HEADER_BYTES;
    match start.strip_prefix(MAGIC) {
        Some(rest) if rest == FAST_SERIALIZATION => Ok(()),
        Some(rest) => match rest.first_chunk::<12>() {
            // since version 6: a zero, then the major and the minor version
            Some([0, 0, 0, 0, a, b, c, d, ..]) => Err(refuse(stream, u32::from_le_bytes([*a, *b, *c, *d]))),
            _ if is_cut && (FAST_SERIALIZATION.starts_with(rest) || rest.starts_with(&[0])) => {
                Err(header_cut(stream, stream.offset()).into())
            }
            _ => {
                let problem = "expected the text `!FastSerialization.1` and found something else";
                Err(stream.failure(problem).at(MAGIC.len() as u64).advice("the file is damaged").into())
            }
        },
        None if start.starts_with(FAST_SERIALIZATION) => old_version(stream, &start[FAST_SERIALIZATION.len()..]),
        None if is_cut && (MAGIC.starts_with(&start) || FAST_SERIALIZATION.starts_with(&start)) => {
            Err(header_cut(stream, stream.offset()).into())
        }
        None => {
            let problem = "expected the bytes `Nettrace` at its start and found something else";
            Err(stream.failure(problem).advice("name a file that dotnet-trace wrote").into())
        }
    }
}

/// Refuses what starts like version 3 and older; `rest` is what was read after that.
fn old_version(stream: &mut Stream, rest: &[u8]) -> Result<(), ImportError> {
    let mut more = Vec::new();
    stream.read(8, &mut more)?;
    let object = [rest, &more].concat();
    match object.strip_prefix(OLD_OBJECT).and_then(|rest| rest.first_chunk::<4>()) {
        Some(version) => Err(refuse(stream, u32::from_le_bytes(*version))),
        None => Err(header_cut(stream, stream.offset()).into()),
    }
}

fn refuse(stream: &Stream, version: u32) -> ImportError {
    let Refusal { problem, advice } = refusal(version);
    stream.failure(problem).advice(advice).into()
}

/// What is said of a version that is not read.
pub(super) struct Refusal {
    pub problem: String,
    pub advice: &'static str,
}

/// What is said of `version`.
pub(super) fn refusal(version: u32) -> Refusal {
    let writer = match version {
        0..=2 => " (.netperf, as .NET Core 2.0 wrote it)",
        3 => " (.netperf, as .NET Core 2.1 wrote it)",
        4..=5 => "",
        6 => " (as dotnet-trace collect-linux and record-trace write it)",
        _ => " (newer than this program)",
    };
    let advice = "record with `dotnet-trace collect`, which writes version 4 with every .NET since Core 3.0";
    Refusal { problem: format!("is of version {version}{writer}, and version 4 is the one that is read"), advice }
}

/// What is said of a file that ends within its header.
pub(super) fn header_cut(stream: &Stream, at: u64) -> Failure {
    stream
        .failure("ends within its header, and a recording was expected")
        .at(at)
        .advice("dotnet-trace was ended too early: record again and let it stop by itself")
}
