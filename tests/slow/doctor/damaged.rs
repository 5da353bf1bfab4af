//! Snapshots that are incomplete, damaged or unknown, and files that are not snapshots.

use super::machine::{BUILDS, Machine, section_mut};
use crate::common::dtp_writer::Container;
use crate::common::json::{each, row, text};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks, assert_starts_with};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const SNAPSHOT: &str = "m.dtp";

/// Runs doctor on the machine's snapshot; checks exit code and output, and returns the snapshot and the next steps.
#[track_caller]
fn check(machine: &Machine, code: i32, words: &[&str]) -> (Value, Vec<String>) {
    let (run, document) = machine.doctor(Path::new(SNAPSHOT), &[]);
    assert_eq!(run.code, code, "{}", run.out);
    run.assert_output(words);
    let next = each(&document["next"]).map(|step| text(step).to_string());
    (document["snapshot"].clone(), next.collect())
}

/// The states of the sections with this id.
fn states<'a>(snapshot: &'a Value, id: &str) -> Vec<&'a str> {
    let sections = each(&snapshot["sections"]).filter(|section| section["id"] == id);
    sections.map(|section| text(&section["state"])).collect()
}

#[test]
fn missing_files() {
    let machine = Machine::with(|_| {});
    fs::remove_file(machine.path("m.dtp.0001")).unwrap();
    machine.edit("m.dtp.0002", |bytes| bytes.truncate(5));
    let words = [
        "missing",
        "m.dtp.0001: sections (incomplete)",
        "native opens it",
    ];
    let (snapshot, next) = check(&machine, 0, &words);
    assert_eq!(states(&snapshot, "0x1101"), ["not there"]);
    assert_eq!(states(&snapshot, "0x1102"), ["not there"]);
    assert_eq!(states(&snapshot, "0x1103"), ["not checked"]);
    // a section reports where it should be
    let missing = row(&snapshot["sections"], "id", "0x1101");
    assert_eq!(missing["file"], "m.dtp.0001");
    let file = row(&snapshot["files"], "name", "m.dtp.0001");
    assert!(file["found_bytes"].is_null() && file["whole"] == false);
    assert_eq!(file["need"], "derived");
    assert_eq!(next[0], "`dotspot m.dtp` opens it");
    assert_eq!(next.len(), 1);

    fs::remove_file(machine.path("m.dtp.0000")).unwrap();
    let (snapshot, next) = check(&machine, 10, &["can't open it", "m.dtp.0000: stage input"]);
    assert_eq!(states(&snapshot, "0x1100"), ["not there"]);
    assert_eq!(next, ["copy m.dtp.0000 too, into the folder of the index"]);

    let (_, document) = machine.doctor(Path::new("m.dtp.0002"), &[]);
    assert_eq!(document["snapshot"]["index"], "m.dtp");
    fs::remove_file(machine.path("m.dtp")).unwrap();
    let (run, _) = machine.doctor(Path::new("m.dtp.0003"), &[]);
    assert_eq!(run.code, 10);
    run.assert_output(&[
        "its index m.dtp is not next to it",
        "copy the index, too, and open that",
    ]);
}

#[test]
fn truncated_files() {
    let machine = Machine::with(|_| {});
    // a header of ten bytes and five rows of 14
    machine.edit("m.dtp", |bytes| bytes.truncate(80));
    let words = [
        "has 80 bytes, but 152 were expected with its table of 10 sections",
        "copy it again",
    ];
    let (snapshot, next) = check(&machine, 10, &words);
    assert_eq!(each(&snapshot["sections"]).count(), 5);
    assert_eq!(states(&snapshot, "0x1100"), ["not checked"]);
    assert!(snapshot["table_problem"].is_string());
    let missing: Vec<&str> = each(&snapshot["missing"])
        .map(|missing| text(&missing["id"]))
        .collect();
    assert_eq!(missing, ["0x0001", "0x0100", "0x0110", "0x0120", "0x1103"]);
    assert_eq!(next, ["copy it again: this copy is incomplete"]);

    let machine = Machine::new();
    machine.save(Container::OneFile, |_| {});
    machine.edit("m.dtp", |bytes| bytes.truncate(100));
    let (snapshot, _) = check(&machine, 10, &["performance, one file", "has 100 bytes"]);
    assert_eq!(snapshot["sections"], Value::Array(Vec::new()));
    machine.edit("m.dtp", |bytes| bytes.truncate(8));
    check(&machine, 10, &["has 8 bytes, but its header alone has 18"]);
}

