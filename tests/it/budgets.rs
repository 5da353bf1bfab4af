//! `--budget`: output fits the given number of tokens, shows the heaviest rows, and reports how many rows are left out.

use crate::common::json::{each, json, near, number, row, sum, text};
use crate::common::run::{dotspot, refused, words};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks, assert_starts_with};
use crate::tokens::real_tokens;
use serde_json::Value;

/// Runs a command with a budget and returns its output. Asserts that the output does not exceed the budget.
#[track_caller]
fn within(line: &str, budget: usize) -> String {
    let run = dotspot(&words(&format!("{line} --budget {budget}")));
    assert_eq!(run.code, 0, "{line}: {}", run.err);
    let tokens = real_tokens(&run.out);
    assert!(tokens <= budget, "{line}: {tokens} of {budget}");
    run.out
}

/// Like [`within`], but with `--json`.
#[track_caller]
fn document_within(line: &str, budget: usize) -> Value {
    let text = within(&format!("{line} --json"), budget);
    assert_eq!(text.lines().count(), 1, "{line}");
    serde_json::from_str(&text).unwrap()
}

const COMMANDS: [&str; 7] = [
    "info SAMPLE",
    "hotspots SAMPLE",
    "methods SAMPLE",
    "tree SAMPLE",
    "tree SAMPLE --inverted",
    "callers SAMPLE Thread.PollGC.PollGCWorker",
    "callees SAMPLE OrderPipeline.HandleAsync",
];

#[test]
fn answers_fit_their_budgets() {
    for command in COMMANDS {
        for budget in [900, 6_000] {
            let answer = within(command, budget);
            // a cut answer uses most of its budget; a large budget may have room for every row worth showing
            let is_cut = answer.contains("a larger --budget shows more")
                || answer.contains("that don't fit the budget");
            let used = real_tokens(&answer) * 100 / budget;
            assert!(used >= 60 || !is_cut, "{command}: {used} % of {budget}");
            let may_fit = budget > 900 || command.starts_with("info");
            assert!(is_cut || may_fit, "{command} at {budget}: everything fits");
        }
        // JSON needs more tokens for the same content
        let document = document_within(command, 6_000);
        assert_starts_with(text(&document["schema"]), "dotspot.");
    }
}

#[test]
fn the_heaviest_rows_are_shown_and_the_rest_are_counted() {
    let all = json("hotspots SAMPLE --top 0");
    let some = document_within("hotspots SAMPLE", 4_000);
    let (all, rows) = (each(&all["rows"]), each(&some["rows"]));
    let (count, shown) = (all.clone().count(), rows.clone().count());
    assert!(shown > 5 && rows.zip(all).all(|(row, first)| row == first));
    assert_eq!(some["left_out"], count - shown);
    // a tree shows the callers of every shown row, and no row lighter than one that was left out
    let all = json("tree SAMPLE --min-percent 0");
    let some = document_within("tree SAMPLE", 6_000);
    let shown = each(&some["rows"]);
    let inclusive = |row: &Value| number(&row["inclusive"]);
    let min = shown.clone().map(inclusive).fold(f64::MAX, f64::min);
    let is_hidden = |row: &&Value| shown.clone().all(|other| other["node"] != row["node"]);
    let hidden: Vec<&Value> = each(&all["rows"]).filter(is_hidden).collect();
    assert!(hidden.iter().all(|row| inclusive(row) <= min), "{min}");
    assert_eq!(some["left_out"], hidden.len());
    let depths: Vec<f64> = shown.clone().map(|row| number(&row["depth"])).collect();
    let mut pairs = depths.windows(2);
    assert!(pairs.all(|pair| pair[1] <= pair[0] + 1.0), "{depths:?}");
}

/// Callers that are left out become one row, so the rows still add up to the total.
#[test]
fn callers_that_do_not_fit_are_summed_in_one_row() {
    let line = "callers SAMPLE Thread.PollGC.PollGCWorker";
    let (some, all) = (document_within(line, 3_000), json(line));
    assert_eq!(row(&some["rows"], "kind", "rest")["kind"], "rest");
    let direct = |rows| each(rows).filter(|row| row["depth"] == 1);
    let total = &some["rows"][0]["inclusive"];
    near(total, sum(direct(&some["rows"]), "inclusive"));
    let [shown, all] = [&some, &all].map(|document| sum(direct(&document["rows"]), "rows"));
    assert_eq!(shown, all);
}

/// A trace of several processes and threads. The last thread of the last process has the most time.
fn trace_of_threads(processes: u64, threads: u64) -> tempfile::NamedTempFile {
    let rows = (1..=processes)
        .flat_map(|process| (1..=threads).map(move |thread| (process, 1000 * process + thread)));
    let event = |(process, thread)| {
        format!(
            r#"{{"ph":"X","pid":{process},"tid":{thread},"ts":0,"dur":{thread}000,"name":"App.Work"}}"#
        )
    };
    let events: Vec<String> = rows.map(event).collect();
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let file = tempfile::Builder::new().suffix(".trace.json").tempfile();
    let file = file.unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn without_a_budget_all_processes_and_threads_are_listed() {
    let file = trace_of_threads(3, 2);
    let line = format!("info {}", file.path().display());
    let printed = dotspot(&words(&line)).out;
    for process in 1..=3 {
        assert_contains(&printed, format!("Process ({process})"));
        for thread in 1..=2 {
            assert_contains(&printed, format!("Thread ({})", process * 1000 + thread));
        }
    }
    // the number of omitted threads is exact
    let printed = within(&line, 180);
    let more = 6 - printed.matches("Thread (").count();
    assert_contains(
        printed,
        format!("({more} more threads: a larger --budget shows more)"),
    );
}

#[test]
fn the_heaviest_threads_are_listed() {
    let file = trace_of_threads(1, 300);
    let path = file.path().display();
    let document = document_within(&format!("info {path}"), 900);
    let threads = each(&document["threads"]);
    let ids: Vec<&str> = threads.map(|row| text(&row["id"])).collect();
    assert!(ids.contains(&"1300") && !ids.contains(&"1001"), "{ids:?}");
    assert_eq!(document["threads_left_out"], 300 - ids.len());
    for relation in ["callers", "callees"] {
        let line = format!("{relation} {path} App.Work");
        let printed = within(&line, 600);
        let more = "more threads: a larger --budget shows more";
        assert_contains_all(&printed, &["Thread (1300)", more]);
        assert_lacks(&printed, "Thread (1001)");
        assert!(printed.matches("Thread (").count() > 5, "{printed}");
        let document = document_within(&line, 900);
        let threads = each(&document["threads"]).count();
        assert_eq!(document["threads_left_out"], 300 - threads);
    }
}

#[test]
fn a_budget_that_is_too_small_is_refused_with_the_minimum() {
    for command in COMMANDS {
        refused(&format!(
            "{command} --budget 10 | 2 | --budget 10 is too small: this answer needs at least "
        ));
    }
}
