//! Options: each has an effect in every command that takes it, or is refused.

use super::{Run, dotspot, finish, refused};
use std::collections::BTreeSet;
use std::fs;

const COMMANDS: [&str; 19] = [
    "info", "hotspots", "methods", "tree", "callers", "callees", "compare", "report", "notes",
    "export", "convert", "cache", "doctor", "mcp", "record", "ps", "formats", "keys", "waits",
];
/// Input with threads, processes, times, two metrics, recursion and user code.
const STACKS: &str = "\
one 1/1 [000] 1.000000: 1000 cycles:
\t1 System.Text.Json.Read()+0x1 (a)
\t1 Acme.Shop.Sell()+0x1 (a)
\t1 Acme.Shop.Sell()+0x1 (a)
\t1 Main()+0x1 (a)

one 1/2 [000] 2.000000: 2000 cycles:
\t1 Acme.Shop.Load()+0x1 (a)
\t1 System.Text.Json.Read()+0x1 (a)
\t1 Main()+0x1 (a)

two 3/3 [000] 3.000000: 4000 faults:
\t1 Acme.Shop.Load()+0x1 (a)
\t1 Main()+0x1 (a)

one 1/1 [000] 4.000000: 8000 cycles:
\t1 Acme.Shop.Check()+0x1 (a)
\t1 Acme.Shop.Sell()+0x1 (a)
\t1 Main()+0x1 (a)

one 1/2 [000] 5.000000: 100 cycles:
\t1 System.Text.Json.Read()+0x1 (a)
\t1 Acme.Shop.Sell()+0x1 (a)
\t1 Acme.Shop.Pay()+0x1 (a)
\t1 Main()+0x1 (a)

one 1/2 [000] 6.000000: 100 cycles:
\t1 System.Text.Json.Read()+0x1 (a)
\t1 Acme.Shop.Sell()+0x1 (a)
\t1 Acme.Shop.Scan()+0x1 (a)
\t1 Main()+0x1 (a)

";

/// Each option with a value and the other options that it requires.
const OPTIONS: &[(&str, &[&str], &[&str])] = &[
    ("all-occurrences", &[], &["--node", "n3"]),
    ("budget", &["150"], &[]),
    ("by", &["inclusive"], &[]),
    ("callers", &["Shop.Load"], &["--tree"]),
    ("decoder", &["native"], &[]),
    ("decoder-timeout", &["5"], &[]),
    ("depth", &["1"], &[]),
    ("dottrace-dir", &["."], &[]),
    ("drop", &["Shop.Load"], &[]),
    ("drop-node", &["n2"], &[]),
    ("filter", &["Load"], &[]),
    ("focus", &["Shop.Sell"], &[]),
    ("fold", &["system"], &[]),
    ("fold-recursion", &["all"], &[]),
    ("force", &[], &[]),
    ("format", &["collapsed"], &[]),
    ("from", &["1.5s"], &[]),
    ("group", &["type"], &[]),
    ("heaviest-occurrence", &[], &["--method", "Shop.Load"]),
    ("hide", &["Shop.Sell"], &[]),
    ("ignore", &["Shop.Load"], &[]),
    ("inverted", &[], &[]),
    ("join-gap", &["5"], &[]),
    ("json", &[], &[]),
    ("limit", &["1"], &[]),
    ("member", &["a"], &[]),
    ("merge-threads", &[], &[]),
    ("method", &["Shop.Load"], &[]),
    ("metric", &["faults"], &[]),
    ("min-percent", &["80"], &[]),
    ("node", &["n2"], &[]),
    ("only-user-code", &[], &["--by", "exclusive"]),
    ("per", &["samples"], &[]),
    ("process", &["3"], &[]),
    ("question", &["why?"], &[]),
    ("raw-names", &[], &[]),
    ("rename", &["Shop=Store"], &[]),
    ("repair", &[], &[]),
    ("reporter", &["."], &[]),
    ("show-from", &["Shop.Sell"], &[]),
    ("sort", &["name"], &[]),
    ("step", &["drop:Shop.Load"], &[]),
    ("thread", &["2"], &[]),
    ("to", &["json"], &[]),
    ("top", &["1"], &[]),
    ("tree", &[], &[]),
    ("truncation", &[], &[]),
    ("under", &["Shop.Load"], &[]),
    ("until", &["1.5s"], &[]),
    ("user", &[], &[]),
];

/// Options that need not change the output for [`STACKS`], and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("ascii", "draws text that has more than ASCII"),
    ("after", "names files"),
    ("against", "names a file"),
    ("before", "names files"),
    ("even-by-chance", "changes the exit code"),
    ("fail-if", "changes the exit code"),
    ("help", "is tested elsewhere"),
    ("no-cache", "the output is the same"),
    ("no-repair", "no stack here is truncated"),
    ("no-waiting", "nothing here waits"),
    ("not-user-code", "defines user code for all commands"),
    ("output", "names a file"),
    ("remove", "there is no note"),
    ("stdout", "is the default without -o"),
    ("unit", "no metric here is a time"),
    ("user-code", "defines user code for all commands"),
    ("verbose", "adds details about errors"),
    ("version", "is tested elsewhere"),
    ("waiting", "nothing here waits"),
];

/// The options of a command, from its long help.
fn options_of(command: &str) -> BTreeSet<String> {
    let help = dotspot(&[command, "--help"]).out;
    let option = |line: &str| {
        let line = line.strip_prefix("  ")?.trim_start();
        let rest = line
            .strip_prefix("--")
            .or_else(|| line.split_once(", --").map(|(_, rest)| rest))?;
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-');
        line.starts_with('-')
            .then(|| rest[..end.unwrap_or(rest.len())].to_string())
    };
    help.lines().filter_map(option).collect()
}

