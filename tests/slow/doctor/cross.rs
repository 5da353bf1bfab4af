//! Several decoders on one snapshot: stand-ins that agree, differ, fail, or read what native can't.

use super::machine::{Machine, section_mut};
use crate::common::json::{each, near, text};
use crate::common::machine::REPORTER;
use crate::common::text::{assert_contains, assert_lacks, assert_starts_with};
use serde_json::{Value, json};
use std::path::Path;

/// The small snapshot in Reporter's format, with the given element for B.
fn reporter_xml(b: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<Report>
  <Function Id="0x1" FQN="Acme.Book.A" TotalTime="9.5" OwnTime="4" Calls="1" Instances="1">
    <Instance CallStack="Acme.Book.A" TotalTime="9.5" OwnTime="4" Calls="1"/>
  </Function>
  {b}
  <Function Id="0x3" FQN="Acme.Book.C" TotalTime="2" OwnTime="2" Calls="5" Instances="1">
    <Instance CallStack="Acme.Book.A/Acme.Book.C" TotalTime="2" OwnTime="2" Calls="5"/>
  </Function>
</Report>
"#
    )
}

fn function_b(name: &str, ms: &str, calls: u32) -> String {
    format!(
        r#"<Function Id="0x2" FQN="{name}" TotalTime="{ms}" OwnTime="{ms}" Calls="{calls}" Instances="1">
    <Instance CallStack="Acme.Book.A/{name}" TotalTime="{ms}" OwnTime="{ms}" Calls="{calls}"/>
  </Function>"#
    )
}

/// The small snapshot in the helper's format, with the given exclusive time of B.
fn helper_json(b: &str) -> String {
    format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"source":"m.dtp","thread_count":1,"node_count":null,"payload_type":"unknown",
"time_unit":"ms","decoder":"assemblies","decoder_version":"stand-in","warnings":[]}},"thread_roots":[],
"call_tree":{{"id":"root","name":"All threads","kind":"root","inclusive_time":9.5,"exclusive_time":0,"call_count":0,"children":[
{{"id":"t1","name":"Main thread","kind":"thread","thread_name":"Main thread","inclusive_time":9.5,"exclusive_time":0,"call_count":0,"children":[
{{"id":"t1:n1","name":"Acme.Book.A()","kind":"method","inclusive_time":9.5,"exclusive_time":4,"call_count":1,"children":[
{{"id":"t1:n2","name":"Acme.Book.B()","kind":"method","inclusive_time":{b},"exclusive_time":{b},"call_count":2,"children":[]}},
{{"id":"t1:n3","name":"Acme.Book.C()","kind":"method","inclusive_time":2,"exclusive_time":2,"call_count":5,"children":[]}}]}}]}}]}},
"hotspots":{{"inclusive":[],"exclusive":[]}}}}"#
    )
}

#[track_caller]
fn check(machine: &Machine, code: i32, words: &[&str]) -> Value {
    let (run, document) = machine.doctor(Path::new("m.dtp"), &["--cross-check"]);
    assert_eq!(run.code, code, "{}", run.out);
    run.assert_output(words);
    document
}

/// The comparison with the only other decoder, which must have the expected members.
#[track_caller]
fn only_comparison(document: &Value, want: Value) -> &Value {
    let cross_check = &document["cross_check"];
    assert_eq!(cross_check["first"], "native");
    assert_eq!(each(&cross_check["compared"]).count(), 1);
    let compared = &cross_check["compared"][0];
    assert_has_members(compared, want);
    compared
}

/// Asserts that an object has all of these members; it may have others.
#[track_caller]
fn assert_has_members(found: &Value, want: Value) {
    for (member, value) in want.as_object().unwrap() {
        assert_eq!(found[member], *value, "{member} of {found}");
    }
}

