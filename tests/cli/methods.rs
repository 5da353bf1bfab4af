//! Methods as one thing: `callers` and `callees`. Expected numbers are worked out by hand from [`RECURSION`].

use super::{POLLS, SAMPLE, cautioned, close, dotspot, fails, fine};
use std::fs;

/// A is called by itself through B, and occurs three times: 70 in Main, of which 60 is the inner one, and 10 in Worker. Of its own it
/// has 3 and 20 in Main, 10 in Worker.
const RECURSION: &str =
    "Main;A;B;A;C 40\nMain;A;B;A 20\nMain;A;B 5\nMain;A;D 1\nMain;A;E 1\nMain;A 3\nWorker;B;C 20\nWorker;A 10\n";

/// What a command says of [`RECURSION`]. The last arguments stand behind the file.
#[track_caller]
fn check(command: &str, arguments: &[&str], expect: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recursion.txt");
    fs::write(&file, RECURSION).unwrap();
    let out = fine(&[&[command, file.to_str().unwrap()], arguments].concat());
    assert_eq!(out.lines().collect::<Vec<_>>(), expect, "{arguments:?}");
}

#[test]
fn callers_count_recursion_once() {
    check(
        "callers",
        &["A"],
        &[
            "callers of A, 3 occurrences: samples 80",
            "(recursive: 1 of the occurrences is inside another one, which counts it already)",
            "incl      %  excl  method",
            "  80  100.0    33  A",
            "  70   87.5     3    Main",
            "  10   12.5    10    Worker",
            "   0    0.0    20    B",
            "   0    0.0    20      A (recursive)",
            "   0    0.0    20        Main",
        ],
    );
    check(
        "callers",
        &["C", "--depth", "2", "--min-percent", "50"],
        &[
            "callers of C, 2 occurrences: samples 60",
            "incl      %  excl  method",
            "  60  100.0    60  C",
            "  40   66.7    40    A",
            "  40   66.7    40      B …",
            "  20   33.3    20    B",
            "  20   33.3    20      Worker",
            "(… has more callers: see --depth)",
        ],
    );
}

#[test]
fn callees_are_those_of_the_outermost_occurrences() {
    let head = "callees of A, 3 occurrences: samples 80";
    let recursive = "(recursive: 1 of the occurrences is inside another one, which counts it already)";
    let rows = [
        "incl      %  excl  method",
        "  80  100.0    13  A",
        "  65   81.2     5    B",
        "  60   75.0    20      A (recursive)",
        "  40   50.0    40        C",
        "   1    1.2     1    D",
        "   1    1.2     1    E",
    ];
    check("callees", &["A"], &[&[head, recursive], &rows[..]].concat());
    let cut = ["  65   81.2     5    B …", rows[5], rows[6], "(… has more callees: see --depth)"];
    check("callees", &["A", "--depth", "1"], &[&[head, recursive], &rows[..2], &cut].concat());
    // the two small callees of A are two levels below Main
    check(
        "callees",
        &["Main", "--depth", "2", "--min-percent", "10"],
        &[
            "callees of Main, 1 occurrence: samples 70",
            "incl      %  excl  method",
            "  70  100.0     0  Main",
            "  70  100.0     3    A",
            "  65   92.9     5      B …",
            "   2    2.9     2      [2 more callees]",
            "(… has more callees: see --depth)",
            "([] are sums of rows with less than 10 %: see --min-percent)",
        ],
    );
}

#[test]
fn threads_have_their_shares() {
    let out = cautioned(&["callers", SAMPLE, "PriceRules.Discount", "--depth", "1"], POLLS);
    let lines: Vec<&str> = out.lines().collect();
    // expected/views/orderedconsume.json
    let head = "callers of PriceRules.Discount, 37 occurrences: CPU 1,618.9 ms";
    assert_eq!(
        (lines[0], lines[2], lines[3]),
        (
            head,
            "1,618.9  100.0  1,617.2    1,260  PriceRules.Discount",
            "1,618.9  100.0  1,617.2    1,260    PriceRules.Evaluate …"
        )
    );
    let threads = lines.iter().skip_while(|line| !line.is_empty()).skip(1).map(|line| line.split_once("  ").unwrap());
    assert!(threads.clone().next().unwrap().1.ends_with("thread"), "{out}");
    assert_eq!(threads.clone().count(), 4, "{out}");
    assert!(out.contains("Thread (11054)"), "{out}");
}

#[test]
fn documents_have_rows_with_depths() {
    for (command, schema) in [("callers", "dotspot.callers/1"), ("callees", "dotspot.callees/1")] {
        let json = fine(&[command, SAMPLE, "PriceRules.Evaluate", "--json", "--depth", "1"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((json["schema"].as_str(), json["occurrences"].as_u64()), (Some(schema), Some(37)));
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows[0]["display"], "PriceRules.Evaluate");
        let is_immediate = |row: &&serde_json::Value| row["depth"] == 1;
        let sum: f64 = rows.iter().filter(is_immediate).map(|row| row["inclusive"].as_f64().unwrap()).sum();
        let own = if command == "callees" { rows[0]["exclusive"].as_f64().unwrap() } else { 0.0 };
        assert!(close(sum + own, json["total"].as_f64().unwrap()), "{command}: {sum}");
        let shares = json["threads"].as_array().unwrap().iter().map(|thread| thread["percent"].as_f64().unwrap());
        assert!(close(shares.sum(), 100.0));
    }
}

#[test]
fn a_method_has_to_be_there() {
    for command in ["callers", "callees"] {
        fails(&[command, SAMPLE, "PriceRules.Discuont"], 2, &["METHOD PriceRules.Discuont", "PriceRules.Discount"]);
        fails(&[command, SAMPLE, "Discount", "--metric", "heat"], 2, &["--metric heat", "CPU, wall"]);
        let elsewhere = [command, SAMPLE, "PriceRules.Discount", "--thread", "11036"];
        fails(&elsewhere, 2, &["METHOD PriceRules.Discount", "does not occur in this part"]);
        assert_eq!(dotspot(&[command, SAMPLE]).code, 2, "which method?");
    }
}
