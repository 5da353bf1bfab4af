//! How a run ends when the libraries misbehave: trees without end, a process that is killed, threads that stay.

use super::{Bench, assert_fails, small};
use crate::common::dottrace::{Script, run};
use crate::common::text::{has, lacks};
use std::time::{Duration, Instant};

fn endless() -> Script {
    Script::new(1000)
        .thread("T", [1, 1, 1])
        .endless(2, [1, 1, 1], "X", "Again")
}

fn deep(length: u64) -> Script {
    Script::new(1000)
        .thread("T", [1, 1, 1])
        .chain(2, [1, 0, 1], "X", "Down", length)
}

#[test]
fn a_tree_without_end_is_given_up() {
    let bench = present!(Bench::new());
    let check = |script: Script, option: &str, words: &[&str]| {
        let index = script.save(bench.folder.path(), "s.dtp");
        let outcome = run(bench
            .command(&index)
            .args([option, "1000"])
            .arg("--output")
            .arg(bench.path("out.json")));
        assert_fails(&outcome, "walk", words);
        assert!(!bench.path("out.json").exists());
    };
    check(
        endless(),
        "--max-nodes",
        &[
            "more than 1000 nodes",
            "1000 nodes were read",
            "--max-nodes raises the limit",
        ],
    );
    check(
        deep(u64::MAX >> 1),
        "--max-depth",
        &[
            "deeper than 1000 nodes",
            "1000 nodes were read",
            "--max-depth raises the limit",
        ],
    );
    // exactly as many as are allowed: the thread counts
    for (script, option) in [(deep(999), "--max-depth"), (deep(999), "--max-nodes")] {
        let outcome = run(bench
            .command(&script.save(bench.folder.path(), "s.dtp"))
            .args([option, "1000"]));
        assert_eq!(outcome.code, Some(0), "{option}: {}", outcome.stderr);
    }
}

/// No JSON line comes then: whoever runs the helper has to tell this by the signal.
#[test]
fn a_killed_helper_leaves_no_result() {
    let bench = present!(Bench::new());
    let index = small()
        .at("Info", 2, "kill", "")
        .save(bench.folder.path(), "s.dtp");
    let outcome = run(bench
        .command(&index)
        .arg("--output")
        .arg(bench.path("out.json")));
    assert_eq!(outcome.code, None, "{}", outcome.stderr);
    assert!(
        !outcome.stderr.contains(r#"{"error""#),
        "{}",
        outcome.stderr
    );
    assert!(!bench.path("out.json").exists());
}

/// Mono makes an exception of it; .NET ends the process, which is then told by the signal.
#[test]
fn an_endless_recursion_of_the_libraries() {
    let bench = present!(Bench::new());
    let outcome = bench.decode(&small().at("Info", 2, "overflow", ""));
    let error = assert_fails(
        &outcome,
        "walk",
        &[
            "Info of a node failed: StackOverflowException",
            "1 node was read",
        ],
    );
    assert!(error.detail.len() < 30_000, "{}", error.detail.len());
}

#[test]
fn threads_that_the_libraries_leave_running_do_not_keep_the_helper() {
    let bench = present!(Bench::new());
    let start = Instant::now();
    let json = bench.json(&small().at("OpenSnapshot", 1, "thread", ""));
    assert!(json.ends_with("}"), "{json}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn what_the_libraries_print_is_not_in_the_json() {
    let bench = present!(Bench::new());
    let outcome = bench.decode(&small().at("Info", 2, "print", "a word of the library"));
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.starts_with(br#"{"schema""#) && outcome.stdout.ends_with(b"}"));
    lacks(String::from_utf8(outcome.stdout).unwrap(), "a word");
    has(&outcome.stderr, "a word of the library");
}

/// The stand-in says when it is terminated: after the tree, after a failure, and also where opening stopped half-way.
#[test]
fn the_lifetime_is_terminated() {
    let bench = present!(Bench::new());
    let said = "lifetime terminated\n";
    assert!(bench.decode(&small()).stderr.starts_with(said));
    for member in ["PerformanceSnapshot", "TimeResolution", "Signature"] {
        let outcome = bench.decode(&small().at(member, 1, "throw", "no"));
        assert!(
            outcome.code.is_some_and(|code| code > 10) && outcome.stderr.starts_with(said),
            "{}",
            outcome.stderr
        );
    }
    // and when it can't be terminated, the result is still the result
    bench.json(&small().at("Terminate", 1, "throw", "no"));
}