#[test]
fn each_option_has_an_effect_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [file, after] = ["a.perf", "b.perf"].map(|name| folder.path().join(name));
    fs::write(&file, STACKS).unwrap();
    fs::write(
        &after,
        STACKS
            .replace(" 8000 ", " 9000 ")
            .replace(" 1000 ", " 1500 "),
    )
    .unwrap();
    let [file, after] = [&file, &after].map(|path| path.to_str().unwrap());
    assert_eq!(dotspot(&["notes", file, "Shop.Sell", "slow"]).code, 0);
    let mut unused: Vec<String> = Vec::new();
    for command in &COMMANDS[..11] {
        let positional = match *command {
            "callers" => vec![file, "Json.Read"],
            "callees" => vec![file, "Main"],
            "compare" => vec![file, after],
            _ => vec![file],
        };
        let run = |more: &[&[&str]]| -> Run {
            dotspot(&[&[*command][..], &positional[..], &more.concat()].concat())
        };
        let plain = run(&[]);
        assert_eq!(plain.code, 0, "{command}: {}", plain.err);
        for option in options_of(command) {
            if ELSEWHERE.iter().any(|(name, _)| *name == option) {
                continue;
            }
            let (_, value, with) = OPTIONS
                .iter()
                .find(|(name, ..)| *name == option)
                .unwrap_or_else(|| panic!("--{option} of {command} is in no table of this test"));
            // only some commands require another option with this one
            let more = (!with.is_empty()).then(|| run(&[with]));
            let (with, before): (&[&str], &Run) = match &more {
                Some(more) if more.code == 0 => (with, more),
                _ => (&[], &plain),
            };
            let name = format!("--{option}");
            let with_it = run(&[with, &[&name], value]);
            let is_used = with_it.out != before.out || with_it.code != 0;
            if !is_used {
                unused.push(format!("{command} {name} {value:?}"));
            }
        }
    }
    assert!(unused.is_empty(), "{unused:#?}");
}

/// Options without an effect in combination with others.
#[test]
fn options_without_effect_are_refused() {
    refused(
        "
        hotspots SAMPLE --threads 11054 | 2 | '--thread'
        hotspots SAMPLE --fold system | 2 | --fold:  | `tree`
        callers SAMPLE Thread.Sleep --step inverted | 2 | --step inverted:  | `tree`
        hotspots SAMPLE --step fold:system | 2 | --step fold: 
        report SAMPLE --step inverted | 2 | --step inverted: 
        report SAMPLE --unit ms | 2 | --unit: 
        hotspots SAMPLE --user-code | 2 | --user-code <PREFIX>
        tree SAMPLE --only-user-code | 2 | --only-user-code:  | `hotspots`
        hotspots SAMPLE --json --unit ms | 2 | --json | --unit
        tree SAMPLE --json --raw-names | 2 | --json | --raw-names
        info SAMPLE --truncation --unit ms | 2 | --truncation | --unit
        notes SAMPLE --merge-threads | 2 | --merge-threads: 
        convert SAMPLE --force | 2 | --output
        report SAMPLE --force | 2 | --output
        notes SAMPLE Thread.Sleep note --json | 2 | --json
        info SAMPLE --decoder reporter | 2 | --decoder:  | dotTrace
        info SAMPLE --decoder-timeout 5 | 2 | --decoder-timeout:  | dotTrace
        info snapshots/js-ordered-consume.dtp --decoder native --reporter a | 2 | --reporter:  | native
        compare SAMPLE snapshots/js-ordered-consume.dtp --merge-threads | 2 | --merge-threads: 
        snapshots/js-ordered-consume.dtp --against SAMPLE --merge-threads | 2 | --merge-threads: 
        compare SAMPLE snapshots/js-ordered-consume.dtp --json --unit s | 2 | --unit
        compare SAMPLE snapshots/js-ordered-consume.dtp --tree --to markdown | 2 | --tree
        compare SAMPLE snapshots/js-ordered-consume.dtp --tree --by calls | 2 | --tree | --by
        compare SAMPLE snapshots/js-ordered-consume.dtp --tree --budget 900 | 2 | --budget
        compare SAMPLE snapshots/js-ordered-consume.dtp --fold system | 2 | --fold | --tree
        compare SAMPLE snapshots/js-ordered-consume.dtp --step inverted | 2 | --tree --inverted",
    );
}

#[test]
fn no_tip_suggests_overwriting() {
    for typo in ["--forc", "--forse"] {
        let run = super::dotspot(&["convert", super::SAMPLE, typo]);
        assert_eq!(run.code, 2);
        assert!(
            run.err.contains(typo) && !run.err.contains("--force'"),
            "{}",
            run.err
        );
    }
}

#[test]
fn short_help_fits_on_a_screen_and_starts_with_the_command() {
    let of_commands = COMMANDS.map(|command| vec![command, "-h"]);
    for command in of_commands.into_iter().chain([vec!["-h"]]) {
        let help = super::command(&command).env("COLUMNS", "80").output();
        let help = finish(help.unwrap()).out;
        let lines: Vec<&str> = help.lines().collect();
        assert!(
            lines.len() <= 40,
            "{command:?}: {} lines\n{help}",
            lines.len()
        );
        assert!(
            lines[1].is_empty() && lines[2].starts_with("Usage:"),
            "{help}"
        );
    }
    let headings = |help: &str| -> Vec<String> {
        let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
        help.lines().filter(is_heading).map(String::from).collect()
    };
    assert_eq!(
        headings(&dotspot(&["hotspots", "--help"]).out),
        [
            "Arguments:",
            "Options:",
            "Another view of the tree:",
            "Threads and time:",
            "Reading the profile:",
            "dotTrace snapshots:"
        ]
    );
}
