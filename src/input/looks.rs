//! Recognizes files that dotspot can't read, with advice on how to get a profile from them.

use crate::input::messages;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub what: &'static str,
    /// What to do about it; empty if nothing is known to help.
    pub advice: &'static str,
}

const fn looks(what: &'static str, advice: &'static str) -> KnownFile {
    KnownFile { what, advice }
}

const MAGIC: &[(&[u8], KnownFile)] = &[
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
const GPERFTOOLS: KnownFile = looks(messages::LEGACY_GPERFTOOLS, messages::CONVERT_WITH_PPROF);
/// The start of .gcdump, .etlx and .netperf files: the length of a string and the string, then tags and two versions,
/// then the type name of the first object. Source: `FastSerialization.cs` in microsoft/perfview.
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.";
/// The offset by which the type name ends.
const TYPE_NAME_BYTES: usize = 128;
const TYPES: &[(&str, &str, &str)] = &[
    (
        "GCHeapDump",
        messages::GC_DUMP,
        messages::GC_DUMP_HAS_NO_CALLS,
    ),
    ("TraceLog", messages::ETLX, messages::OPEN_ORIGINAL_TRACE),
];
/// File names used by known programs, for archives and for files whose content can't identify them.
///
/// Sources: the page on workspaces in dotMemory's help, `BPerfEventSource.cs` in microsoft/perfview.
const NAMES: &[(&str, &str, &str)] = &[
    (
        ".diagsession",
        messages::DIAGSESSION,
        messages::SAVE_CPU_STACKS,
    ),
    (
        ".dmw",
        messages::DOTMEMORY_WORKSPACE,
        messages::USE_DOTTRACE,
    ),
    (".btl", messages::BPERF_LOG, messages::SAVE_CPU_STACKS),
];
/// The folder in which perfcollect stores what LTTng recorded.
const LTTNG_FOLDER: &str = "lttngtrace/";

pub(crate) fn looks_like(bytes: &[u8]) -> KnownFile {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = text.trim_ascii_start();
    if bytes.is_empty() {
        return looks("empty", "");
    }
    if let Some((_, known)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return *known;
    }
    if bytes.starts_with(FAST_SERIALIZATION) {
        let start = &bytes[..bytes.len().min(TYPE_NAME_BYTES)];
        let is_there = |name: &str| memchr::memmem::find(start, name.as_bytes()).is_some();
        let known = TYPES.iter().find(|(name, ..)| is_there(name));
        let known = known.map(|&(_, what, advice)| looks(what, advice));
        return known.unwrap_or(looks(messages::FAST_SERIALIZATION_FILE, ""));
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_some()) {
        looks("a binary file", "")
    } else {
        looks("a text file", "")
    }
}

pub(crate) fn named(name: &str) -> Option<KnownFile> {
    let name = name.to_ascii_lowercase();
    let known = NAMES.iter().find(|(end, ..)| name.ends_with(end));
    known.map(|&(_, what, advice)| looks(what, advice))
}

/// Recognizes an archive of a known program, without a profile, by the names of its members.
pub(crate) fn archive_of<'a>(mut members: impl Iterator<Item = &'a str>) -> Option<KnownFile> {
    let is_lttng = |name: &str| name.to_ascii_lowercase().contains(LTTNG_FOLDER);
    let lttng = looks(messages::PERFCOLLECT_LTTNG, messages::INSTALL_PERF);
    members.any(is_lttng).then_some(lttng)
}

#[cfg(test)]
mod tests;
