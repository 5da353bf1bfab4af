//! `dotspot export`: one occurrence of a method, or all occurrences as one tree.

use crate::common::run::dotspot;
use crate::common::run::words;
use crate::common::text::assert_contains;
use serde::Deserialize;
use std::fs;

#[derive(Deserialize)]
struct Hotspots {
    total: f64,
    rows: Vec<Hotspot>,
}

#[derive(Deserialize)]
struct Hotspot {
    display: String,
    inclusive: f64,
    node_count: u64,
}

fn hotspots(args: &[&str]) -> Hotspots {
    let run = dotspot(&[&["hotspots", "--json", "--top", "0"], args].concat());
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.err))
}

/// Two threads with four occurrences of `m`, three of which are outermost:
/// n0 ▸ n1 A 9 ▸ (n2 x 7 ▸ n3 m 7 ▸ n4 k 7; n5 m 2); n6 B 5 ▸ n7 m 5 ▸ (n8 m 4; n9 k 1)
const TRACE: &str = r#"[
    {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"A"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"B"}},
    {"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":7000},
    {"ph":"X","name":"m","pid":1,"tid":1,"ts":0,"dur":7000},
    {"ph":"X","name":"k","pid":1,"tid":1,"ts":0,"dur":7000},
    {"ph":"X","name":"m","pid":1,"tid":1,"ts":7000,"dur":2000},
    {"ph":"X","name":"m","pid":1,"tid":2,"ts":0,"dur":5000},
    {"ph":"X","name":"m","pid":1,"tid":2,"ts":0,"dur":4000},
    {"ph":"X","name":"k","pid":1,"tid":2,"ts":4000,"dur":1000}]"#;

/// Checks an export with these options: its total, the values of `m` and `k`, and words on standard error.
#[track_caller]
fn check(args: &[&str], total: f64, m: (f64, u64), k: f64, words: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (trace, out) = (path("trace.json"), path("out.json"));
    fs::write(&trace, TRACE).unwrap();
    let run = dotspot(&[&["export", &trace, "-o", &out], args].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    assert_contains(&run.err, words);
    let written = hotspots(&[&out]);
    let find = |name: &str| written.rows.iter().find(|row| row.display == name).unwrap();
    assert_eq!(written.total, total, "{args:?}");
    assert_eq!((find("m").inclusive, find("m").node_count), m, "{args:?}");
    let of_k = written
        .rows
        .iter()
        .find(|row| row.display == "k")
        .map_or(0.0, |row| row.inclusive);
    assert_eq!(of_k, k, "{args:?}");
}

#[test]
fn a_method_exports_all_occurrences_and_a_node_exports_one() {
    // 7 + 2 + 5; the m below m is a separate node
    let all = "all 4 occurrences of m as one tree; --heaviest-occurrence writes only the heaviest";
    check(&["--method", "m"], 14.0, (14.0, 2), 8.0, all);
    check(
        &["--method", "m", "--all-occurrences"],
        14.0,
        (14.0, 2),
        8.0,
        all,
    );
    let heaviest = "m has 4 occurrences with 14.0 ms in all; this is the heaviest, n3; --all-occurrences writes all as one tree";
    check(
        &["--method", "m", "--heaviest-occurrence"],
        7.0,
        (7.0, 1),
        7.0,
        heaviest,
    );
    let one = "this is one of 4 occurrences of m; --all-occurrences writes all as one tree";
    check(&["--node", "n7"], 5.0, (5.0, 2), 1.0, one);
    check(
        &["--node", "n7", "--all-occurrences"],
        14.0,
        (14.0, 2),
        8.0,
        all,
    );
    // occurrences in one subtree need no merging
    let outermost = "all 2 occurrences of m as one tree";
    check(
        &["--thread", "B", "--method", "m"],
        5.0,
        (5.0, 2),
        1.0,
        outermost,
    );
    let only = "dotspot: x, which occurs only at n";
    check(&["--method", "x"], 7.0, (7.0, 1), 7.0, only);
}

#[test]
fn a_node_of_merged_threads_is_reported_as_several() {
    let merged =
        "with --merge-threads, this node merges those with the same callers in all threads";
    // n5 and n7 are occurrences of m below the thread: 2 + 5
    check(
        &["--merge-threads", "--node", "n7"],
        7.0,
        (7.0, 2),
        1.0,
        merged,
    );
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.json");
    fs::write(&trace, TRACE).unwrap();
    let run = dotspot(&[
        "export",
        trace.to_str().unwrap(),
        "--merge-threads",
        "--node",
        "n3",
    ]);
    assert!(
        run.code == 0 && !run.err.contains("with --merge-threads"),
        "x;m is in one thread: {}",
        run.err
    );
}

#[test]
fn mistakes_are_usage_errors() {
    for (args, word) in [
        (&["--all-occurrences"][..], "--all-occurrences"),
        (&["--heaviest-occurrence"], "--method"),
        (
            &["--node", "n3", "--heaviest-occurrence"],
            "--heaviest-occurrence",
        ),
        (
            &words("--method m --heaviest-occurrence --all-occurrences"),
            "--all-occurrences",
        ),
    ] {
        let run = dotspot(&[&["export", "Cargo.toml"], args].concat());
        assert_eq!(
            (run.code, run.out.as_str()),
            (2, ""),
            "{args:?}: {}",
            run.err
        );
        assert!(run.err.contains(word), "{args:?}: {}", run.err);
    }
}
