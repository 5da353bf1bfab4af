//! `--budget`: what the commands print fits in so many tokens, shows the heaviest rows, and says how many are left out.

use crate::common::run::{SAMPLE, command};
use crate::common::text::{has, lacks};
use crate::tokens::real_tokens;
use serde_json::Value;
use std::process::Output;

fn dotspot(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// What a command prints within a budget, which is used and not overrun.
#[track_caller]
fn within(args: &[&str], budget: usize) -> String {
    let words = budget.to_string();
    let output = dotspot(&[args, &["--budget", &words][..]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}{text}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tokens = real_tokens(&text);
    assert!(tokens <= budget, "{args:?}: {tokens} of {budget}");
    text
}

const COMMANDS: [&[&str]; 7] = [
    &["info", SAMPLE],
    &["hotspots", SAMPLE],
    &["methods", SAMPLE],
    &["tree", SAMPLE],
    &["tree", SAMPLE, "--inverted"],
    &["callers", SAMPLE, "Thread.PollGC.PollGCWorker"],
    &["callees", SAMPLE, "OrderPipeline.HandleAsync"],
];

#[test]
fn answers_fit_their_budgets() {
    for command in COMMANDS {
        for budget in [900, 6_000] {
            let text = within(command, budget);
            // an answer that had to be cut uses most of what it may have; a large budget may have room for all that is worth a row
            let is_cut = text.contains("a larger --budget shows more")
                || text.contains("for which the budget has no room");
            let used = real_tokens(&text) * 100 / budget;
            assert!(
                used >= 60 || !is_cut,
                "{command:?}: {used} % of {budget}\n{text}"
            );
            assert!(
                is_cut || budget > 900 || command[0] == "info",
                "{command:?} at {budget}: all fits\n{text}"
            );
        }
        // JSON says the same in more tokens
        let text = within(&[command, &["--json"][..]].concat(), 6_000);
        let document: Value = serde_json::from_str(&text).unwrap();
        assert!(
            document["schema"].as_str().unwrap().starts_with("dotspot."),
            "{command:?}"
        );
        assert_eq!(text.lines().count(), 1, "{command:?}");
    }
}

#[test]
fn the_heaviest_rows_are_there_and_the_others_are_counted() {
    let all: Value =
        serde_json::from_slice(&dotspot(&["hotspots", SAMPLE, "--top", "0", "--json"]).stdout)
            .unwrap();
    let all = all["rows"].as_array().unwrap();
    let some: Value =
        serde_json::from_str(&within(&["hotspots", SAMPLE, "--json"], 4_000)).unwrap();
    let rows = some["rows"].as_array().unwrap();
    assert!(
        rows.len() > 5 && rows[..] == all[..rows.len()],
        "the first {} of {}",
        rows.len(),
        all.len()
    );
    assert_eq!(some["left_out"], (all.len() - rows.len()) as u64);
    // a tree has the rows above those that are shown, and no row that is lighter than one that is left out
    let tree = |min: &str| -> Value {
        serde_json::from_slice(&dotspot(&["tree", SAMPLE, "--min-percent", min, "--json"]).stdout)
            .unwrap()
    };
    let (all, some) = (
        tree("0"),
        serde_json::from_str::<Value>(&within(&["tree", SAMPLE, "--json"], 6_000)).unwrap(),
    );
    let inclusive = |row: &Value| row["inclusive"].as_f64().unwrap();
    let shown: Vec<&Value> = some["rows"].as_array().unwrap().iter().collect();
    let least = shown
        .iter()
        .map(|row| inclusive(row))
        .fold(f64::MAX, f64::min);
    let all = all["rows"].as_array().unwrap();
    let hidden = all
        .iter()
        .filter(|row| !shown.iter().any(|other| other["node"] == row["node"]));
    assert!(hidden.clone().all(|row| inclusive(row) <= least), "{least}");
    assert_eq!(some["left_out"], hidden.count() as u64);
    let depths: Vec<u64> = shown
        .iter()
        .map(|row| row["depth"].as_u64().unwrap())
        .collect();
    assert!(
        depths.windows(2).all(|pair| pair[1] <= pair[0] + 1),
        "{depths:?}"
    );
}

/// What is left out next to a row is one sum: with the rows, it is what there was.
#[test]
fn callers_that_have_no_room_are_summed_up() {
    let method = "Thread.PollGC.PollGCWorker";
    let some: Value =
        serde_json::from_str(&within(&["callers", SAMPLE, method, "--json"], 3_000)).unwrap();
    let rows = some["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["kind"] == "rest"), "{rows:?}");
    let whole = rows[0]["inclusive"].as_f64().unwrap();
    let callers = rows.iter().filter(|row| row["depth"] == 1);
    let sum: f64 = callers
        .clone()
        .map(|row| row["inclusive"].as_f64().unwrap())
        .sum();
    assert!((sum - whole).abs() < 0.001, "{sum} of {whole}");
    let all: Value =
        serde_json::from_slice(&dotspot(&["callers", SAMPLE, method, "--json"]).stdout).unwrap();
    let count = |rows: &Value| -> u64 {
        let direct = rows
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["depth"] == 1);
        direct.map(|row| row["rows"].as_u64().unwrap()).sum()
    };
    assert_eq!(count(&some["rows"]), count(&all["rows"]));
}

/// A trace of processes with threads, of which the last of the last process has most.
fn of_many_threads(processes: u64, threads: u64) -> tempfile::NamedTempFile {
    let rows = (1..=processes)
        .flat_map(|process| (1..=threads).map(move |thread| (process, 1000 * process + thread)));
    let event = |(process, thread)| {
        format!(
            r#"{{"ph":"X","pid":{process},"tid":{thread},"ts":0,"dur":{thread}000,"name":"App.Work"}}"#
        )
    };
    let events: Vec<String> = rows.map(event).collect();
    let file = tempfile::Builder::new()
        .suffix(".trace.json")
        .tempfile()
        .unwrap();
    std::fs::write(
        file.path(),
        format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")),
    )
    .unwrap();
    file
}

#[test]
fn processes_and_threads_are_all_told_without_a_budget() {
    let file = of_many_threads(3, 2);
    let text = String::from_utf8(dotspot(&["info", file.path().to_str().unwrap()]).stdout).unwrap();
    for process in 1..=3 {
        assert!(text.contains(&format!("Process ({process})")), "{text}");
        assert!(
            (1..=2).all(|thread| text.contains(&format!("Thread ({})", process * 1000 + thread))),
            "{text}"
        );
    }
    // nor are fewer told to be left out than are
    let text = within(&["info", file.path().to_str().unwrap()], 180);
    let shown = text
        .lines()
        .filter(|line| line.contains("Thread ("))
        .count();
    assert!(
        shown < 6
            && text.contains(&format!(
                "({} more threads: a larger --budget shows more)",
                6 - shown
            )),
        "{text}"
    );
}

#[test]
fn the_heaviest_threads_are_told() {
    let file = of_many_threads(1, 300);
    let path = file.path().to_str().unwrap();
    let document: Value = serde_json::from_str(&within(&["info", path, "--json"], 900)).unwrap();
    let ids: Vec<&str> = document["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"1300") && !ids.contains(&"1001"), "{ids:?}");
    assert_eq!(
        ids.len() as u64 + document["threads_left_out"].as_u64().unwrap(),
        300
    );
    for relation in ["callers", "callees"] {
        let text = within(&[relation, path, "App.Work"], 600);
        has(&text, "Thread (1300)");
        lacks(&text, "Thread (1001)");
        let shown = text
            .lines()
            .filter(|line| line.contains("Thread ("))
            .count();
        assert!(
            shown > 5 && text.contains("more threads: a larger --budget shows more"),
            "{text}"
        );
        let document: Value =
            serde_json::from_str(&within(&[relation, path, "App.Work", "--json"], 900)).unwrap();
        let threads = document["threads"].as_array().unwrap().len() as u64;
        assert_eq!(
            threads + document["threads_left_out"].as_u64().unwrap(),
            300
        );
    }
}

#[test]
fn too_small_a_budget_is_refused_with_the_smallest() {
    for command in COMMANDS {
        let output = dotspot(&[command, &["--budget", "10"][..]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("--budget 10 is too small: this answer needs at least ")
                && output.stdout.is_empty(),
            "{said}"
        );
    }
}
