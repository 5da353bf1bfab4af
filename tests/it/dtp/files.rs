//! The files of a snapshot: both containers, what is beside an index, and what is no snapshot at all.

use super::small::small;
use super::{assert_says, assert_tells, failure, good, read, read_file};
use crate::common::dtp_writer::{Container, Kind, Section, Snapshot, many_files, one_file, save};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::importers::kind_of_snapshot;
use dotspot::testing::input::{ImportError, Stage};
use dotspot::testing::model::{ProfileKind, View};
use std::path::Path;

/// The one-file container of the small snapshot, changed, is refused.
#[track_caller]
fn check_one_file(change: impl Fn(&mut Vec<u8>), stage: Stage, words: &[&str]) {
    let mut bytes = one_file(&small());
    change(&mut bytes);
    let failure = failure(read(bytes));
    assert_eq!(failure.stage, Some(stage), "{failure}");
    assert_says(failure.to_string(), words);
}

#[test]
fn the_table_of_one_file() {
    let length = one_file(&small()).len();
    check_one_file(
        |bytes| bytes.truncate(12),
        Stage::Input,
        &["12 bytes", "head alone has 18", "copy it again"],
    );
    check_one_file(
        |bytes| bytes.truncate(bytes.len() - 1),
        Stage::Input,
        &[
            &format!("has {} bytes", length - 1),
            &format!("{length} were expected"),
        ],
    );
    check_one_file(
        |bytes| bytes.push(0),
        Stage::Layout,
        &["14 sections should end the file", "followed by 1 byte"],
    );
    check_one_file(
        |bytes| *bytes.last_mut().unwrap() = 0xFE,
        Stage::Layout,
        &["FF FF", "ends in FF FE"],
    );
    // the size of the last section is in the eight bytes before the end of the table
    check_one_file(
        |bytes| {
            let at = bytes.len() - 10;
            bytes[at] += 1;
        },
        Stage::Layout,
        &["should end where the table begins", "at byte 10"],
    );
    check_one_file(|bytes| bytes[17] = 0xFF, Stage::Input, &["were expected"]);
}

/// The many-files container of the small snapshot, changed in its folder.
fn many(change: impl Fn(&Path)) -> (tempfile::TempDir, Result<View, ImportError>) {
    let folder = tempfile::tempdir().unwrap();
    let index = save(&small(), folder.path(), "m.dtp", Container::ManyFiles);
    change(folder.path());
    let result = read_file(&index);
    if let Ok(profile) = &result {
        // warnings go out with exports, and folders are private
        let private = folder.path().to_str().unwrap();
        let is_private = |diagnostic: &Diagnostic| diagnostic.to_string().contains(private);
        assert!(
            !profile.diagnostics.iter().any(is_private),
            "{:?}",
            profile.diagnostics
        );
    }
    (folder, result)
}

#[track_caller]
fn check_many(change: impl Fn(&Path), stage: Stage, words: &[&str]) {
    let failure = failure(many(change).1);
    assert_eq!(failure.stage, Some(stage), "{failure}");
    assert_says(failure.to_string(), words);
}