#[test]
fn native_without_other_decoders_is_not_compared() {
    let machine = Machine::with(|_| {});
    let words = [
        "nothing was compared: only decoder native opens this snapshot here",
        "decoder assemblies is not available: no toolchain",
        "decoder reporter is not available: Reporter runs on Windows",
    ];
    let document = check(&machine, 0, &words);
    let cross_check = &document["cross_check"];
    assert_has_members(cross_check, json!({"compared": [], "failed": []}));
    let others: Vec<&Value> = each(&cross_check["not_at_hand"]).collect();
    for (other, decoder) in others.iter().zip(["assemblies", "reporter"]) {
        assert_eq!(other["decoder"], decoder);
        assert_ne!(other["why"], "");
    }
    assert_eq!(others.len(), 2);
}

#[test]
fn decoders_that_agree() {
    let machine = Machine::with(|_| {});
    machine.add_reporter(&reporter_xml(&function_b("Acme.Book.B", "3.5", 2)));
    machine.add_helper(&helper_json("3.5"));
    let words = [
        "reporter opens it: tracing, 3 nodes",
        "assemblies opens it: tracing, 4 nodes, 1 thread",
        "3 3 0 0 0 0 reporter agrees",
        "4 4 0 0 0 0 assemblies agrees",
        "threads are matched by time",
        "times are equal to the last digit of both",
    ];
    let document = check(&machine, 0, &words);
    let compared = &document["cross_check"]["compared"];
    let equal = json!({"agrees": true, "counts_compared": true, "differences": [], "tolerance_per_node": 0.0, "largest_difference": 0.0});
    for (row, decoder, nodes) in [(0, "reporter", 3), (1, "assemblies", 4)] {
        assert_has_members(&compared[row], equal.clone());
        let want = json!({"decoder": decoder, "equal": nodes, "nodes": nodes, "nodes_of_first": 4});
        assert_has_members(&compared[row], want);
    }
}

#[test]
fn decoders_that_differ() {
    let machine = Machine::with(|_| {});
    machine.add_helper(&helper_json("3.7"));
    let words = [
        "4 3 1 0 0 0.2 assemblies DIFFERS",
        "Book.A ▸ Book.B: own 3.5 ms by native, 3.7 ms by assemblies",
        "report this",
    ];
    let document = check(&machine, 1, &words);
    // the thread, A and C are unchanged: totals are taken from the helper
    let compared = only_comparison(
        &document,
        json!({"agrees": false, "equal": 3, "changed": 1}),
    );
    near(&compared["largest_difference"], 0.2);
    let difference =
        json!({"what": "exclusive", "first": 3.5, "other": 3.7, "path": ["Book.A", "Book.B"]});
    assert_eq!(compared["differences"], json!([difference]));

    let machine = Machine::with(|_| {});
    machine.add_reporter(&reporter_xml(&function_b("Acme.Book.X", "3.5", 2)));
    let words = [
        "only native has it, with 3.5 ms",
        "only reporter has it, with 3.5 ms",
    ];
    let want = json!({"only_in_first": 1, "only_in_other": 1, "equal": 2});
    only_comparison(&check(&machine, 1, &words), want);

    let machine = Machine::with(|_| {});
    machine.add_reporter(&reporter_xml(&function_b("Acme.Book.B", "3.5", 3)));
    let document = check(&machine, 1, &["Book.B: count 2 by native, 3 by reporter"]);
    let compared = only_comparison(&document, json!({"changed": 1}));
    assert_eq!(compared["differences"][0]["what"], "count");
}

/// One decoder has whole milliseconds, the other ticks: differences explained by rounding do not count.
#[test]
fn rounded_times_agree() {
    let machine = Machine::with(|_| {});
    let rounded = reporter_xml(&function_b("Acme.Book.B", "4", 2)).replace("9.5", "10");
    machine.add_reporter(&rounded);
    let words = [
        "times may differ by 1 ms, the precision of the coarser",
        "reporter agrees",
    ];
    let want = json!({"tolerance_per_node": 1.0, "largest_difference": 0.5});
    only_comparison(&check(&machine, 0, &words), want);
    machine.add_reporter(&rounded.replace(
        "\"4\" OwnTime=\"4\" Calls=\"2\"",
        "\"6\" OwnTime=\"6\" Calls=\"2\"",
    ));
    check(&machine, 1, &["reporter DIFFERS"]);
}

