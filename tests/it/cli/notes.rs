//! Notes on methods: the command `notes`, and notes in exports.

use super::{dotspot, fails, fine, refused};
use crate::common::text::{assert_contains, assert_lacks, assert_starts_with};
use std::fs;
use std::path::{Path, PathBuf};

/// Exclusive values: Tax 30, Price 5, Log 10. Price calls Tax.
const STACKS: &str =
    "Shop.Main;Shop.Price;Shop.Tax 30\nShop.Main;Shop.Price 5\nShop.Main;Shop.Log 10\n";

fn shop(folder: &Path) -> PathBuf {
    let file = folder.join("shop.folded");
    fs::write(&file, STACKS).unwrap();
    file
}

#[test]
fn notes_are_stored_listed_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let file = shop(folder.path());
    let file = file.to_str().unwrap();
    assert_eq!(
        fine(&["notes", file]),
        "no notes yet: `dotspot notes FILE METHOD TEXT` writes one, and so does the explorer's command write-note\n"
    );
    for (method, text) in [
        ("Log", "why so often?"),
        ("Shop.Price", "looks up rates\u{1b}[31m twice"),
    ] {
        let run = dotspot(&["notes", file, method, text]);
        assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
        assert_starts_with(&run.err, "dotspot: the note on 1 method is saved in ");
    }
    let listed = fine(&["notes", file]);
    assert_eq!(
        listed.lines().collect::<Vec<_>>(),
        [
            "incl  excl  method and note",
            "  35     5  Shop.Price: looks up rates\\u{1b}[31m twice",
            "  10    10  Shop.Log: why so often?"
        ]
    );
    assert_eq!(fine(&["notes", file, "Log"]).lines().count(), 2);
    let json: serde_json::Value = serde_json::from_str(&fine(&["notes", file, "--json"])).unwrap();
    assert_eq!(json["schema"], "dotspot.method-notes/1");
    assert_eq!(
        (
            json["rows"][1]["name"].as_str(),
            json["rows"][1]["inclusive"].as_f64()
        ),
        (Some("Shop.Log"), Some(10.0))
    );
    // exports include the notes on their methods, and show them when opened
    let export = folder.path().join("price.json");
    let export = export.to_str().unwrap();
    assert_eq!(
        dotspot(&["export", file, "--method", "Price", "-o", export]).code,
        0
    );
    let text = fs::read_to_string(export).unwrap();
    assert_contains(&text, "looks up rates");
    assert_lacks(&text, "why so often?");
    assert!(fine(&["notes", export]).contains("Shop.Price: \"looks up rates"));
    // even without the notes file
    let (own, theirs) = ("The user's notes", "Notes stored in the file by its author");
    for (profile, title, no_title) in [(file, own, theirs), (export, theirs, own)] {
        let report = fine(&["report", profile]);
        assert_contains(&report, title);
        assert_lacks(&report, no_title);
        let report: serde_json::Value =
            serde_json::from_str(&fine(&["report", profile, "--json"])).unwrap();
        let is_in_file = report["notes"][0]["in_file"].as_bool();
        assert_eq!(is_in_file, (profile == export).then_some(true));
    }
    let run = dotspot(&["notes", file, "Price", "--remove"]);
    assert_starts_with(&run.err, "dotspot: the note on 1 method is removed from ");
    assert!(!fine(&["notes", file]).contains("Price"));
}

#[test]
fn unreadable_notes_are_reported_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = shop(folder.path());
    let notes = folder.path().join("shop.folded.dotspot.json");
    fs::write(&notes, "{}").unwrap();
    let file = file.to_str().unwrap();
    let run = dotspot(&["hotspots", file]);
    assert!(run.code == 0 && run.out.contains("Shop.Tax"), "{}", run.err);
    let warning =
        "the notes on methods in shop.folded.dotspot.json are not shown: it is not a notes file";
    assert!(run.err.contains(warning), "{}", run.err);
    refused(&format!(
        "notes {file} Tax slow | 1 | shop.folded.dotspot.json was not written: it is not a notes file"
    ));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "{}");
    fails(&["notes", file, "--remove"], 2, &["<METHOD>"]);
    fails(&["notes", file, "Taxi", "slow"], 2, &["Taxi"]);
}
