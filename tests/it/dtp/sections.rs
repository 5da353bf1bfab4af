//! Missing, unknown and damaged sections, except for trees.

use super::small::{check_code, check_sections, check_warning, section, small};
use super::{assert_diagnostic, good, read};
use crate::common::dtp_writer::{Section, one_file};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic};
use dotspot::testing::input::Stage;
use dotspot::testing::model::{NodeId, View};

#[test]
fn required_sections_of_unknown_version() {
    let ids = [
        (0x1000, 0),
        (0x1100, 3),
        (0x0110, 0),
        (0x0120, 0),
        (0x0100, 2),
    ];
    for (id, known) in ids {
        let version = format!("only version {known} is known");
        let advice = "`dotspot doctor FILE` says what else can read it";
        let words = [
            &*format!("section {id:#06x}"),
            "has version 7",
            &version,
            advice,
        ];
        check_sections(
            |sections| section(sections, id).version = 7,
            Stage::Layout,
            &words,
        );
    }
}

#[test]
fn missing_and_duplicate_required_sections() {
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
fn optional_sections() {
    let unknown = Diagnostic::SectionUnknown {
        section: 0x2000,
        version: 1,
    };
    let add = |sections: &mut Vec<Section>| {
        sections.push(Section {
            id: 0x2000,
            version: 1,
            file: 0,
            bytes: vec![1, 2, 3],
        });
    };
    check_warning(add, unknown);
    let remove =
        |id: u16| move |sections: &mut Vec<Section>| sections.retain(|section| section.id != id);
    for id in [0x1101, 0x1102, 0x1103] {
        let mut sections = small();
        section(&mut sections, id).version = 9;
        assert_eq!(good(read(one_file(&sections))).codes(), [""; 0]);
        remove(id)(&mut sections);
        assert_eq!(good(read(one_file(&sections))).codes(), [""; 0]);
    }
    check_warning(remove(0x0000), Diagnostic::NoDescription {});
    check_warning(remove(0x0110), Diagnostic::NoModules {});
    let cut = |sections: &mut Vec<Section>| section(sections, 0x0001).bytes.truncate(3);
    check_code(cut, "time-unreadable", &["8 bytes"]);
    let profile = check_warning(remove(0x0120), Anomaly::FunctionsUnresolved.with_count(1));
    assert_eq!(profile.tree.len(), 13);
    let mut sections = small();
    remove(0x0100)(&mut sections);
    let profile = good(read(one_file(&sections)));
    let expect = [
        Diagnostic::NoMetadata {},
        Anomaly::FunctionsUnresolved.with_count(5),
    ];
    assert_eq!(profile.diagnostics, expect);
}

/// Checks the failure after a change of a section's bytes.
#[track_caller]
fn check_bytes(id: u16, change: fn(&mut Vec<u8>), words: &[&str]) {
    let id_text = format!("section {id:#06x}");
    let change = |sections: &mut Vec<Section>| change(&mut section(sections, id).bytes);
    check_sections(change, Stage::Layout, &[&[&*id_text], words].concat());
}

#[test]
fn damaged_sections() {
    check_bytes(0x1000, |bytes| bytes.fill(0), &["is 0"]);
    check_bytes(
        0x1000,
        |bytes| bytes.truncate(7),
        &["expected 8 bytes", "7 bytes left"],
    );
    check_bytes(
        0x0110,
        |bytes| _ = bytes.pop(),
        &["expected", "the section has"],
    );
    check_bytes(
        0x0120,
        |bytes| _ = bytes.pop(),
        &["expected 8 bytes", "has 7 bytes left"],
    );
    check_bytes(0x0100, |bytes| _ = bytes.pop(), &["the section has"]);
    for id in [0x1000, 0x0110, 0x0120, 0x0100] {
        check_bytes(
            id,
            |bytes| bytes.push(0),
            &["should end here", "has 1 byte left"],
        );
    }
}

#[test]
fn the_metadata_of_a_module() {
    // count, module id, size, then the root of the first module
    let profile = check_metadata(|root| root[0] = b'X', &["does not start with BSJB"]);
    assert_eq!(profile.name(NodeId(2)), "[Unresolved function 0x00100001]");
    check_metadata(|root| root[12..16].fill(0xFF), &["its header is truncated"]);
    // a version text of twelve bytes is followed by the streams: offset, size and zero-terminated name
    check_metadata(
        |root| root[40..80].fill(b'x'),
        &["its stream list is truncated"],
    );
    check_metadata(
        |root| root[36..40].fill(0xFF),
        &["one of its streams is truncated"],
    );
    // the name of the table stream
    check_metadata(|root| root[41] = b'?', &["no stream #~ or #-"]);
}

#[track_caller]
fn check_metadata(change: impl Fn(&mut [u8]), words: &[&str]) -> View {
    let mut sections = small();
    change(&mut section(&mut sections, 0x0100).bytes[12..]);
    let profile = good(read(one_file(&sections)));
    assert_diagnostic(
        &profile.diagnostics[0],
        "metadata-unreadable",
        &[&["\"module\":1,\"name\":\"Acme\","], words].concat(),
    );
    assert_eq!(
        profile.diagnostics[1..],
        [Anomaly::FunctionsUnresolved.with_count(4)]
    );
    profile
}

#[test]
fn the_description() {
    /// Replaces a text in the bytes by one of the same length.
    fn replace(bytes: &mut [u8], text: &[u8], other: &[u8]) {
        let mut windows = bytes.windows(text.len());
        let at = windows.position(|window| window == text).unwrap();
        bytes[at..at + text.len()].copy_from_slice(other);
    }
    let check = |change: fn(&mut Section), has_settings: bool, word: &str, kind: &str| {
        let settings = format!("\"has_settings\":{has_settings}");
        let change = |sections: &mut Vec<Section>| change(section(sections, 0x0000));
        let profile = check_code(change, "description-unexpected", &[&settings, word]);
        assert_eq!(profile.recording.source.kind.name(), kind);
    };
    check(
        |section| section.version = 10,
        true,
        "version 10",
        "sampling",
    );
    check(|section| section.bytes.truncate(60), false, "", "unknown");
    check(
        |section| section.bytes.push(0),
        true,
        "should end here",
        "sampling",
    );
    let unknown = Diagnostic::MeasureTypeUnknown {
        measure_type: "Watching".into(),
    };
    for (text, other, expect) in [
        (
            &b"<Configuration"[..],
            &b"<configuration"[..],
            Diagnostic::NoSettings {},
        ),
        (b"Sampling", b"Watching", unknown),
    ] {
        let change = |sections: &mut Vec<Section>| {
            replace(&mut section(sections, 0x0000).bytes, text, other)
        };
        let profile = check_warning(change, expect);
        assert_eq!(profile.recording.source.kind.name(), "unknown");
    }
}