#[test]
fn future_layouts() {
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    let words = [
        "0x1100 9 1",
        "call tree of a thread: UNKNOWN VERSION",
        "has version 9; dotspot supports 3",
        "can't open it: m.dtp.0000: stage layout: dotTrace snapshot, section 0x1100",
    ];
    let (snapshot, next) = check(&machine, 11, &words);
    assert_eq!(states(&snapshot, "0x1100"), ["unknown version"]);
    assert_eq!(states(&snapshot, "0x1102"), ["not checked"]);
    assert_eq!(states(&snapshot, "0x0100"), ["not checked"]);
    assert_eq!(snapshot["attempts"][0]["stage"], "layout");
    assert_eq!(next.len(), 1, "{next:?}");
    assert_starts_with(
        &next[0],
        "its layout is not known to native: decoder assemblies: install the .NET SDK",
    );

    let machine = Machine::with(|sections| section_mut(sections, 0x0001).id = 0x2222);
    let words = [
        "0x2222 0 1 8 B unknown",
        "0x0001 time of the snapshot: not in the table",
    ];
    let (snapshot, _) = check(&machine, 0, &words);
    assert_eq!(states(&snapshot, "0x2222"), ["unknown"]);
    assert_eq!(each(&snapshot["warnings"]).count(), 1);

    let machine = Machine::with(|_| {});
    machine.edit("m.dtp", |bytes| bytes[4..6].copy_from_slice(b"EM"));
    let (snapshot, next) = check(&machine, 11, &["family timeline", "is a timeline snapshot"]);
    for section in each(&snapshot["sections"]) {
        assert!(section["state"] == "unknown" && section["what"].is_null());
    }
    assert_eq!(
        next,
        ["record with --profiling-type=Sampling or Tracing, or open it in dotTrace"]
    );

    machine.edit("m.dtp", |bytes| bytes[4..6].copy_from_slice(b"XY"));
    let (snapshot, next) = check(&machine, 11, &["family unknown", "of an unknown family"]);
    assert_eq!(each(&snapshot["sections"]).count(), 10);
    assert!(next[0].contains("decoder assemblies"), "{next:?}");
    // sections of this family may lack this table
    machine.edit("m.dtp", |bytes| bytes[6] = 200);
    let (snapshot, _) = check(&machine, 11, &["family unknown"]);
    assert_eq!(snapshot["sections"], Value::Array(Vec::new()));
}

#[test]
fn damaged_sections() {
    // the offset of the root, after number, kind, a constant, an empty name and four more bytes: 4 + 1 + 4 + 1 + 4
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).bytes[14] ^= 1);
    let wrong = "call tree of a thread: WRONG";
    let words = [wrong, "the root should be the last node", "can't open it"];
    let (snapshot, next) = check(&machine, 11, &words);
    assert_eq!(states(&snapshot, "0x1100"), ["wrong"]);
    assert_eq!(states(&snapshot, "0x0110"), ["not checked"]);
    assert!(next[0].contains("decoder assemblies"), "{next:?}");

    let machine = Machine::with(|sections| section_mut(sections, 0x1000).bytes.fill(0));
    let words = [
        "ticks per second: WRONG",
        "the number of ticks per second is 0",
    ];
    let (snapshot, _) = check(&machine, 11, &words);
    assert_eq!(states(&snapshot, "0x1100"), ["not checked"]);
}

