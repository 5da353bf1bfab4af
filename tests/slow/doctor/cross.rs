//! Several decoders on one snapshot: stand-ins that agree, differ, fail, or read what native can't.

use super::machine::{Compared, Document, Machine, of};
use crate::common::machine::REPORTER;
use crate::common::processes::{is_alive, send, wait};
use crate::common::text::has;
use std::path::Path;

/// The small snapshot as Reporter tells it, with what it says of B.
fn report(b: &str) -> String {
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

/// The small snapshot as the helper tells it, with the own time of B.
fn tree(b: &str) -> String {
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
fn check(machine: &Machine, code: i32, words: &[&str]) -> Document {
    let (run, document) = machine.doctor(Path::new("m.dtp"), &["--cross-check"]);
    assert_eq!(run.code, code, "{}", run.out);
    run.says(words);
    document
}

fn only(document: Document) -> Compared {
    let cross_check = document.cross_check.unwrap();
    assert_eq!(cross_check.first, "native");
    let [compared]: [Compared; 1] = cross_check.compared.try_into().unwrap();
    compared
}

#[test]
fn native_alone_is_compared_with_nothing() {
    let machine = Machine::with(|_| {});
    let words = [
        "nothing was compared: only decoder native opens this snapshot here",
        "decoder assemblies is not at hand: no toolchain",
        "decoder reporter is not at hand: Reporter runs on Windows",
    ];
    let cross_check = check(&machine, 0, &words).cross_check.unwrap();
    assert!(cross_check.compared.is_empty() && cross_check.failed.is_empty());
    let others: Vec<&str> = cross_check
        .not_at_hand
        .iter()
        .map(|other| other.decoder.as_str())
        .collect();
    assert_eq!(others, ["assemblies", "reporter"]);
    assert!(
        cross_check
            .not_at_hand
            .iter()
            .all(|other| !other.why.is_empty())
    );
}

#[test]
fn decoders_that_agree() {
    let machine = Machine::with(|_| {});
    machine.with_reporter(&report(&function_b("Acme.Book.B", "3.5", 2)));
    machine.with_helper(&tree("3.5"));
    let words = [
        "reporter opens it: tracing, 3 nodes",
        "assemblies opens it: tracing, 4 nodes, 1 thread",
        "3 3 0 0 0 0 reporter agrees",
        "4 4 0 0 0 0 assemblies agrees",
        "threads are compared by their times",
        "times are equal to the last digit of both",
    ];
    let document = check(&machine, 0, &words);
    let cross_check = document.cross_check.unwrap();
    let [reporter, assemblies] = &cross_check.compared[..] else {
        panic!("{cross_check:?}")
    };
    assert_eq!(
        (reporter.decoder.as_str(), reporter.agrees, reporter.equal),
        ("reporter", true, 3)
    );
    assert_eq!((reporter.nodes_of_first, reporter.nodes), (4, 3));
    assert_eq!(
        (
            assemblies.decoder.as_str(),
            assemblies.agrees,
            assemblies.equal
        ),
        ("assemblies", true, 4)
    );
    assert_eq!(assemblies.nodes, 4);
    assert!(
        assemblies.counts_compared && reporter.counts_compared && assemblies.differences.is_empty()
    );
    assert_eq!(
        (assemblies.tolerance_per_node, assemblies.largest_difference),
        (0.0, 0.0)
    );
}

#[test]
fn decoders_that_differ() {
    let machine = Machine::with(|_| {});
    machine.with_helper(&tree("3.7"));
    let words = [
        "4 3 1 0 0 0.2 assemblies DIFFERS",
        "Book.A ▸ Book.B: own 3.5 ms by native, 3.7 ms by assemblies",
        "report this",
    ];
    let document = check(&machine, 1, &words);
    assert_eq!(document.exit_code, 1);
    let compared = only(document);
    // the thread, A and C are as they were: what the helper says of totals stands
    assert_eq!(
        (compared.agrees, compared.equal, compared.changed),
        (false, 3, 1)
    );
    assert!((compared.largest_difference - 0.2).abs() < 1e-9);
    let difference = &compared.differences[0];
    assert_eq!(
        (difference.what.as_str(), difference.first, difference.other),
        ("exclusive", Some(3.5), Some(3.7))
    );
    assert_eq!(difference.path, ["Book.A", "Book.B"]);

    let machine = Machine::with(|_| {});
    machine.with_reporter(&report(&function_b("Acme.Book.X", "3.5", 2)));
    let compared = only(check(
        &machine,
        1,
        &[
            "only native has it, with 3.5 ms",
            "only reporter has it, with 3.5 ms",
        ],
    ));
    assert_eq!(
        (
            compared.only_in_first,
            compared.only_in_other,
            compared.equal
        ),
        (1, 1, 2)
    );

    let machine = Machine::with(|_| {});
    machine.with_reporter(&report(&function_b("Acme.Book.B", "3.5", 3)));
    let compared = only(check(
        &machine,
        1,
        &["Book.B: count 2 by native, 3 by reporter"],
    ));
    assert_eq!(
        (compared.changed, compared.differences[0].what.as_str()),
        (1, "count")
    );
}

/// Whole milliseconds beside ticks: no difference is one that rounding explains.
#[test]
fn rounded_times_agree() {
    let machine = Machine::with(|_| {});
    let whole = report(&function_b("Acme.Book.B", "4", 2)).replace("9.5", "10");
    machine.with_reporter(&whole);
    let compared = only(check(
        &machine,
        0,
        &[
            "times may differ by 1 ms, the precision of the coarser",
            "reporter agrees",
        ],
    ));
    assert_eq!(
        (compared.tolerance_per_node, compared.largest_difference),
        (1.0, 0.5)
    );
    machine.with_reporter(&whole.replace(
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
        "decoder reporter is at hand and can't open it",
    ];
    let document = check(&machine, 1, &words);
    assert_eq!(document.cross_check.unwrap().failed, ["reporter"]);
    let said = "Reporter could not read it: run-reporter ended with exit code 4: Error: the snapshot is too new";
    assert_eq!(document.next, ["`dotspot m.dtp` opens it", said]);
    let detail = &document.snapshot.unwrap().attempts[1].detail;
    assert_eq!(detail[1..], ["  Error: the snapshot is too new"]);
    // it is printed for those who ask for more, as the place of what was looked for is
    let quiet = machine.dotspot(&["doctor", "m.dtp", "--cross-check"]);
    assert!(!quiet.out.contains("it wrote:"), "{}", quiet.out);
    let run = machine.dotspot(&["doctor", "m.dtp", "--cross-check", "--verbose"]);
    run.says(&[
        "it wrote:",
        "| Error: the snapshot is too new",
        "| Mono: no mcs and no mono in ",
    ]);
}

/// What native can't read is opened by whoever is at hand, which is tried.
#[test]
fn others_are_tried_where_native_does_not_know_the_layout() {
    let machine = Machine::with(|sections| of(sections, 0x1100).version = 9);
    machine.with_helper(&tree("3.5"));
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(run.code, 0, "{}", run.out);
    run.says(&[
        "native can't open it",
        "assemblies opens it: tracing, 4 nodes, 1 thread",
    ]);
    assert_eq!(document.next, ["`dotspot m.dtp` opens it"]);
    // doctor has decoded it, and what it decoded is kept
    run.says(&["1 tree, ", "this snapshot's is cached"]);
    let tree = document.snapshot.unwrap().kept_tree.unwrap();
    assert!(
        tree.starts_with(machine.path("cache/dotspot/trees/m.dtp-").to_str().unwrap()),
        "{tree}"
    );
    assert!(Path::new(&tree).is_file());
    // so it does
    let run = machine.dotspot(&["tree", "m.dtp", "--min-percent", "0"]);
    assert_eq!(run.code, 0, "{}", run.err);
    run.says(&["Book.A", "Book.B"]);

    // Reporter is tried here if it is named, so the command names it
    let machine = Machine::with(|sections| of(sections, 0x1100).version = 9);
    machine.with_reporter(&report(&function_b("Acme.Book.B", "3.5", 2)));
    let reporter = machine.path("bin").join(REPORTER).display().to_string();
    let (run, document) = machine.doctor(Path::new("m.dtp"), &["--reporter", &reporter]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert_eq!(
        document.next,
        [format!("`dotspot --reporter {reporter} m.dtp` opens it")]
    );
    for args in [
        &["tree", "m.dtp", "--reporter", &reporter][..],
        &["tree", "m.dtp"],
    ] {
        // where none is named on the command line the variable does it
        let run = machine.dotspot(args);
        assert_eq!(run.code, 0, "{}", run.err);
        run.says(&["Book.A"]);
        has(
            &run.err,
            "read by decoder reporter, because decoder native failed",
        );
    }

    // one that merely has its name is not run on a snapshot
    let machine = Machine::with(|sections| of(sections, 0x1100).version = 9);
    for name in ["Reporter", "Reporter.exe"] {
        machine.script(name, ": > \"$HERE/ran\"");
    }
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    assert_eq!(
        (
            run.code,
            document.machine.reporter.at_hand,
            machine.path("ran").exists()
        ),
        (11, false, false)
    );

    // at hand, and it fails: the exit code is that of its stage
    machine.script(REPORTER, "exit 3");
    let (run, document) = machine.doctor(Path::new("m.dtp"), &[]);
    let attempts = document.snapshot.unwrap().attempts;
    let stages: Vec<Option<&str>> = attempts
        .iter()
        .map(|attempt| attempt.stage.as_deref())
        .collect();
    assert_eq!(
        (run.code, stages),
        (14, vec![Some("layout"), Some("launch")]),
        "{}",
        run.out
    );
}

/// A decoder's program is no part of the terminal's group, and is ended by doctor when that is.
#[test]
fn a_signal_ends_the_program_at_work() {
    let machine = Machine::with(|sections| of(sections, 0x1100).version = 9);
    machine.script(
        REPORTER,
        "echo $$ > \"$HERE/pid.part\"; mv \"$HERE/pid.part\" \"$HERE/pid\"; exec sleep 1000",
    );
    let mut doctor = machine
        .command(&["doctor", "m.dtp"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait("the program runs", || machine.path("pid").exists());
    let pid = std::fs::read_to_string(machine.path("pid")).unwrap();
    assert!(is_alive(pid.trim()));
    send("TERM", doctor.id());
    let status = doctor.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(15)
    );
    wait("the program is gone", || !is_alive(pid.trim()));
    let left = std::fs::read_dir(machine.path("tmp")).unwrap().count();
    assert_eq!(left, 0, "temporary files are left");
}
