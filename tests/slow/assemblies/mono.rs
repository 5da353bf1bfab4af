//! The real helper, built by dotspot with Mono's real compiler on stand-ins for dotTrace's libraries.

use super::machine::{Machine, Run};
use crate::common::dottrace::{ALL, Mono, Script, lay_out, mono};
use crate::common::json::each;
use crate::common::text::{assert_contains, assert_contains_all};
use serde_json::{Value, json};
use std::fs;

/// A machine with Mono and a complete install, `rider`; `None` where Mono isn't installed.
fn machine() -> Option<(Machine, &'static Mono)> {
    let mono = mono()?;
    let machine = Machine::bare();
    machine.link_mono();
    lay_out(
        &mono.libraries(),
        &machine.path("rider"),
        &[("lib/ReSharperHost", ALL)],
    );
    Some((machine, mono))
}

const INSTALL: &[&str] = &["--dottrace-dir", "rider"];

/// With 2,000 ticks per second, so half of each number is its milliseconds.
fn orders() -> Script {
    Script::new(2000)
        .thread("Main", [2001, 1, 1])
        .method(2, [2000, 500, 2], "Acme.Orders.Book", "Match")
        .method(3, [1100, 700, 40], "Acme.Orders.Price", "Of")
        .method(4, [400, 400, 3], "Acme.Orders.Book", "Match")
        .special(3, [400, 400, 1], "[Waiting]")
        .thread("Worker", [9, 0, 1])
        .method(2, [9, 9, 9], "Acme.Orders.Price", "Of")
}

#[track_caller]
fn run_ok(machine: &Machine, line: &str) -> String {
    let args: Vec<&str> = line.split(' ').collect();
    let run = machine.dotspot(&[&args[..], INSTALL].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.out
}

#[test]
fn a_snapshot_becomes_a_profile_with_exact_numbers() {
    let (machine, _) = present!(machine());
    orders().save(machine.folder.path(), "snap.dtp");
    let tree = "tree snap.dtp --decoder assemblies --min-percent 0 --json";
    let first = run_ok(&machine, tree);
    let document: Value = serde_json::from_str(&first).unwrap();
    let members = ["depth", "name", "inclusive", "exclusive", "counts"];
    let row = |row: &Value| Value::from(members.map(|member| row[member].clone()).to_vec());
    // calculated by hand: half the ticks; the root is the sum of the threads, 2,010 ticks
    let expect = json!([
        [0, "All threads", 1005.0, 0.0, 0],
        [1, "Main", 1000.5, 0.5, 1],
        [2, "Acme.Orders.Book.Match", 1000.0, 250.0, 2],
        [3, "Acme.Orders.Price.Of", 550.0, 350.0, 40],
        [4, "Acme.Orders.Book.Match", 200.0, 200.0, 3],
        [3, "[Waiting]", 200.0, 200.0, 1],
        [1, "Worker", 4.5, 0.0, 1],
        [2, "Acme.Orders.Price.Of", 4.5, 4.5, 9],
    ]);
    assert_eq!(each(&document["rows"]).map(row).collect::<Value>(), expect);
    // from the cache, without the install; recursion counts once: 1,000 ms, not 1,200
    fs::rename(machine.path("rider"), machine.path("gone")).unwrap();
    let hotspots = run_ok(
        &machine,
        "hotspots snap.dtp --decoder assemblies --by inclusive",
    );
    let book = hotspots.lines().find(|line| line.contains("Book.Match"));
    assert_contains_all(book.unwrap(), &["1,000.0", "450.0"]);
    assert_eq!(run_ok(&machine, tree), first);
    machine.assert_fails(&["--no-cache", INSTALL[0], INSTALL[1]], 12, &[]);
}

#[test]
fn helper_failures_are_reported() {
    let (machine, _) = present!(machine());
    #[track_caller]
    fn check(machine: &Machine, event: &str, args: &[&str], code: i32, words: &[&str]) {
        let script = orders().at("GetChildren", 3, event, "the cause");
        script.save(machine.folder.path(), "snap.dtp");
        machine.assert_fails(&[INSTALL, args].concat(), code, words);
        assert!(machine.trees().is_empty());
    }
    check(&machine, "throw", &[], 17, &["stage walk", "the cause"]);
    let words = ["stage launch", "killed by signal 9"];
    check(&machine, "kill", &[], 14, &words);
    let words = ["stage launch", "took longer than 2 s"];
    check(&machine, "hang", &["--decoder-timeout", "2"], 14, &words);
    let libraries = machine.path("rider/lib/ReSharperHost");
    fs::remove_file(libraries.join("JetBrains.Profiler.Windows.dll")).unwrap();
    let words = ["stage bind", "JetBrains.Profiler.Windows"];
    check(&machine, "throw", &[], 15, &words);
    fs::remove_dir_all(libraries).unwrap();
    check(&machine, "throw", &[], 12, &["stage decoder", "rider"]);
    machine.assert_fails(
        &[],
        12,
        &[" was found in 5 places; install Rider or dotTrace"],
    );
    let places = [
        "/opt/jetbrains/*",
        "/usr/share/jetbrains/*",
        ".local/share/JetBrains/Toolbox/apps",
    ];
    machine.assert_fails(&["--verbose"], 12, &places);
    fs::remove_file(machine.path("snap.dtp.0000")).unwrap();
    machine.assert_fails(&[], 10, &["stage input", "snap.dtp.0000"]);
}

/// Doctor understands the real helper's report.
#[test]
fn doctor_finds_the_install() {
    let (machine, _) = present!(machine());
    let rider = machine.path("rider").display().to_string();
    for (folder, words) in [
        ("rider", format!("2024.3.5.1: {rider}")),
        ("home", "not available".into()),
    ] {
        let mut command = machine.command(&["doctor"]);
        command.env("JETBRAINS_PROFILER_PATH", machine.path(folder));
        let run = Run::from(command.output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (0, ""));
        assert_contains(
            run.out.split_whitespace().collect::<Vec<_>>().join(" "),
            words,
        );
    }
}
