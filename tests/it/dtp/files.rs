//! The files of a snapshot: both containers, the files next to an index, and files that are not snapshots.

use super::small::small;
use super::{assert_contains_all, failure, good, read, read_file};
use crate::common::dtp_writer::{Container, Kind, Section, Snapshot, many_files, one_file, save};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::importers::kind_of_snapshot;
use dotspot::testing::input::{ImportError, Stage};
use dotspot::testing::model::{ProfileKind, View};
use std::path::Path;

type Change = fn(&mut Vec<u8>);

#[track_caller]
fn check(result: Result<View, ImportError>, stage: Stage, words: &[&str]) {
    let failure = failure(result);
    assert_eq!(failure.stage, Some(stage), "{failure}");
    assert_contains_all(failure.to_string(), words);
}

#[test]
fn the_table_of_one_file() {
    let full = one_file(&small());
    let length = full.len();
    let missing = [
        &*format!("has {} bytes", length - 1),
        &*format!("{length} were expected"),
        "",
    ];
    let rows: [(Change, Stage, [&str; 3]); 6] = [
        (
            |bytes| bytes.truncate(12),
            Stage::Input,
            ["12 bytes", "header alone has 18", "copy it again"],
        ),
        (|bytes| _ = bytes.pop(), Stage::Input, missing),
        (
            |bytes| bytes.push(0),
            Stage::Layout,
            ["14 sections should end the file", "followed by 1 byte", ""],
        ),
        (
            |bytes| *bytes.last_mut().unwrap() = 0xFE,
            Stage::Layout,
            ["FF FF", "ends in FF FE", ""],
        ),
        // the size of the last section is in the eight bytes before the end of the table
        (
            |bytes| *bytes.iter_mut().nth_back(9).unwrap() += 1,
            Stage::Layout,
            ["should end where the table begins", "at byte 10", ""],
        ),
        (
            |bytes| bytes[17] = 0xFF,
            Stage::Input,
            ["were expected", "", ""],
        ),
    ];
    for (change, stage, words) in rows {
        let mut bytes = full.clone();
        change(&mut bytes);
        check(read(bytes), stage, &words);
    }
}

/// The many-files container of the small snapshot, with one of its files changed.
fn many(file: &str, change: impl Fn(&mut Vec<u8>)) -> Result<View, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let index = save(&small(), folder.path(), "m.dtp", Container::ManyFiles);
    let path = folder.path().join(file);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    // a file without bytes is removed
    if bytes.is_empty() {
        std::fs::remove_file(path).unwrap();
    } else {
        std::fs::write(path, bytes).unwrap();
    }
    let result = read_file(&index);
    if let Ok(profile) = &result {
        assert_private(profile, folder.path());
    }
    result
}

/// Exports include warnings, which must not reveal private folders.
#[track_caller]
fn assert_private(profile: &View, folder: &Path) {
    let folder = folder.to_str().unwrap();
    let mut sentences = profile.diagnostics.iter().map(Diagnostic::to_string);
    assert!(sentences.all(|sentence| !sentence.contains(folder)));
}

#[test]
fn the_index_and_the_required_file() {
    let size = many_files(&small()).1[&0].len();
    let (expected, long) = (
        format!("{size} were expected"),
        format!("has {} bytes", size + 1),
    );
    let bytes = format!("{size} bytes");
    let table = "208 were expected with its table of 14 sections";
    let rows: [(&str, Change, Stage, [&str; 3]); 7] = [
        (
            "m.dtp",
            |bytes| bytes.truncate(8),
            Stage::Input,
            ["8 bytes", "header alone has 10", ""],
        ),
        (
            "m.dtp",
            |bytes| bytes.truncate(100),
            Stage::Input,
            ["m.dtp: ", "has 100 bytes", table],
        ),
        (
            "m.dtp",
            |bytes| bytes.push(0),
            Stage::Layout,
            ["followed by 1 byte", "", ""],
        ),
        (
            "m.dtp",
            |bytes| bytes[207] = 0,
            Stage::Layout,
            ["FF FF", "ends in FF 00", "byte 206"],
        ),
        (
            "m.dtp.0000",
            Vec::clear,
            Stage::Input,
            ["is missing", &bytes, "copy the numbered files"],
        ),
        (
            "m.dtp.0000",
            |bytes| bytes.truncate(99),
            Stage::Input,
            ["m.dtp.0000", "has 99 bytes", &expected],
        ),
        (
            "m.dtp.0000",
            |bytes| bytes.push(0),
            Stage::Input,
            ["m.dtp.0000", &long, ""],
        ),
    ];
    for (file, change, stage, words) in rows {
        check(many(file, change), stage, &words);
    }
}

#[test]
fn other_files_next_to_the_index_are_optional() {
    for number in 1..=3 {
        let name = format!("m.dtp.000{number}");
        for length in [0, 3] {
            let profile = good(many(&name, |bytes| bytes.truncate(length)));
            assert_eq!(profile.codes(), [""; 0]);
        }
    }
}

