//! `dotspot doctor` on snapshots that are complete, damaged or unknown, and comparisons of several decoders.
#![cfg(unix)]

mod cross;
mod damaged;
mod machine;

use crate::common::json::{each, number, sum, text as text_of};
use crate::common::shared;
use crate::common::text::{assert_ends_with, assert_starts_with};
use dotspot::testing::units::thousands;
use machine::Machine;
use serde_json::{Value, json};

/// The sections of every snapshot and their descriptions.
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
    // found by an independent reader in Python
    let expected: Value = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    let (text, document) = Machine::new().doctor(&path, &[]);
    assert_eq!(text.code, 0);
    let threads = each(&expected["threads"]).count();
    let nodes = thousands(expected["nodes"].as_u64().unwrap());
    text.assert_output(&[&format!(
        "native opens it: {kind}, {nodes} nodes, {threads} threads"
    )]);
    for (id, version, what) in SECTIONS {
        text.assert_output(&[&format!("{id} {version} "), what]);
    }
    let snapshot = &document["snapshot"];
    assert_starts_with(text_of(&snapshot["family"]), "performance");
    assert!(snapshot["table_problem"].is_null() && snapshot["other_format"].is_null());
    for member in ["warnings", "missing"] {
        assert_eq!(snapshot[member], json!([]));
    }
    assert_eq!(each(&snapshot["attempts"]).count(), 1);
    let native = json!({"decoder": "native", "opened": true, "kind": kind, "nodes": expected["nodes"], "threads": threads,
        "stage": null, "problem": null, "advice": null, "detail": []});
    assert_eq!(snapshot["attempts"][0], native);
    let sections: Vec<&Value> = each(&snapshot["sections"]).collect();
    assert_eq!(sections.len(), 6 + 4 * threads);
    for section in &sections {
        let state = match section["need"] == "derived" {
            true => "not checked",
            false => "fine",
        };
        assert_eq!(section["state"], state, "{section:?}");
    }
    // the sections fill the file, except for a header of 18 bytes and rows of 12
    for file in each(&snapshot["files"]) {
        let around = match text_of(&file["what"]) {
            "sections" => 0,
            "the whole snapshot" => 18 + 12 * sections.len() + 2,
            _ => continue,
        };
        let own = sections
            .iter()
            .filter(|section| section["file"] == file["name"]);
        let bytes = sum(own.copied(), "size_bytes") + around as f64;
        assert_eq!(number(&file["found_bytes"]), bytes, "{}", file["name"]);
        assert_eq!(file["whole"], true);
    }
    let step = format!("`dotspot {}` opens it", path.display());
    assert_eq!(document["next"], json!([step]));
}

#[test]
fn real_snapshots_are_named_section_by_section() {
    check_real("profile", "sampling");
    check_real("profile_multi", "sampling");
    check_real("Issue254", "tracing");
    check_real("baseline", "sampling");
}

#[test]
fn without_a_snapshot_the_machine_is_described() {
    let machine = Machine::new();
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.assert_output(&[
        "native always available",
        "assemblies not available: no toolchain found to build the helper",
        ".NET SDK: ",
        "Mono: no mcs and no mono in ",
        "reporter not available: ",
        "cache ",
        "0 profiles, 0 helpers",
        "`dotspot SNAPSHOT.dtp`",
        "for layouts that native does not know: decoder assemblies: install the .NET SDK",
    ]);
    let document = machine.dotspot(&["doctor", "--json"]).json();
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    assert!(document["snapshot"].is_null() && document["cross_check"].is_null());
    let machine_of = &document["machine"];
    let (assemblies, reporter) = (&machine_of["assemblies"], &machine_of["reporter"]);
    assert!(assemblies["helper"].is_null());
    for decoder in [assemblies, reporter] {
        assert!(decoder["at_hand"] == false && decoder["advice"].is_string());
        assert!(decoder["problem"].is_string());
    }
    for (toolchain, name) in each(&assemblies["toolchains"]).zip([".NET SDK", "Mono"]) {
        assert_eq!(toolchain["name"], name);
        assert!(toolchain["version"].is_null() && toolchain["problem"].is_string());
    }
    // here only what the user names is used
    assert_eq!(reporter["places"], json!([]));
    let folder = machine.path("cache/dotspot").display().to_string();
    assert_eq!(machine_of["cache"]["folder"], folder);
}

#[test]
fn installs_are_found() {
    let machine = Machine::new();
    machine.add_helper("");
    machine.add_reporter("");
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.assert_output(&[
        "assemblies available",
        "Mono 6.8.0: ",
        "helper, just built: ",
        "dotTrace's libraries 2025.2.1: /opt/rider",
        "reporter available: Reporter, ",
        "the reporter decoder is available for layouts that native does not know",
        "the assemblies decoder is available",
    ]);
    let document = machine.dotspot(&["doctor", "--json"]).json();
    let [assemblies, reporter] = ["assemblies", "reporter"].map(|it| &document["machine"][it]);
    assert!(assemblies["at_hand"] == true && assemblies["problem"].is_null());
    assert_eq!(assemblies["helper"]["built_now"], false);
    assert_ends_with(text_of(&assemblies["helper"]["program"]), "dotspot-dtp.exe");
    let install = json!({"root": "/opt/rider", "version": "2025.2.1", "used": true});
    assert_eq!(assemblies["installs"][0], install);
    assert_eq!(each(&assemblies["looked_at"]).count(), 1);
    assert!(reporter["at_hand"] == true && reporter["path"].is_string());
    let place = &reporter["places"][0];
    assert!(place["what"] == "DOTSPOT_REPORTER" && place["found"] == true);
    assert_eq!(document["machine"]["cache"]["helpers"], 1);
}

#[test]
fn what_the_helper_lacks_is_reported() {
    let machine = Machine::new();
    machine.add_helper("");
    let probe = r#"{"installs":[{"root":"/opt/rider","version":"2026.1","used":true}],"assemblies":[{"name":"JetBrains.Lifetimes","problem":"is for another processor"}],"members":[{"type":"T","member":"M","needed_for":"reading","problem":"T has no member M"},{"needed_for":"names of nodes without a signature","problem":"left out"}]}"#;
    let error =
        r#"{"error":{"stage":"bind","message":"T has no member M in /opt/rider","detail":""}}"#;
    machine.script(
        "mono",
        &format!("echo '{probe}'; echo '{error}' >&2; exit 15"),
    );
    let run = machine.dotspot(&["doctor"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.assert_output(&[
        "assemblies not available: T has no member M in /opt/rider",
        "dotTrace's libraries 2026.1: /opt/rider",
        "JetBrains.Lifetimes: is for another processor",
    ]);
    assert!(!run.out.contains("left out"));
}
