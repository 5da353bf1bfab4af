//! Sections that are missing, unknown or damaged, except for the trees.

use super::small::{check_sections, check_tells, check_warning, of, small};
use super::{assert_tells, good, read};
use crate::common::dtp_writer::{Section, one_file};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::{Anomaly, Remark, SnapshotDiagnostic};
use dotspot::testing::input::Stage;
use dotspot::testing::model::{NodeId, View};

#[test]
fn needed_sections_of_unknown_version() {
    for (id, known) in [
        (0x1000, 0),
        (0x1100, 3),
        (0x0110, 0),
        (0x0120, 0),
        (0x0100, 2),
    ] {
        check_sections(
            |sections| of(sections, id).version = 7,
            Stage::Layout,
            &[
                &format!("section {id:#06x}"),
                "has version 7",
                &format!("only version {known} is known"),
                "`dotspot doctor FILE` says what else can read it",
            ],
        );
    }
}

#[test]
fn needed_sections_that_are_missing_or_there_twice() {
    check_sections(
        |sections| sections.retain(|section| section.id != 0x1000),
        Stage::Layout,
        &["no section 0x1000 (ticks per second)"],
    );
    check_sections(
        |sections| sections.retain(|section| section.id >> 8 != 0x11),
        Stage::Layout,
        &["no section 0x1100 (call tree of a thread)"],
    );
    check_sections(
        |sections| sections.push(sections[1].clone()),
        Stage::Layout,
        &["section 0x1000", "appears twice, first at byte"],
    );
}

#[test]
fn sections_that_are_not_needed() {
    let unknown = Section {
        id: 0x2000,
        version: 1,
        file: 0,
        bytes: vec![1, 2, 3],
    };
    check_warning(
        |sections| sections.push(unknown.clone()),
        Diagnostic::Snapshot(SnapshotDiagnostic::SectionUnknown {
            section: 0x2000,
            version: 1,
        }),
    );
    for id in [0x1101, 0x1102, 0x1103] {
        let profile = check_tells(
            |sections| {
                sections
                    .iter_mut()
                    .filter(|section| section.id == id)
                    .for_each(|section| section.version = 9);
            },
            "section-version-unknown",
            &[&format!("\"section\":{id},\"version\":9,")],
        );
        assert!(profile.recording.stored_hotspots.is_empty());
        let missing = SnapshotDiagnostic::SumsMissing {
            sections: 4,
            expected: 6,
        };
        check_warning(
            |sections| sections.retain(|section| section.id != id),
            Diagnostic::Snapshot(missing),
        );
    }
    check_tells(
        |sections| {
            let moved = sections.remove(3);
            sections.push(moved);
        },
        "section-misplaced",
        &[&format!("\"section\":{},", 0x1101)],
    );
    check_warning(
        |sections| sections.retain(|section| section.id != 0x0000),
        Diagnostic::plain(Remark::NoDescription),
    );
    check_warning(
        |sections| sections.retain(|section| section.id != 0x0110),
        Diagnostic::plain(Remark::NoModules),
    );
    check_tells(
        |sections| of(sections, 0x0001).bytes.truncate(3),
        "time-unreadable",
        &["8 bytes"],
    );
    let profile = check_warning(
        |sections| {
            sections.retain(|section| section.id != 0x0120);
        },
        Anomaly::FunctionsUnresolved.met(1),
    );
    assert_eq!(profile.tree.len(), 13);
    let mut sections = small();
    sections.retain(|section| section.id != 0x0100);
    let profile = good(read(one_file(&sections)));
    assert_eq!(
        profile.diagnostics,
        [
            Diagnostic::plain(Remark::NoMetadata),
            Anomaly::FunctionsUnresolved.met(5)
        ]
    );
}

