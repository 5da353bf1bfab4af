//! The dependencies between rooms in the sources, compared with those that ARCHITECTURE.md allows.

use crate::common::text::assert_lacks;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms that every room above them may use.
const BELOW: &[&str] = &["text", "units", "names", "diagnostics"];

/// The rooms, and the other rooms that each may use. From `model` on, rooms may also use those in [`BELOW`].
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
    // the server only reads natively and starts no programs, so it must not use decoders
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

/// The crates, and the rooms or files that may use each.
const CRATES: &[(&str, &[&str])] = &[
    ("crossterm", &["cli"]),
    ("clap", &["cli"]),
    ("anyhow", &["cli"]),
    ("ratatui", &["ui", "cli/terminal.rs"]),
    ("fuzzy_matcher", &["analysis"]),
    ("regex", &["analysis", "mcp", "query"]),
    ("strsim", &["mcp", "query", "settings"]),
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
    // the only way to read Windows console events without unsafe code
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

/// The sources without comments, with their paths below `src/`.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    assert!(paths.len() > 30, "too few source files");
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
fn rooms_only_use_the_rooms_they_may() {
    let mut dependencies = 0;
    for (file, text) in code() {
        let room = file.split('/').next().unwrap();
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            assert!(
                [
                    "lib.rs",
                    "main.rs",
                    "messages.rs",
                    "object.rs",
                    "testing.rs",
                    "words.rs"
                ]
                .contains(&room),
                "{file} is in no room"
            );
            continue;
        };
        let is_above = !BELOW.contains(&room);
        for named in words_after(&text, "crate::") {
            if ROOMS.iter().any(|(name, _)| *name == named) && named != room {
                dependencies += 1;
                assert!(
                    allowed.contains(&named) || is_above && BELOW.contains(&named),
                    "src/{file}: {room} may not know {named}"
                );
            }
        }
        assert_lacks(&text, "use crate::{");
    }
    assert!(
        dependencies > 20,
        "only {dependencies} dependencies were found"
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

/// The explorer's state and drawing use no terminal, clock, files or threads.
#[test]
fn the_explorer_has_no_side_effects() {
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
fn the_sources_have_no_unsafe_or_unfinished_code() {
    for (file, text) in code() {
        for word in ["unsafe ", "todo!(", "unimplemented!(", "dbg!("] {
            assert!(!text.contains(word), "src/{file} contains {word}");
        }
    }
}
