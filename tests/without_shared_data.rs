//! What this machine could not test, in one line. Cargo runs test files in the order of their names, so this is the last.

mod common;

use common::{NOT_TESTED, say_skipped};
use dotspot::importers::{FORMATS, ReadOptions, format_of, open_file, unpack};
use dotspot::input::Progress;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The formats of which this project has no recording that it made itself: their real files are those of others.
const NONE_OF_OURS: [&str; 5] = ["collapsed", "cpuprofile", "etl", "perfview", "report"];

/// The files in a folder and in those below it.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        let (below, here): (Vec<_>, Vec<_>) = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .partition(|path| path.is_dir());
        folders.extend(below);
        files.extend(here);
    }
    files
}

#[test]
fn every_other_format_has_a_recording_of_ours() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [
        "tests/data/net10",
        "tests/data/nettrace",
        "tests/data/perf-script",
        "snapshots",
    ];
    let files = files
        .into_iter()
        .flat_map(|folder| files_below(&root.join(folder)));
    let format = |file: PathBuf| {
        let input = unpack(
            open_file(&file, Progress::default()).ok()?,
            &ReadOptions::default(),
        )
        .ok()?;
        Some(format_of(&input).ok()?.name)
    };
    let known: BTreeSet<&str> = files.filter_map(format).collect();
    let mut unknown: Vec<&str> = FORMATS
        .iter()
        .map(|format| format.name)
        .filter(|name| !known.contains(name))
        .collect();
    unknown.sort_unstable();
    assert_eq!(unknown, NONE_OF_OURS);
}

/// What was noted, with files counted by their folders, or `None` where nothing was.
fn summary(noted: &str) -> Option<String> {
    let (sentences, paths): (BTreeSet<&str>, BTreeSet<&str>) =
        noted.lines().partition(|line| line.contains(' '));
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        *folders
            .entry(path.split('/').next().unwrap_or(path))
            .or_default() += 1;
    }
    let counts: Vec<String> = folders
        .iter()
        .map(|(folder, files)| format!("{folder} {files}"))
        .collect();
    let files = (!counts.is_empty()).then(|| {
        let counts = counts.join(", ");
        let none = NONE_OF_OURS.join(", ");
        format!(
            "recordings of others and large ones, because the folder ../shared/data is not there ({counts}); \
             {none}: no recording of ours"
        )
    });
    let parts: Vec<String> = files
        .into_iter()
        .chain(sentences.into_iter().map(String::from))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[test]
fn what_was_not_tested_is_said_in_one_line() {
    let Ok(noted) = std::fs::read_to_string(NOT_TESTED) else {
        return;
    };
    // what is said once is not said again after the next run
    std::fs::remove_file(NOT_TESTED).unwrap();
    summary(&noted).iter().for_each(|line| say_skipped(line));
}

#[test]
fn files_are_counted_once_for_each_folder() {
    assert_eq!(summary(""), None);
    assert_eq!(
        summary("dtp/a\nnettrace/b\nnot this, for want of that\ndtp/a\ndtp/c\n").unwrap(),
        "recordings of others and large ones, because the folder ../shared/data is not there (dtp 2, nettrace 1); \
         collapsed, cpuprofile, etl, perfview, report: no recording of ours; not this, for want of that"
    );
}
