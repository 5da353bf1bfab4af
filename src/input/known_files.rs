//! Files that dotspot can't read, with advice on how to get a profile from them.

use crate::input::messages;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub kind: &'static str,
    /// Empty if nothing is known to help.
    pub advice: &'static str,
}

const fn known(kind: &'static str, advice: &'static str) -> KnownFile {
    KnownFile { kind, advice }
}

const MAGIC: &[(&[u8], KnownFile)] = &[
    (b"\x1f\x8b", known("a gzip file", "")),
    (b"PK\x03\x04", known("a zip archive", "")),
    (b"heap profile:", GPERFTOOLS),
    (b"--- symbol", GPERFTOOLS),
    (b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0", GPERFTOOLS),
    (b"\x7fELF", known("an ELF program", "")),
    (
        b"2ELIFREP",
        known(messages::BIG_ENDIAN_PERF, messages::PRINT_WHERE_RECORDED),
    ),
    (b"MZ", known("a Windows program", "")),
    (b"<?xml", known("an XML file", "")),
    (b"<", known(messages::XML_HTML_FILE, "")),
    (b"{", known("a JSON file", "")),
    (b"[{", known("a JSON file", "")),
];
const GPERFTOOLS: KnownFile = known(messages::LEGACY_GPERFTOOLS, messages::CONVERT_WITH_PPROF);
/// How .gcdump, .etlx and .netperf files start: a string with its length, tags and two versions, the first object's
/// type name (`FastSerialization.cs` in microsoft/perfview).
const FAST_SERIALIZATION: &[u8] = b"\x14\0\0\0!FastSerialization.";
/// The type name ends within this many bytes.
const TYPE_NAME_BYTES: usize = 128;
const TYPES: &[(&str, KnownFile)] = &[
    (
        "GCHeapDump",
        known(messages::GC_DUMP, messages::GC_DUMP_HAS_NO_CALLS),
    ),
    (
        "TraceLog",
        known(messages::ETLX, messages::OPEN_ORIGINAL_TRACE),
    ),
];
/// Archives, and files whose content can't identify them, by name.
///
/// Sources: the page on workspaces in dotMemory's help, `BPerfEventSource.cs` in microsoft/perfview.
const NAMES: &[(&str, KnownFile)] = &[
    (
        ".diagsession",
        known(messages::DIAGSESSION, messages::SAVE_CPU_STACKS),
    ),
    (
        ".dmw",
        known(messages::DOTMEMORY_WORKSPACE, messages::USE_DOTTRACE),
    ),
    (
        ".btl",
        known(messages::BPERF_LOG, messages::SAVE_CPU_STACKS),
    ),
];
/// What perfcollect got from LTTng.
const LTTNG_FOLDER: &str = "lttngtrace/";

pub(crate) fn known_file(bytes: &[u8]) -> KnownFile {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = text.trim_ascii_start();
    if bytes.is_empty() {
        return known("empty", "");
    }
    if let Some((_, file)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return *file;
    }
    if bytes.starts_with(FAST_SERIALIZATION) {
        let start = &bytes[..bytes.len().min(TYPE_NAME_BYTES)];
        let is_in_start = |name: &str| memchr::memmem::find(start, name.as_bytes()).is_some();
        return match TYPES.iter().find(|(name, _)| is_in_start(name)) {
            Some((_, file)) => *file,
            None => known(messages::FAST_SERIALIZATION_FILE, ""),
        };
    }
    if bytes.contains(&0) || std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_some()) {
        known("a binary file", "")
    } else {
        known("a text file", "")
    }
}

pub(crate) fn known_by_name(name: &str) -> Option<KnownFile> {
    let name = name.to_ascii_lowercase();
    let row = NAMES.iter().find(|(end, _)| name.ends_with(end));
    row.map(|(_, file)| *file)
}

/// Recognizes an archive without a profile by the names of its members.
pub(crate) fn known_archive<'a>(mut members: impl Iterator<Item = &'a str>) -> Option<KnownFile> {
    let is_lttng = |name: &str| name.to_ascii_lowercase().contains(LTTNG_FOLDER);
    let lttng = known(messages::PERFCOLLECT_LTTNG, messages::INSTALL_PERF);
    members.any(is_lttng).then_some(lttng)
}

#[cfg(test)]
mod tests;
