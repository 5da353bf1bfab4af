//! Snapshots of which something is missing, damaged or unknown, and files that are none.

use super::dtp_writer::Container;
use super::machine::{Machine, Run, SectionRow, SnapshotDocument, of};
use std::fs;
use std::path::Path;

const SNAPSHOT: &str = "m.dtp";

/// What doctor says of the machine's snapshot, with this exit code and all of these words.
#[track_caller]
fn check(machine: &Machine, code: i32, words: &[&str]) -> (SnapshotDocument, Vec<String>) {
    let (run, document) = machine.doctor(Path::new(SNAPSHOT), &[]);
    assert_eq!(run.code, code, "{}", run.out);
    run.says(words);
    (document.snapshot.unwrap(), document.next)
}

/// The states of the sections with this id.
fn states<'a>(snapshot: &'a SnapshotDocument, id: &str) -> Vec<&'a str> {
    let with_id = |section: &&SectionRow| section.id == id;
    snapshot.sections.iter().filter(with_id).map(|section| section.state.as_str()).collect()
}

#[test]
fn files_that_are_missing() {
    let machine = Machine::with(|_| {});
    fs::remove_file(machine.path("m.dtp.0001")).unwrap();
    machine.edit("m.dtp.0002", |bytes| bytes.truncate(5));
    let (snapshot, next) = check(&machine, 0, &["missing", "m.dtp.0001: sections (not whole)", "native opens it"]);
    assert_eq!(states(&snapshot, "0x1101"), ["not there"]);
    assert_eq!(states(&snapshot, "0x1102"), ["not there"]);
    assert_eq!(states(&snapshot, "0x1103"), ["not checked"]);
    let all = snapshot.files.iter().find(|file| file.name == "m.dtp.0001").unwrap();
    assert_eq!((all.found_bytes, all.whole, all.need.as_str()), (None, false, "derived"));
    assert_eq!(next[0], "`dotspot m.dtp` opens it");
    assert_eq!(
        next[1],
        "copy m.dtp.0001 too, into the folder of the index; without that dotTrace's own sums can't be compared"
    );
    assert!(next[2].starts_with("copy m.dtp.0002 again: it has 5 bytes, and the index tells of "), "{}", next[2]);

    fs::remove_file(machine.path("m.dtp.0000")).unwrap();
    let (snapshot, next) = check(&machine, 10, &["can't open it", "m.dtp.0000: stage input"]);
    assert_eq!(states(&snapshot, "0x1100"), ["not there"]);
    assert_eq!(next, ["copy m.dtp.0000 too, into the folder of the index"]);

    fs::remove_file(machine.path("m.dtp")).unwrap();
    let (run, _) = machine.doctor(Path::new("m.dtp.0003"), &[]);
    assert_eq!(run.code, 10);
    run.says(&["its index m.dtp is not beside it", "copy the index too, and name it"]);
}

#[test]
fn files_that_break_off() {
    let machine = Machine::with(|_| {});
    // a head of ten bytes and five rows of 14
    machine.edit("m.dtp", |bytes| bytes.truncate(80));
    let words = ["has 80 bytes, and with its table of 10 sections 152 were expected", "copy it again"];
    let (snapshot, next) = check(&machine, 10, &words);
    assert_eq!(snapshot.sections.len(), 5);
    assert_eq!(states(&snapshot, "0x1100"), ["fine"]);
    assert!(snapshot.table_problem.is_some());
    let missing: Vec<&str> = snapshot.missing.iter().map(|missing| missing.id.as_str()).collect();
    assert_eq!(missing, ["0x0001", "0x0100", "0x0110", "0x0120", "0x1103"]);
    assert_eq!(next, ["copy it again, this copy is not whole"]);

    let machine = Machine::new();
    machine.save(Container::OneFile, |_| {});
    machine.edit("m.dtp", |bytes| bytes.truncate(100));
    let (snapshot, _) = check(&machine, 10, &["performance, one file", "has 100 bytes"]);
    assert!(snapshot.sections.is_empty());
    machine.edit("m.dtp", |bytes| bytes.truncate(8));
    check(&machine, 10, &["has 8 bytes, and its head alone has 18"]);
}