#[test]
fn files_with_other_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read_file(&path)
    };
    let (timeline, sampling) = ("a timeline snapshot", "--profiling-type=Sampling");
    let alone = "d.dtp is not next to it";
    for (name, bytes, stage, words) in [
        (
            "a.dtp",
            &b"MFDTEM\0\0"[..],
            Stage::Layout,
            [timeline, sampling],
        ),
        ("a.dtt", b"whatever", Stage::Layout, [timeline, sampling]),
        (
            "b.dtp",
            b"{\"a\":1}",
            Stage::Input,
            ["is a JSON file", "MFDTPF"],
        ),
        ("c.dtp", b"", Stage::Input, ["is empty", ""]),
        (
            "d.dtp.0000",
            b"\0\0\0",
            Stage::Input,
            [alone, "copy the index, too"],
        ),
        ("d.dtp.State", b"<x/>", Stage::Input, [alone, ""]),
        (
            "b.dtp.0001",
            b"x",
            Stage::Input,
            ["b.dtp: ", "is a JSON file"],
        ),
    ] {
        check(write(name, bytes), stage, &words);
    }
    // the content decides, not the name
    for name in ["e.dtt", "snapshot", "e.dtp.0000"] {
        good(write(name, &one_file(&small())));
    }
}

/// The description contains the kind, even if nothing else can be read.
#[test]
fn the_kind_is_read_separately() {
    let plain = |_: &mut Vec<Section>| {};
    // after other sections, and all with unknown versions
    let strange = |sections: &mut Vec<Section>| {
        sections.rotate_left(1);
        sections.iter_mut().for_each(|it| it.version += 90);
    };
    let missing = |sections: &mut Vec<Section>| sections.retain(|section| section.id != 0);
    let empty = |sections: &mut Vec<Section>| sections[0].bytes.clear();
    type ChangeSections = fn(&mut Vec<Section>);
    let changes: [(Kind, ChangeSections, Option<ProfileKind>); 6] = [
        (Kind::Sampling, plain, Some(ProfileKind::Sampling)),
        (Kind::Tracing, plain, Some(ProfileKind::Tracing)),
        (Kind::LineByLine, plain, Some(ProfileKind::LineByLine)),
        (Kind::Sampling, strange, Some(ProfileKind::Sampling)),
        (Kind::Sampling, missing, None),
        (Kind::Sampling, empty, None),
    ];
    let folder = tempfile::tempdir().unwrap();
    for container in [Container::ManyFiles, Container::OneFile] {
        for (kind, change, expect) in changes {
            let mut sections = Snapshot::new(kind).sections();
            change(&mut sections);
            let index = save(&sections, folder.path(), "k.dtp", container);
            assert_eq!(kind_of_snapshot(&index), expect, "{kind:?} {container:?}");
        }
    }
    let path = folder.path().join("x.dtp");
    assert_eq!(kind_of_snapshot(&path), None);
    let full = one_file(&Snapshot::new(Kind::Sampling).sections());
    // a truncated one has no table, so its kind is unknown
    for (bytes, expect) in [
        (&b"MFDTEM\0\0"[..], Some(ProfileKind::Timeline)),
        (&full[..full.len() - 1], None),
        (b"MFDTPF", None),
        (b"other", None),
        (b"", None),
    ] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(kind_of_snapshot(&path), expect, "{} bytes", bytes.len());
    }
}

#[test]
fn an_index_from_a_stream_is_refused() {
    let words = [
        "the numbered files with its sections",
        "from a stream",
        "open the .dtp file",
    ];
    check(read(many_files(&small()).0), Stage::Input, &words);
}

#[test]
fn files_are_found_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let index = save(&small(), folder.path(), "Case.DTP", Container::ManyFiles);
    for number in 0..4 {
        let from = folder.path().join(format!("Case.DTP.000{number}"));
        std::fs::rename(from, folder.path().join(format!("case.dtp.000{number}"))).unwrap();
    }
    for path in [index, folder.path().join("case.dtp.0000")] {
        assert_eq!(read_file(&path).unwrap().codes(), [""; 0]);
    }
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let (index, files) = many_files(&small());
    let name = |suffix: &str| {
        let bytes = [b"bad\xFFname.dtp", suffix.as_bytes()].concat();
        folder.path().join(std::ffi::OsStr::from_bytes(&bytes))
    };
    if std::fs::write(name(""), index).is_err() {
        crate::common::skipped("this file system has Unicode names only");
        return;
    }
    for (number, bytes) in files {
        std::fs::write(name(&format!(".{number:04}")), bytes).unwrap();
    }
    assert_eq!(read_file(&name("")).unwrap().codes(), [""; 0]);
    assert_eq!(read_file(&name(".0000")).unwrap().codes(), [""; 0]);
}

#[test]
fn warnings_name_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut sections = small();
    super::small::section(&mut sections, 0x0001)
        .bytes
        .truncate(3);
    let path = save(&sections, folder.path(), "p.dtp", Container::OneFile);
    let profile = good(read_file(&path));
    assert_eq!(profile.codes(), ["time-unreadable"]);
    assert_private(&profile, folder.path());
}
