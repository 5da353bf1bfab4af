//! `dotspot doctor` on snapshots that are whole, damaged, of tomorrow, and none at all; and what several decoders read of
//! one.
#![cfg(unix)]

mod cross;
mod damaged;
mod machine;
mod settings;

use crate::common::shared;
use crate::common::text::ends;
use machine::{Machine, Run};
use serde::Deserialize;
use std::path::Path;

/// What an independent reader (Python) found in a snapshot.
#[derive(Deserialize)]
struct Expected {
    threads: Vec<ExpectedThread>,
    nodes: usize,
}

#[derive(Deserialize)]
struct ExpectedThread {
    number: u32,
    nodes: usize,
}

/// The sections that every snapshot has, and in what words they are told.
const SECTIONS: [(&str, u16, &str); 9] = [
    ("0x1000", 0, "ticks per second"),
    ("0x1100", 3, "call tree of a thread"),
    ("0x1101", 3, "nodes of each function"),
    ("0x1102", 1, "dotTrace's sums of functions"),
    ("0x1103", 1, "functions with one node"),
    ("0x0110", 0, "paths of the modules"),
    ("0x0120", 0, "functions without a direct id"),
    ("0x0100", 2, "metadata of the modules"),
    ("0x0001", 0, "time of the snapshot"),
];

#[track_caller]
fn check_real(name: &str, kind: &str) {
    let path = present!(shared(&format!("dtp/{name}.dtp")));
    let expected = path.parent().unwrap().join(format!("expected/{name}.json"));
    let expected: Expected = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    let (text, document) = Machine::new().doctor(&path, &[]);
    assert_eq!(text.code, 0);
    let threads = expected.threads.len();
    let nodes = dotspot::testing::units::thousands(expected.nodes as u64);
    text.says(&[&format!(
        "native opens it: {kind}, {nodes} nodes, {threads} threads"
    )]);
    for (id, version, what) in SECTIONS {
        text.says(&[&format!("{id} {version} "), what]);
    }
    let snapshot = document.snapshot.unwrap();
    assert_eq!(
        (
            snapshot.family.starts_with("performance"),
            snapshot.table_problem
        ),
        (true, None)
    );
    assert_eq!(
        (
            snapshot.other_format,
            snapshot.warnings,
            snapshot.missing.len()
        ),
        (None, Vec::new(), 0)
    );
    assert!(snapshot.stored_sums > 100 && snapshot.stored_sums_agree);
    let [native] = &snapshot.attempts[..] else {
        panic!("{:?}", snapshot.attempts)
    };
    assert_eq!((native.decoder.as_str(), native.opened), ("native", true));
    assert_eq!(
        (native.kind.as_deref(), native.nodes, native.threads),
        (Some(kind), Some(expected.nodes), Some(threads))
    );
    assert_eq!(snapshot.sections.len(), 6 + 4 * threads);
    for section in &snapshot.sections {
        assert_eq!(
            (section.state.as_str(), section.remarks.len()),
            ("fine", 0),
            "{section:?}"
        );
    }
    let trees = snapshot
        .sections
        .iter()
        .filter(|section| section.id == "0x1100");
    for (section, thread) in trees.zip(&expected.threads) {
        assert!(
            section
                .detail
                .starts_with(&format!("thread {}", thread.number)),
            "{}",
            section.detail
        );
        let nodes = dotspot::testing::units::counted(thread.nodes as u64, "node");
        ends(&section.detail, format!(", {nodes}"));
    }
    // the sections of a file fill it; the one file has a head of 18 bytes and rows of 12
    for file in snapshot
        .files
        .iter()
        .filter(|file| file.what == "sections" || file.what == "the whole snapshot")
    {
        let sections = snapshot
            .sections
            .iter()
            .filter(|section| section.file == file.name);
        let bytes: u64 = sections.map(|section| section.size_bytes).sum();
        let around = if file.what == "sections" {
            0
        } else {
            18 + 12 * snapshot.sections.len() as u64 + 2
        };
        assert_eq!(file.found_bytes, Some(bytes + around), "{}", file.name);
        assert!(file.whole);
    }
    assert_eq!(
        document.next,
        [format!("`dotspot {}` opens it", path.display())]
    );
}

#[test]
fn real_snapshots_are_named_section_by_section() {
    check_real("profile", "sampling");
    check_real("profile_multi", "sampling");
    check_real("Issue254", "tracing");
    check_real("baseline", "sampling");
}

#[test]
fn what_dottrace_computed_is_compared() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let (text, document) = Machine::new().doctor(&path, &[]);
    text.says(&[
        "DotSettings 87 of 87 functions equal to the tick",
        "Issue254.dtp.DotSettings: dotTrace's own sums",
    ]);
    let beside = document.snapshot.unwrap().beside.unwrap();
    assert_eq!((beside.sums, beside.equal, beside.rounded), (87, 87, 0));
    assert_eq!(beside.differing.len(), 0);
}

#[test]
fn a_file_beside_the_index_leads_to_it() {
    let machine = Machine::with(|_| {});
    let (text, document) = machine.doctor(Path::new("m.dtp.0002"), &[]);
    text.says(&[
        "snapshot m.dtp.0002",
        "index m.dtp",
        "native opens it: tracing, 4 nodes, 1 thread",
    ]);
    let snapshot = document.snapshot.unwrap();
    assert_eq!(
        (snapshot.file.as_str(), snapshot.index.as_str()),
        ("m.dtp.0002", "m.dtp")
    );
}

