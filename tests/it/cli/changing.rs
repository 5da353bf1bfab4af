//! Other views of the tree: steps that `tree`, `hotspots` and `export` take. Expected numbers are worked out by hand.

use super::{dotspot, fails, fine, words};
use std::fs;

/// 100 in all: 50 end in Check, 60 go through Load, 40 through Sell.
const STACKS: &str = "Main;Shop.Sell;Shop.Check 30\nMain;Shop.Sell 10\nMain;Shop.Load;Shop.Check 20\nWorker;Shop.Load 40\n";

/// What a command says of [`STACKS`]. The last arguments stand behind the file.
#[track_caller]
fn check(command: &str, arguments: &[&str], expect: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.txt");
    fs::write(&file, STACKS).unwrap();
    let out = fine(&[&[command, file.to_str().unwrap()], arguments].concat());
    assert_eq!(out.lines().collect::<Vec<_>>(), expect, "{arguments:?}");
}

#[test]
fn trees_say_what_of_the_total_they_show() {
    check(
        "tree",
        &["--drop", "Check", "--min-percent", "0"],
        &[
            "All stacks: samples 50",
            "without Shop.Check: 50 of 100 left, 50 (50.0 %) saved",
            "incl      %  excl  method",
            "  50  100.0     0  All stacks",
            "  40   80.0     0    Worker",
            "  40   80.0    40      Shop.Load",
            "  10   20.0     0    Main",
            "  10   20.0    10      Shop.Sell",
            "   0    0.0     0      Shop.Load",
        ],
    );
    // the order of named options is not that of the command line: hidden frames are still looked at by --focus
    check(
        "tree",
        &["--hide", "Load", "--focus", "Load"],
        &[
            "All stacks: samples 60",
            "focus /Load/, hide /Load/: 60 of 100 (60.0 %)",
            "incl      %  excl  method",
            "  60  100.0     0  All stacks",
            "  40   66.7    40    Worker",
            "  20   33.3     0    Main",
            "  20   33.3    20      Shop.Check",
        ],
    );
    // that of --step is
    check(
        "tree",
        &[
            "--step",
            "hide:Load",
            "--step",
            "ignore:Load",
            "--min-percent",
            "50",
        ],
        &[
            "All stacks: samples 100",
            "hide /Load/, ignore /Load/",
            "incl      %  excl  method",
            " 100  100.0     0  All stacks",
            "  60   60.0     0    Main",
            "(4 more nodes: see --min-percent and --depth)",
        ],
    );
}

#[test]
fn hotspots_are_those_of_the_part() {
    check(
        "hotspots",
        &["--ignore", "Sell"],
        &[
            "All stacks: samples 60, by exclusive value",
            "ignore /Sell/: 60 of 100 left, 40 (40.0 %) saved",
            "excl     %  incl      %  method",
            "  40  66.7    60  100.0  Shop.Load",
            "  20  33.3    20   33.3  Shop.Check",
            "   0   0.0    40   66.7  Worker",
            "   0   0.0    20   33.3  Main",
        ],
    );
}

#[test]
fn the_tree_is_turned_over_last() {
    // 40 of Load below Worker and 20 of Check below Load are left
    check(
        "tree",
        &["--step", "inverted", "--step", "drop:Sell"],
        &[
            "All stacks, inverted: samples 60",
            "without Shop.Sell: 60 of 100 left, 40 (40.0 %) saved",
            "excl      %  method",
            "  60  100.0  All stacks",
            "  40   66.7    Shop.Load",
            "  40   66.7      Worker",
            "  20   33.3    Shop.Check",
            "  20   33.3      Shop.Load …",
            "(… has more callers: see --depth)",
        ],
    );
}

#[test]
fn what_is_shown_is_exported_and_told_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.txt");
    fs::write(&file, STACKS).unwrap();
    let file = file.to_str().unwrap();
    let exported = dotspot(&["export", file, "--drop", "Sell", "--to", "collapsed"]);
    assert_eq!(
        (exported.code, exported.out.as_str()),
        (0, "Worker;Shop.Load 40\nMain;Shop.Load;Shop.Check 20\n")
    );
    let exported = dotspot(&words(&format!(
        "export {file} --step inverted --drop Sell --to collapsed"
    )));
    assert_eq!(
        (exported.code, exported.out.as_str()),
        (0, "Shop.Load;Worker 40\nShop.Check;Shop.Load;Main 20\n")
    );
    for command in ["tree", "hotspots"] {
        let told = |arguments: &[&str]| -> serde_json::Value {
            serde_json::from_str(&fine(&[&[command, file, "--json"], arguments].concat())).unwrap()
        };
        let part = told(&["--step", "drop:Sell"]);
        assert_eq!(
            (&part["steps"][0], &part["of_total"]),
            (&"without Shop.Sell".into(), &100.into()),
            "{command}"
        );
        assert_eq!(part["total"], 60, "{command}");
        assert_eq!(told(&[]).get("steps"), None, "{command}");
    }
}

#[test]
fn steps_that_mean_nothing_are_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.txt");
    fs::write(&file, STACKS).unwrap();
    for (arguments, sentence) in [
        (["--focus", "("], "--focus (: unclosed group"),
        (
            ["--step", "inverted:2"],
            "--step inverted:2: inverted takes no value",
        ),
        (
            ["--drop", "Shop.Cell"],
            "--drop Shop.Cell: this profile has no such method; the nearest are Shop.Sell",
        ),
        (
            ["--fold", "all"],
            "--fold all: expected one of plumbing, system, none",
        ),
        (["--step", "hide"], "--step hide: expected WORD:VALUE"),
        (
            ["--drop-node", "n99"],
            "--drop-node n99: this profile has no such node",
        ),
    ] {
        fails(
            &[&["tree", file.to_str().unwrap()], &arguments[..]].concat(),
            2,
            &[sentence],
        );
    }
}

#[test]
fn patterns_without_capitals_fit_both_cases_and_a_focus_on_nothing_is_refused() {
    check(
        "tree",
        &["--focus", "sell", "--depth", "0"],
        &[
            "All stacks: samples 40",
            "focus /sell/: 40 of 100 (40.0 %)",
            "incl      %  excl  method",
            "  40  100.0     0  All stacks",
            "(3 more nodes: see --min-percent and --depth)",
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.txt");
    fs::write(&file, STACKS).unwrap();
    let file = file.to_str().unwrap();
    fails(
        &["tree", file, "--focus", "SELL"],
        2,
        &["dotspot: --focus SELL: no method matches"],
    );
}