#[test]
fn layouts_of_tomorrow() {
    let machine = Machine::with(|sections| of(sections, 0x1100).version = 9);
    let (snapshot, next) = check(
        &machine,
        11,
        &[
            "0x1100 9 1",
            "call tree of a thread: UNKNOWN VERSION",
            "has version 9, and 3 is known",
            "can't open it: m.dtp.0000: stage layout: dotTrace snapshot, section 0x1100",
            "metadata of the modules: 1 module",
        ],
    );
    assert_eq!(states(&snapshot, "0x1100"), ["unknown version"]);
    assert_eq!(states(&snapshot, "0x1102"), ["not checked"]);
    assert_eq!(states(&snapshot, "0x0100"), ["fine"]);
    assert_eq!(snapshot.attempts[0].stage.as_deref(), Some("layout"));
    let [step] = &next[..] else { panic!("{next:?}") };
    assert!(step.starts_with("its layout is not known to native: decoder assemblies: install the .NET SDK"), "{step}");

    let machine = Machine::with(|sections| of(sections, 0x0001).id = 0x2222);
    let (snapshot, _) =
        check(&machine, 0, &["0x2222 0 1 8 B not known", "0x0001 time of the snapshot: not in the table"]);
    assert_eq!(states(&snapshot, "0x2222"), ["unknown"]);
    assert_eq!(snapshot.warnings.len(), 1);

    let machine = Machine::with(|_| {});
    machine.edit("m.dtp", |bytes| bytes[4..6].copy_from_slice(b"EM"));
    let (snapshot, next) = check(&machine, 11, &["family timeline", "is a timeline snapshot"]);
    assert!(snapshot.sections.iter().all(|section| section.state == "unknown" && section.what.is_none()));
    assert!(next[0].starts_with("record with --profiling-type=Sampling or Tracing"), "{next:?}");

    machine.edit("m.dtp", |bytes| bytes[4..6].copy_from_slice(b"XY"));
    let (snapshot, next) = check(&machine, 11, &["family unknown", "of a family that is not known"]);
    assert_eq!(snapshot.sections.len(), 10);
    assert!(next[0].contains("decoder assemblies"), "{next:?}");
    // such a family need not have this table
    machine.edit("m.dtp", |bytes| bytes[6] = 200);
    let (snapshot, _) = check(&machine, 11, &["family unknown"]);
    assert!(snapshot.sections.is_empty());
}

#[test]
fn sections_that_are_damaged() {
    // the offset of the root, behind number, kind, a constant, an empty name and four more bytes: 4 + 1 + 4 + 1 + 4
    let machine = Machine::with(|sections| of(sections, 0x1100).bytes[14] ^= 1);
    let (snapshot, next) =
        check(&machine, 11, &["call tree of a thread: WRONG", "the root should be the last node", "can't open it"]);
    assert_eq!(states(&snapshot, "0x1100"), ["wrong"]);
    assert_eq!(states(&snapshot, "0x0110"), ["fine"]);
    assert!(next[0].contains("decoder assemblies"), "{next:?}");

    let machine = Machine::with(|sections| of(sections, 0x1103).bytes[1] ^= 1);
    let (snapshot, _) = check(&machine, 0, &["functions with one node: WRONG", "native opens it", "warnings"]);
    assert_eq!(states(&snapshot, "0x1103"), ["wrong"]);
    assert_eq!(states(&snapshot, "0x1101"), ["not checked"]);

    let machine = Machine::with(|sections| of(sections, 0x1000).bytes.fill(0));
    let (snapshot, _) = check(&machine, 11, &["ticks per second: WRONG", "the number of ticks per second is 0"]);
    assert_eq!(states(&snapshot, "0x1100"), ["fine"]);
}

#[test]
fn files_that_are_no_snapshot() {
    #[track_caller]
    fn check(machine: &Machine, file: &str, code: i32, words: &[&str]) -> Run {
        let (run, document) = machine.doctor(Path::new(file), &[]);
        assert_eq!(run.code, code, "{}", run.out);
        run.says(words);
        assert_eq!(document.snapshot.unwrap().family, "none");
        run
    }
    let machine = Machine::new();
    fs::write(machine.path("text.dtp"), "hello").unwrap();
    check(&machine, "text.dtp", 10, &["is a text file", "name the .dtp file that dotTrace wrote"]);
    fs::write(machine.path("empty.dtp"), "").unwrap();
    check(&machine, "empty.dtp", 10, &["is empty"]);
    check(&machine, "none.dtp", 10, &["can't be opened: no such file", "check the path"]);
    check(&machine, "none", 10, &["can't be opened: no such file"]);
    check(&machine, "home", 10, &["is a folder"]);
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/js-ordered-consume.nettrace");
    check(&machine, sample, 10, &["is a dotnet-trace recording and no snapshot of dotTrace's", "` opens it"]);
    // names of files come from anywhere
    let name = "a\u{1b}[31m b.dtp";
    fs::write(machine.path(name), "hello").unwrap();
    let run = check(&machine, name, 10, &["a\\u{1b}[31m b.dtp"]);
    assert!(!run.out.contains('\u{1b}'));
}

/// Nothing that a file can hold ends doctor: every byte of a small snapshot is changed in turn.
#[test]
fn every_byte_may_be_wrong() {
    use dotspot::importers::{Progress, examine};
    let machine = Machine::new();
    machine.save(Container::OneFile, |_| {});
    let path = machine.path(SNAPSHOT);
    let whole = fs::read(&path).unwrap();
    let mut opened = 0;
    for at in 0..whole.len() {
        for bit in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= bit;
            fs::write(&path, bytes).unwrap();
            let found = examine(&path, &Progress::default()).unwrap();
            // what can't be opened has something wrong with it that is named
            match found.whole {
                Ok(_) => opened += 1,
                Err(error) => assert!(error.to_string().contains("m.dtp: stage "), "byte {at}: {error}"),
            }
        }
    }
    assert!(opened > whole.len() / 4, "names and metadata can be anything: {opened}");
}
