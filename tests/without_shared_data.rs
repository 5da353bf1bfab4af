//! What this machine could not test, in one line. Cargo runs test files in the order of their names, so this is the last.

mod common;

use common::{NOT_TESTED, say_skipped};
use std::collections::{BTreeMap, BTreeSet};

/// What was noted, with files counted by their folders, or `None` where nothing was.
fn summary(noted: &str) -> Option<String> {
    let (sentences, paths): (BTreeSet<&str>, BTreeSet<&str>) = noted.lines().partition(|line| line.contains(' '));
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        *folders.entry(path.split('/').next().unwrap_or(path)).or_default() += 1;
    }
    let counts: Vec<String> = folders.iter().map(|(folder, files)| format!("{folder} {files}")).collect();
    let files = (!counts.is_empty()).then(|| {
        let counts = counts.join(", ");
        format!("recordings of others and large ones, because the folder ../shared/data is not there ({counts})")
    });
    let parts: Vec<String> = files.into_iter().chain(sentences.into_iter().map(String::from)).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[test]
fn what_was_not_tested_is_said_in_one_line() {
    let Ok(noted) = std::fs::read_to_string(NOT_TESTED) else { return };
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
         not this, for want of that"
    );
}
