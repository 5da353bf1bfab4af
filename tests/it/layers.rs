//! The rooms and who may call whom, as ARCHITECTURE.md says: read from the sources, any other arrow fails.

use crate::common::text::lacks;
use std::fs;
use std::path::{Path, PathBuf};

/// What every room above them may name.
const BELOW: &[&str] = &["text", "units", "names", "diagnostics"];

/// A room and the rooms that it may name besides itself; from `model` on, those of [`BELOW`], too.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("units", &[]),
    ("names", &["text"]),
    ("diagnostics", &["names", "units"]),
    ("model", BELOW),
    ("analysis", &["model"]),
    ("input", &["model"]),
    ("truncation", &["model"]),
    ("importers", &["model", "input", "truncation"]),
    ("child", &["model", "input"]),
    ("decoders", &["model", "input", "importers", "child"]),
    (
        "profile_cache",
        &["model", "input", "importers", "decoders"],
    ),
    ("record", &["model", "input", "importers"]),
    ("exporters", &["model", "analysis", "query"]),
    ("query", &["model", "analysis"]),
    // the server reads natively and starts no program, so that it knows no decoders
    ("mcp", &["model", "analysis", "input", "importers", "query"]),
    ("settings", &[]),
    ("app", &["model", "analysis", "query", "settings"]),
    ("ui", &["model", "analysis", "query", "app", "settings"]),
    (
        "cli",
        &[
            "model",
            "analysis",
            "input",
            "importers",
            "child",
            "decoders",
            "profile_cache",
            "record",
            "exporters",
            "query",
            "mcp",
            "app",
            "ui",
            "settings",
        ],
    ),
];

/// A crate and the rooms or files that may name it.
const CRATES: &[(&str, &[&str])] = &[
    ("crossterm", &["cli"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("ratatui", &["ui", "cli/terminal.rs"]),
    ("fuzzy_matcher", &["analysis"]),
    ("regex", &["analysis"]),
    ("strsim", &["query", "settings"]),
    ("toml", &["settings"]),
    ("etcetera", &["cli"]),
    (
        "borsh",
        &[
            "model",
            "names",
            "diagnostics",
            "units",
            "profile_cache",
            "input/state.rs",
        ],
    ),
    ("interprocess", &["record"]),
    ("sysinfo", &["record"]),
    ("crc32fast", &["profile_cache"]),
    ("rmcp", &["mcp"]),
    // events of Windows' consoles come only this way without unsafe code
    ("tokio", &["mcp", "cli/console_events.rs"]),
    ("ruzstd", &["importers"]),
    ("rustc_demangle", &["importers"]),
    ("cpp_demangle", &["importers"]),
    ("unicode_width", &["text"]),
    ("unicode_segmentation", &["text"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The sources with their paths below `src/`, comments left out.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 30, "the sources are there");
    paths
        .into_iter()
        .map(|path| {
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap();
            let lines = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            (name, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

/// The words that follow `prefix` in a source.
fn words_after<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let ends = |c: char| !(c.is_alphanumeric() || c == '_');
    text.split(prefix)
        .skip(1)
        .map(|rest| rest.split(ends).next().unwrap_or(""))
        .collect()
}

#[test]
fn rooms_know_only_the_rooms_they_may() {
    let mut arrows = 0;
    for (file, text) in code() {
        let room = file.split('/').next().unwrap();
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            assert!(
                [
                    "lib.rs",
                    "main.rs",
                    "messages.rs",
                    "object.rs",
                    "testing.rs"
                ]
                .contains(&room),
                "{file} is in no room"
            );
            continue;
        };
        let is_above = !BELOW.contains(&room);
        for named in words_after(&text, "crate::") {
            if ROOMS.iter().any(|(name, _)| *name == named) && named != room {
                arrows += 1;
                assert!(
                    allowed.contains(&named) || is_above && BELOW.contains(&named),
                    "src/{file}: {room} may not know {named}"
                );
            }
        }
        lacks(&text, "use crate::{");
    }
    assert!(
        arrows > 20,
        "the test reads what it should: {arrows} arrows"
    );
}

#[test]
fn crates_stay_in_their_rooms() {
    for (file, text) in code() {
        for (krate, rooms) in CRATES {
            let is_named =
                text.contains(&format!("{krate}::")) || text.contains(&format!("use {krate};"));
            let may = rooms
                .iter()
                .any(|room| file == *room || file.starts_with(&format!("{room}/")));
            assert!(!is_named || may, "src/{file} names the crate {krate}");
        }
    }
}

/// The state of the explorer and what draws it: no terminal, no clock, no files, no threads.
#[test]
fn the_explorer_touches_nothing_of_the_world() {
    for (file, text) in code()
        .iter()
        .filter(|(file, _)| file.starts_with("app/") || file.starts_with("ui/"))
    {
        for word in [
            "std::fs",
            "std::thread",
            "std::time",
            "std::env",
            "std::process",
            "std::net",
            "std::io",
        ] {
            assert!(!text.contains(word), "src/{file} names {word}");
        }
    }
}

#[test]
fn nothing_is_unsafe_or_left_to_be_done() {
    for (file, text) in code() {
        for word in ["unsafe ", "todo!(", "unimplemented!(", "dbg!("] {
            assert!(!text.contains(word), "src/{file} has {word}");
        }
    }
}
