//! The table of all entries: what `dotspot config --default` prints, and docs/config.md.

use crate::query::MethodOrder;
use crate::units::Scale;

/// An entry that a configuration may have.
pub(super) struct EntryKind {
    pub name: &'static str,
    /// What it could be, as TOML.
    pub example: &'static str,
    pub doc: &'static str,
    /// Whether a folder's file may have it.
    pub is_for_folders: bool,
}

impl EntryKind {
    /// All of the table of keys.
    pub(super) const OF_KEYS: EntryKind = kind("keys", "", "");
}

const fn kind(name: &'static str, example: &'static str, doc: &'static str) -> EntryKind {
    EntryKind {
        name,
        example,
        doc,
        is_for_folders: false,
    }
}

const fn for_folders(name: &'static str, example: &'static str, doc: &'static str) -> EntryKind {
    EntryKind {
        is_for_folders: true,
        ..kind(name, example, doc)
    }
}

/// All of them but the keys.
pub(super) const ENTRIES: [EntryKind; 12] = [
    kind(
        "theme",
        "\"light\"",
        "colors of the explorer: a name that `dotspot themes` lists; by default what suits the terminal's background",
    ),
    kind(
        "ascii",
        "true",
        "draw with ASCII alone; by default where the locale is not UTF-8",
    ),
    kind("strip", "false", "show the timeline strip above the panels"),
    kind(
        "columns",
        "[\"bar\", \"exclusive\"]",
        "columns of trees, where they have room: waiting, bar, exclusive, count",
    ),
    kind(
        "metric",
        "\"CPU\"",
        "metric to show first, in profiles that have it",
    ),
    kind(
        "order",
        "\"inclusive\"",
        "order of methods: exclusive, inclusive, own-system, calls, samples, per-call, occurrences, name",
    ),
    kind(
        "merge-threads",
        "\"none\"",
        "threads that the explorer merges at first: none, pool, all",
    ),
    kind("budget", "4000", "tokens of a report, from 500 to 16000"),
    for_folders("unit", "\"ms\"", "unit of times: s, ms, us"),
    for_folders(
        "fold",
        "\"system\"",
        "rows to fold at first: plumbing, system, none",
    ),
    for_folders(
        "user-code",
        "[\"Acme\"]",
        "namespaces and modules that are user code, or their beginnings",
    ),
    for_folders("not-user-code", "[\"Acme.Vendored\"]", "those that are not"),
];

/// Each entry for the docs: its name, an example, what it does, and whether a folder's file may have it.
pub fn table() -> impl Iterator<Item = (&'static str, &'static str, &'static str, bool)> {
    ENTRIES
        .iter()
        .map(|kind| (kind.name, kind.example, kind.doc, kind.is_for_folders))
}

/// The units of times.
pub(super) const UNITS: [(&str, Scale); 3] = [
    ("s", Scale::SECONDS),
    ("ms", Scale::MILLISECONDS),
    ("us", Scale::MICROSECONDS),
];

/// The orders that hotspots can have.
pub(super) const HOTSPOT_ORDERS: [MethodOrder; 3] = [
    MethodOrder::Exclusive,
    MethodOrder::Inclusive,
    MethodOrder::OwnAndSystem,
];
