//! What a file that is not read looks like, and how one gets a profile out of it.

use crate::input::messages;

/// What the first bytes of a file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Looks {
    /// In words.
    pub what: &'static str,
    /// What to do, if there is something; empty if nothing is known.
    pub advice: &'static str,
}

const fn looks(what: &'static str, advice: &'static str) -> Looks {
    Looks { what, advice }
}

/// What files start with, after a byte order mark and blanks.
const MAGIC: &[(&[u8], Looks)] = &[
    (b"\x1f\x8b", looks("a gzip file", "")),
    (b"PK\x03\x04", looks("a zip archive", "")),
    (b"heap profile:", GPERFTOOLS),
    (b"--- symbol", GPERFTOOLS),
    (b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0", GPERFTOOLS),
    (b"\x7fELF", looks("an ELF program", "")),
    (
        b"2ELIFREP",
        looks(messages::BIG_ENDIAN_PERF, messages::PRINT_WHERE_RECORDED),
    ),
    (b"MZ", looks("a Windows program", "")),
    (b"<?xml", looks("an XML file", "")),
    (b"<", looks(messages::XML_HTML_FILE, "")),
    (b"{", looks("a JSON file", "")),
    (b"[{", looks("a JSON file", "")),
];
const GPERFTOOLS: Looks = looks(messages::LEGACY_GPERFTOOLS, messages::CONVERT_WITH_PPROF);
/// What the format of .gcdump, .etlx and .netperf starts with: the length of a text and the text, then tags and two versions, then the
/// name of the first object's type. Source: `FastSerialization.cs` in microsoft/perfview.
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.";
/// How far from the start the name of the type ends.
const TYPE_NAME_BYTES: usize = 128;
/// What is in the names of types.
const TYPES: &[(&[u8], Looks)] = &[
    (
        b"GCHeapDump",
        looks(messages::GC_DUMP, messages::GC_DUMP_HAS_NO_CALLS),
    ),
    (
        b"TraceLog",
        looks(messages::ETLX, messages::OPEN_ORIGINAL_TRACE),
    ),
];
/// How files of known programs are named that nothing in them tells apart, or that are archives.
///
/// Sources: the page on workspaces in dotMemory's help, `BPerfEventSource.cs` in microsoft/perfview.
const NAMES: &[(&str, Looks)] = &[
    (
        ".diagsession",
        looks(messages::DIAGSESSION, messages::SAVE_CPU_STACKS),
    ),
    (
        ".dmw",
        looks(messages::DOTMEMORY_WORKSPACE, messages::USE_DOTTRACE),
    ),
    (
        ".btl",
        looks(messages::BPERF_LOG, messages::SAVE_CPU_STACKS),
    ),
];
/// The folder in which perfcollect puts what LTTng recorded.
const LTTNG_FOLDER: &str = "lttngtrace/";

/// What the first bytes look like.
pub(crate) fn looks_like(bytes: &[u8]) -> Looks {
    let text = bytes
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(bytes)
        .trim_ascii_start();
    if bytes.is_empty() {
        return looks("empty", "");
    }
    if let Some((_, known)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return *known;
    }
    if bytes.starts_with(FAST_SERIALIZATION) {
        let start = &bytes[..bytes.len().min(TYPE_NAME_BYTES)];
        let is_there = |name: &[u8]| start.windows(name.len()).any(|window| window == name);
        let known = TYPES
            .iter()
            .find(|(name, _)| is_there(name))
            .map(|(_, known)| *known);
        return known.unwrap_or(looks(messages::FAST_SERIALIZATION_FILE, ""));
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_some()) {
        looks("a binary file", "")
    } else {
        looks("a text file", "")
    }
}

/// What a file is by its name, if it is one of a known program's.
pub(crate) fn named(name: &str) -> Option<Looks> {
    let name = name.to_ascii_lowercase();
    let mut names = NAMES.iter();
    let known = names.find(|(extension, _)| name.ends_with(extension));
    known.map(|(_, known)| *known)
}

/// What an archive without a profile is by the names of its members, if it is one of a known program's.
pub(crate) fn archive_of<'a>(mut members: impl Iterator<Item = &'a str>) -> Option<Looks> {
    let is_lttng = |name: &str| name.to_ascii_lowercase().contains(LTTNG_FOLDER);
    let lttng = looks(messages::PERFCOLLECT_LTTNG, messages::INSTALL_PERF);
    members.any(is_lttng).then_some(lttng)
}

#[cfg(test)]
mod tests;