#[test]
fn the_clock() {
    check_sections(
        |sections| of(sections, 0x1000).bytes = vec![0; 8],
        Stage::Layout,
        &["0x1000", "is 0"],
    );
    check_sections(
        |sections| of(sections, 0x1000).bytes.truncate(7),
        Stage::Layout,
        &["0x1000", "8 bytes were expected", "7 bytes left"],
    );
    check_sections(
        |sections| of(sections, 0x1000).bytes.push(0),
        Stage::Layout,
        &["should end here", "has 1 byte left"],
    );
}

#[test]
fn the_lists_of_modules_and_functions() {
    for (id, words) in [
        (0x0110, ["bytes were expected", "the section has"]),
        (0x0120, ["8 bytes were expected", "has 7 bytes left"]),
        (0x0100, ["0x0100", "the section has"]),
    ] {
        check_sections(
            |sections| {
                of(sections, id).bytes.pop();
            },
            Stage::Layout,
            &words,
        );
        check_sections(
            |sections| of(sections, id).bytes.push(0),
            Stage::Layout,
            &[
                &format!("section {id:#06x}"),
                "should end here",
                "has 1 byte left",
            ],
        );
    }
}

#[test]
fn the_metadata_of_a_module() {
    // count, module id, size, then the root of the first module
    let profile = check_metadata(|root| root[0] = b'X', &["does not start with BSJB"]);
    assert_eq!(profile.name(NodeId(2)), "[Unresolved function 0x00100001]");
    check_metadata(|root| root[12..16].fill(0xFF), &["its header is truncated"]);
    // behind a version text of twelve bytes come the streams: place, size and name, which ends in a zero
    check_metadata(
        |root| root[40..80].fill(b'x'),
        &["its stream list is truncated"],
    );
    check_metadata(
        |root| root[36..40].fill(0xFF),
        &["one of its streams is truncated"],
    );
    // the name of the stream of tables
    check_metadata(|root| root[41] = b'?', &["no stream #~ or #-"]);
}

#[track_caller]
fn check_metadata(change: impl Fn(&mut [u8]), words: &[&str]) -> View {
    let mut sections = small();
    change(&mut of(&mut sections, 0x0100).bytes[12..]);
    let profile = good(read(one_file(&sections)));
    assert_tells(
        &profile.diagnostics[0],
        "metadata-unreadable",
        &[&["\"module\":1,\"name\":\"Acme\","], words].concat(),
    );
    assert_eq!(
        profile.diagnostics[1..],
        [Anomaly::FunctionsUnresolved.met(4)]
    );
    profile
}

#[test]
fn the_description() {
    let check_unexpected = |change: fn(&mut Section), has_settings: bool, word: &str| {
        let settings = format!("\"has_settings\":{has_settings}");
        check_tells(
            |sections| change(of(sections, 0x0000)),
            "description-unexpected",
            &[&settings, word],
        )
    };
    let profile = check_unexpected(|section| section.version = 10, true, "version 10");
    assert_eq!(profile.recording.source.kind.name(), "sampling");
    let profile = check_unexpected(|section| section.bytes.truncate(60), false, "");
    assert_eq!(profile.recording.source.kind.name(), "unknown");
    let profile = check_warning(
        |sections| {
            let bytes = &mut of(sections, 0x0000).bytes;
            let at = bytes
                .windows(14)
                .position(|window| window == b"<Configuration")
                .unwrap();
            bytes[at + 1] = b'c';
        },
        Diagnostic::plain(Remark::NoSettings),
    );
    assert_eq!(profile.recording.source.kind.name(), "unknown");
    let profile = check_unexpected(|section| section.bytes.push(0), true, "should end here");
    assert_eq!(profile.recording.source.kind.name(), "sampling");
    let profile = check_warning(
        |sections| {
            let bytes = &mut of(sections, 0x0000).bytes;
            let at = bytes
                .windows(8)
                .position(|window| window == b"Sampling")
                .unwrap();
            bytes[at..at + 8].copy_from_slice(b"Watching");
        },
        Diagnostic::Snapshot(SnapshotDiagnostic::MeasureTypeUnknown {
            measure_type: "Watching".into(),
        }),
    );
    assert_eq!(profile.recording.source.kind.name(), "unknown");
}