/// Changes the bytes of a file.
fn edit(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn the_index_of_many_files() {
    let index = |change: fn(&mut Vec<u8>)| move |folder: &Path| edit(&folder.join("m.dtp"), change);
    check_many(
        index(|bytes| bytes.truncate(8)),
        Stage::Input,
        &["8 bytes", "head alone has 10"],
    );
    check_many(
        index(|bytes| bytes.truncate(100)),
        Stage::Input,
        &[
            "m.dtp: ",
            "has 100 bytes",
            "208 were expected with its table of 14 sections",
        ],
    );
    check_many(
        index(|bytes| bytes.push(0)),
        Stage::Layout,
        &["followed by 1 byte"],
    );
    check_many(
        index(|bytes| bytes[207] = 0),
        Stage::Layout,
        &["FF FF", "ends in FF 00", "byte 206"],
    );
}

#[test]
fn the_needed_file_beside_the_index() {
    let size = many_files(&small()).1[&0].len();
    let data =
        |change: fn(&mut Vec<u8>)| move |folder: &Path| edit(&folder.join("m.dtp.0000"), change);
    check_many(
        |folder| std::fs::remove_file(folder.join("m.dtp.0000")).unwrap(),
        Stage::Input,
        &[
            "m.dtp.0000",
            "is missing",
            &format!("{size} bytes"),
            "copy the numbered files",
        ],
    );
    check_many(
        data(|bytes| bytes.truncate(99)),
        Stage::Input,
        &[
            "m.dtp.0000",
            "has 99 bytes",
            &format!("{size} were expected"),
        ],
    );
    check_many(
        data(|bytes| bytes.push(0)),
        Stage::Input,
        &["m.dtp.0000", &format!("has {} bytes", size + 1)],
    );
}

#[test]
fn the_other_files_beside_the_index_are_not_needed() {
    for (number, id) in [(1, "0x1101"), (2, "0x1102"), (3, "0x1103")] {
        let name = format!("m.dtp.000{number}");
        let (_, missing) = many(|folder| std::fs::remove_file(folder.join(&name)).unwrap());
        let missing = missing.unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(
            (
                missing.warnings().len(),
                missing.recording.stored_hotspots.len()
            ),
            (1, 0)
        );
        assert_tells(
            &missing.diagnostics[0],
            "file-unread",
            &[&name, "is missing", "\"missing\":\"sums\""],
        );
        let (_, short) = many(|folder| edit(&folder.join(&name), |bytes| bytes.truncate(3)));
        let short = short.unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(
            (
                short.warnings().len(),
                short.recording.stored_hotspots.len()
            ),
            (1, 0)
        );
        assert_tells(
            &short.diagnostics[0],
            "file-unread",
            &[&name, "has 3 bytes", "\"missing\":\"sums\""],
        );
    }
}

#[test]
fn files_of_other_names() {
    let folder = tempfile::tempdir().unwrap();
    let sections = small();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let check = |path: &Path, stage: Stage, words: &[&str]| {
        let failure = failure(read_file(path));
        assert_eq!(failure.stage, Some(stage), "{failure}");
        assert_says(failure.to_string(), words);
    };
    check(
        &write("a.dtp", b"MFDTEM\0\0"),
        Stage::Layout,
        &["a timeline snapshot", "--profiling-type=Sampling"],
    );
    check(
        &write("a.dtt", b"whatever"),
        Stage::Layout,
        &["a timeline snapshot"],
    );
    check(
        &write("b.dtp", b"{\"a\":1}"),
        Stage::Input,
        &["is a JSON file", "MFDTPF", "open the .dtp file"],
    );
    check(&write("c.dtp", b""), Stage::Input, &["is empty"]);
    check(
        &write("d.dtp.0000", b"\0\0\0"),
        Stage::Input,
        &["d.dtp is not next to it", "copy the index, too"],
    );
    check(
        &write("d.dtp.State", b"<x/>"),
        Stage::Input,
        &["d.dtp is not next to it"],
    );
    check(
        &write("b.dtp.0001", b"x"),
        Stage::Input,
        &["b.dtp: ", "is a JSON file"],
    );
    // the content counts, not the name
    assert!(read_file(&write("e.dtt", &one_file(&sections))).is_ok());
    assert!(read_file(&write("snapshot", &one_file(&sections))).is_ok());
    assert!(read_file(&write("e.dtp.0000", &one_file(&sections))).is_ok());
}

/// The description tells the kind, whatever else can be read.
#[test]
fn the_kind_is_read_alone() {
    let plain = |_: &mut Vec<Section>| {};
    // behind others, and all of them as no one knows them
    let strange = |sections: &mut Vec<Section>| {
        sections.rotate_left(1);
        sections
            .iter_mut()
            .for_each(|section| section.version += 90);
    };
    let missing = |sections: &mut Vec<Section>| sections.retain(|section| section.id != 0);
    let empty = |sections: &mut Vec<Section>| sections[0].bytes.clear();
    type Change = fn(&mut Vec<Section>);
    let changes: [(Kind, Change, Option<ProfileKind>); 6] = [
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
    let file = |bytes: &[u8]| {
        std::fs::write(folder.path().join("x.dtp"), bytes).unwrap();
        kind_of_snapshot(&folder.path().join("x.dtp"))
    };
    assert_eq!(file(b"MFDTEM\0\0"), Some(ProfileKind::Timeline));
    let whole = one_file(&Snapshot::new(Kind::Sampling).sections());
    // one that is cut off has no table, and so says nothing
    for bytes in [&whole[..whole.len() - 1], b"MFDTPF", b"other", b""] {
        assert_eq!(file(bytes), None, "{} bytes", bytes.len());
    }
    assert_eq!(kind_of_snapshot(&folder.path().join("none.dtp")), None);
}

#[test]
fn an_index_from_a_stream() {
    let failure = failure(read(many_files(&small()).0));
    assert_eq!(failure.stage, Some(Stage::Input));
    assert_says(
        failure.to_string(),
        &[
            "the numbered files with its sections",
            "from a stream",
            "open the .dtp file",
        ],
    );
}

#[test]
fn files_are_found_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let index = save(&small(), folder.path(), "Case.DTP", Container::ManyFiles);
    for number in 0..4 {
        let from = folder.path().join(format!("Case.DTP.000{number}"));
        std::fs::rename(from, folder.path().join(format!("case.dtp.000{number}"))).unwrap();
    }
    assert_eq!(read_file(&index).unwrap().codes(), [""; 0]);
    assert_eq!(
        read_file(&folder.path().join("case.dtp.0000"))
            .unwrap()
            .codes(),
        [""; 0]
    );
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
    super::small::of(&mut sections, 0x0001).bytes.truncate(3);
    let place = sections
        .iter()
        .position(|section| section.id == 0x1101)
        .unwrap();
    sections.insert(place, sections[place].clone());
    let path = save(&sections, folder.path(), "p.dtp", Container::OneFile);
    let profile = good(read_file(&path));
    let mut codes = profile.codes();
    codes.sort_unstable();
    assert_eq!(codes, ["section-misplaced", "time-unreadable"]);
    for diagnostic in &profile.diagnostics {
        assert!(
            !diagnostic
                .to_string()
                .contains(folder.path().to_str().unwrap()),
            "{diagnostic}"
        );
    }
    let misplaced = profile
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic.code() == "section-misplaced")
        .unwrap();
    assert_tells(misplaced, "section-misplaced", &["\"file\":\"p.dtp\""]);
}