#[test]
fn files_that_are_not_snapshots() {
    let machine = Machine::new();
    let odd = "a\u{1b}[31m b.dtp";
    for (name, content) in [("text.dtp", "hello"), ("empty.dtp", ""), (odd, "hello")] {
        fs::write(machine.path(name), content).unwrap();
    }
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/snapshots/js-ordered-consume.nettrace"
    );
    for (file, words) in [
        (
            "text.dtp",
            "is a text file | open the .dtp file that dotTrace wrote",
        ),
        ("empty.dtp", "is empty"),
        ("none.dtp", "can't be opened: no such file | check the path"),
        ("home", "is a folder"),
        (
            sample,
            "is a dotnet-trace recording, not a dotTrace snapshot",
        ),
        // file names can contain anything
        (odd, "a\\u{1b}[31m b.dtp"),
    ] {
        let (run, document) = machine.doctor(Path::new(file), &[]);
        assert_eq!(run.code, 10, "{file}: {}", run.out);
        run.assert_output(&words.split(" | ").collect::<Vec<_>>());
        assert_lacks(&run.out, "\u{1b}");
        assert_eq!(document["snapshot"]["family"], "none");
    }
}

/// No file contents crash doctor: every byte of a small snapshot is changed in turn.
#[test]
fn any_byte_may_be_wrong() {
    use dotspot::testing::importers::examine;
    use dotspot::testing::input::Progress;
    let machine = Machine::new();
    machine.save(Container::OneFile, |_| {});
    let path = machine.path(SNAPSHOT);
    let original = fs::read(&path).unwrap();
    let mut opened = 0;
    for at in 0..original.len() {
        for bit in [0x01, 0x80] {
            let mut bytes = original.clone();
            bytes[at] ^= bit;
            fs::write(&path, bytes).unwrap();
            let (_, whole) = examine(&path, &Progress::default()).unwrap();
            // if it can't be opened, doctor names a fault
            match whole {
                Ok(_) => opened += 1,
                Err(error) => assert_contains(error.to_string(), "m.dtp: stage "),
            }
        }
    }
    // names and metadata can be anything
    assert!(opened > original.len() / 4, "{opened}");
}

/// Checks that doctor and info give the same exit code.
#[track_caller]
fn check_code(machine: &Machine, file: &str, code: i32) {
    let (doctor, _) = machine.doctor(Path::new(file), &[]);
    let info = machine.dotspot(&["info", "--", file]);
    let output = format!("{file}: {} {}", doctor.out, info.err);
    assert_eq!((doctor.code, info.code), (code, code), "{output}");
}

/// The helper fails at stage input because it finds no libraries.
const NO_LIBRARIES: &str = r#"{"error":{"stage":"decoder","message":"none of JetBrains' reading libraries (A.dll and others) was found in 2 places; install Rider or dotTrace, or give its folder","detail":"looked in /opt/*rider*\nlooked in /opt/b"}}"#;

/// A script that prints this error.
fn no_libraries() -> String {
    let line = NO_LIBRARIES.replace('\'', "'\\''");
    format!("printf '%s\\n' '{line}' >&2; exit 12")
}

/// A script that prints the error of a helper that lacks a type.
const MISSING_TYPE: &str = r#"echo '{"error":{"stage":"bind","message":"no T; give the folder of a complete Rider or dotTrace"}}' >&2; exit 15"#;