#[test]
fn a_decoder_that_fails_does_not_agree() {
    let machine = Machine::with(|_| {});
    machine.script(
        REPORTER,
        "echo 'Error: the snapshot is too new' >&2; exit 4",
    );
    let words = [
        "reporter can't open it",
        "the snapshot is too new",
        "the reporter decoder is available but can't open it",
    ];
    let document = check(&machine, 1, &words);
    assert_eq!(document["cross_check"]["failed"], json!(["reporter"]));
    let want = "Reporter could not read it: run-reporter ended with exit code 4: Error: the snapshot is too new";
    assert_eq!(document["next"], json!(["`dotspot m.dtp` opens it", want]));
    let detail = &document["snapshot"]["attempts"][1]["detail"];
    assert_eq!(detail[1], "  Error: the snapshot is too new");
    let quiet = machine.dotspot(&["doctor", "m.dtp", "--cross-check"]);
    assert_lacks(quiet.out, "it wrote:");
    let run = machine.dotspot(&["doctor", "m.dtp", "--cross-check", "--verbose"]);
    run.assert_output(&["it wrote:", "| Error: the snapshot is too new"]);
}

/// Snapshots that native can't read are opened by another available decoder, which doctor tries.
#[test]
fn other_decoders_are_tried_on_layouts_unknown_to_native() {
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    machine.add_helper(&helper_json("3.5"));
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 0, "{}", run.out);
    run.assert_output(&[
        "native can't open it",
        "assemblies opens it: tracing, 4 nodes, 1 thread",
    ]);
    assert_eq!(document["next"], json!(["`dotspot m.dtp` opens it"]));
    // doctor has decoded the snapshot, and the result is cached
    assert_eq!(machine.dotspot(&["tree", "m.dtp"]).code, 0);
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    run.assert_output(&["1 profile, ", "this snapshot's is cached"]);
    let index = text(&document["snapshot"]["kept_tree"]);
    let start = machine.path("cache/dotspot/indexes/m.dtp-");
    assert_starts_with(index, start.to_str().unwrap());
    assert!(Path::new(index).is_file());

    // here Reporter is only tried if it is named, so the suggested command names it
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    machine.add_reporter(&reporter_xml(&function_b("Acme.Book.B", "3.5", 2)));
    let reporter = machine.path("bin").join(REPORTER).display().to_string();
    let (run, document) = machine.doctor(Path::new("m.dtp"), &["--reporter", &reporter]);
    assert_eq!(run.code, 0, "{}", run.out);
    let step = format!("`dotspot --reporter {reporter} m.dtp` opens it");
    assert_eq!(document["next"], json!([step]));
    let run = machine.dotspot(&["tree", "m.dtp"]);
    run.assert_output(&["Book.A"]);
    let fell_back = "read by decoder reporter, because decoder native failed";
    assert_contains(&run.err, fell_back);

    // a program that merely has its name is not run on a snapshot
    let machine = Machine::with(|sections| section_mut(sections, 0x1100).version = 9);
    for name in ["Reporter", "Reporter.exe"] {
        machine.script(name, ": > \"$HERE/ran\"");
    }
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!((run.code, machine.path("ran").exists()), (11, false));
    assert_eq!(document["machine"]["reporter"]["at_hand"], false);

    // available but failing: the exit code is that of its stage
    machine.script(REPORTER, "exit 3");
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 14, "{}", run.out);
    let attempts = each(&document["snapshot"]["attempts"]);
    let stages = attempts.map(|attempt| text(&attempt["stage"]));
    assert_eq!(stages.collect::<Vec<_>>(), ["layout", "launch"]);
}