#[test]
fn without_a_snapshot_the_machine_is_described() {
    let machine = Machine::new();
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.says(&[
        "native always at hand",
        "assemblies not at hand: no toolchain found to build the helper",
        ".NET SDK: ",
        "Mono: no mcs and no mono in ",
        "reporter not at hand: ",
        "cache ",
        "0 trees, 0 helpers",
        "`dotspot SNAPSHOT.dtp`",
        "for layouts that native does not know: decoder assemblies: install the .NET SDK",
    ]);
    let document = machine.dotspot(&["doctor", "--json"]).json();
    assert_eq!(
        (document.schema.as_str(), document.version.as_str()),
        ("dotspot.doctor/1", env!("CARGO_PKG_VERSION"))
    );
    assert!(document.snapshot.is_none() && document.cross_check.is_none());
    let (assemblies, reporter) = (document.machine.assemblies, document.machine.reporter);
    assert!(!assemblies.at_hand && assemblies.helper.is_none() && assemblies.advice.is_some());
    let toolchains: Vec<&str> = assemblies
        .toolchains
        .iter()
        .map(|toolchain| toolchain.name.as_str())
        .collect();
    assert_eq!(toolchains, [".NET SDK", "Mono"]);
    assert!(
        assemblies
            .toolchains
            .iter()
            .all(|toolchain| toolchain.version.is_none() && toolchain.problem.is_some())
    );
    assert!(!reporter.at_hand && reporter.problem.is_some() && reporter.advice.is_some());
    assert!(
        reporter.places.is_empty(),
        "only what the user names is taken here"
    );
    let folder = document.machine.cache.folder.unwrap();
    assert_eq!(folder, machine.path("cache/dotspot").display().to_string());
}

#[test]
fn what_is_installed_is_found() {
    let machine = Machine::new();
    machine.with_helper("");
    machine.with_reporter("");
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.says(&[
        "assemblies at hand",
        "Mono 6.8.0: ",
        "helper, built now: ",
        "dotTrace's libraries 2025.2.1: /opt/rider",
        "reporter at hand: Reporter, ",
        "decoder reporter is at hand for layouts that native does not know",
        "decoder assemblies is at hand",
    ]);
    let document = machine.dotspot(&["doctor", "--json"]).json();
    let assemblies = document.machine.assemblies;
    let helper = assemblies.helper.unwrap();
    assert!(assemblies.at_hand && !helper.built_now && helper.program.ends_with("dotspot-dtp.exe"));
    let install = &assemblies.installs[0];
    assert_eq!(
        (
            install.root.as_str(),
            install.version.as_str(),
            install.used
        ),
        ("/opt/rider", "2025.2.1", true)
    );
    assert_eq!((assemblies.problem, assemblies.looked_at.len()), (None, 1));
    assert!(document.machine.reporter.at_hand && document.machine.reporter.path.is_some());
    let place = &document.machine.reporter.places[0];
    assert_eq!(
        (place.what.as_str(), place.found),
        ("DOTSPOT_REPORTER", true)
    );
    assert_eq!(document.machine.cache.helpers, 1);
}

/// A build of another toolchain than the one that is used is none.
#[test]
fn a_helper_is_new_if_its_toolchain_is() {
    let machine = Machine::new();
    machine.with_helper("");
    machine.dotspot(&["doctor"]).says(&["helper, built now: "]);
    machine
        .dotspot(&["doctor"])
        .says(&["helper, built before: "]);
    machine.script(
        "dotnet",
        "case $1 in --list-sdks) echo '10.0.100 [/sdk]' ;; build) : > out/dotspot-dtp.dll ;; *) echo '{}' ;; esac",
    );
    machine
        .dotspot(&["doctor"])
        .says(&["helper, built now: ", "dotspot-dtp.dll"]);
    machine
        .dotspot(&["doctor"])
        .says(&["helper, built before: "]);
}

#[test]
fn what_the_helper_lacks_is_said() {
    let machine = Machine::new();
    machine.with_helper("");
    let probe = r#"{"installs":[{"root":"/opt/rider","version":"2026.1","used":true}],"assemblies":[{"name":"JetBrains.Lifetimes","problem":"is for another processor"}],"members":[{"type":"T","member":"M","needed_for":"reading","problem":"T has no member M"},{"needed_for":"names of nodes without a signature","problem":"left out"}]}"#;
    let error =
        r#"{"error":{"stage":"bind","message":"T has no member M in /opt/rider","detail":""}}"#;
    machine.script(
        "mono",
        &format!("echo '{probe}'; echo '{error}' >&2; exit 15"),
    );
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.says(&[
        "assemblies not at hand: T has no member M in /opt/rider",
        "dotTrace's libraries 2026.1: /opt/rider",
        "JetBrains.Lifetimes: is for another processor",
    ]);
    assert!(!run.out.contains("left out"));
}

#[test]
fn wrong_usage_is_said() {
    let machine = Machine::new();
    let Run { code, err, .. } = machine.dotspot(&["doctor", "--cross-check"]);
    assert_eq!(code, 2, "{err}");
}