fn with_failing_helper(machine: &Machine, stage: &str, probe: &str) {
    let details = r#""message":"it is odd; copy all files","detail":"""#;
    let error = format!(r#"{{"error":{{"stage":"{stage}",{details}}}}}"#);
    let run =
        format!("case $* in *--probe*) echo '{{}}'; {probe};; esac; echo '{error}' >&2; exit 10");
    machine.add_mono(BUILDS, &run);
}

#[test]
fn info_and_doctor_give_the_same_exit_code() {
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    fs::write(machine.path("unknown.dtp"), b"MFDTPG\x01\0\0\0rest").unwrap();
    let timeline = b"MFDTEM\x01\0\0\0\x01\0\0\0\x08\0\0\0\0\0\0\0\0\0\xFF\xFF";
    fs::write(machine.path("timeline.dtp"), timeline).unwrap();
    fs::create_dir(machine.path("folder.dtp")).unwrap();
    let codes = [
        ("unknown.dtp", 11),
        ("timeline.dtp", 11),
        (SNAPSHOT, 11),
        ("folder.dtp", 10),
        ("none.dtp", 10),
    ];
    for (file, code) in codes {
        check_code(&machine, file, code);
    }
    with_failing_helper(&machine, "input", &no_libraries());
    for (file, code) in codes {
        check_code(&machine, file, code);
    }
    // a decoder that gets further than native determines the stage
    with_failing_helper(&machine, "walk", "exit 0");
    check_code(&machine, SNAPSHOT, 17);
    with_failing_helper(&machine, "bind", MISSING_TYPE);
    check_code(&machine, SNAPSHOT, 15);
    let (_, next) = check(&machine, 15, &["not available: no T"]);
    let advice = "give the folder of a complete Rider or dotTrace";
    let step = format!("its layout is not known to native: decoder assemblies: {advice}");
    assert_eq!(next, [step]);
}

#[test]
fn a_message_about_several_decoders_is_short() {
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    machine.add_mono(BUILDS, &no_libraries());
    fs::rename(machine.path(SNAPSHOT), machine.path("my m.dtp")).unwrap();
    for part in (0..4).map(|number| format!("m.dtp.000{number}")) {
        let _ = fs::rename(machine.path(&part), machine.path(&format!("my {part}")));
    }
    let run = machine.dotspot(&["info", "my m.dtp"]);
    let [sentence, more] = run.err.lines().collect::<Vec<_>>()[..] else {
        panic!("{}", run.err)
    };
    assert_eq!(more, "  --verbose shows more");
    assert_starts_with(sentence, "dotspot: my m.dtp: stage layout: my m.dtp.0");
    let end = "has version 9, but only version 3 is known; decoder assemblies: no Rider or dotTrace found; `dotspot doctor \
               'my m.dtp'` says what else can read it; or install Rider or dotTrace, or give its folder";
    assert!(sentence.ends_with(end), "{sentence}");
    assert_eq!(sentence.matches("stage ").count(), 1);
    let run = machine.dotspot(&["info", "my m.dtp", "--verbose"]);
    let places = ["looked in /opt/*rider*", "looked in /opt/b"];
    assert_contains_all(&run.err, &places);
    assert_contains(&run.err, "was found in 2 places");
    assert_lacks(&run.err, "--verbose says");
    // doctor does not suggest running doctor
    let (run, _) = machine.doctor(Path::new("my m.dtp"), &["--cross-check"]);
    assert_lacks(&run.out, "dotspot doctor");
}

#[test]
fn a_link_leads_to_the_sections() {
    let machine = Machine::new();
    let folder = machine.path("elsewhere");
    fs::create_dir(&folder).unwrap();
    let sections = super::machine::small();
    crate::common::dtp_writer::save(&sections, &folder, SNAPSHOT, Container::ManyFiles);
    std::os::unix::fs::symlink("elsewhere/m.dtp", machine.path("link.dtp")).unwrap();
    let run = machine.dotspot(&["tree", "link.dtp", "--min-percent", "0"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.assert_output(&["Book.A", "Book.B"]);
    let (run, document) = machine.doctor(Path::new("link.dtp"), &[]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(each(&document["snapshot"]["files"]).all(|file| file["whole"] == true));
    assert_eq!(document["next"], json!(["`dotspot link.dtp` opens it"]));
    // a dangling link, and a link to a snapshot whose sections are missing
    fs::remove_file(folder.join("m.dtp.0000")).unwrap();
    check_code(&machine, "link.dtp", 10);
    fs::remove_file(folder.join("m.dtp")).unwrap();
    check_code(&machine, "link.dtp", 10);
}
