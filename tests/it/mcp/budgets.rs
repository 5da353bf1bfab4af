//! Answers stay within their token budgets, as counted by the tokenizers of two model families.

use super::session::{Session, initialize};
use super::{SAMPLE, snapshots, text_of};
use crate::common::shared;
use crate::tokens::real_tokens;
use serde_json::{Value, json};

/// Real files in the shared data: at least one of each format, including ones with long names and deep trees.
const FILES: &[&str] = &[
    "net10/cpubound.nettrace",
    "net10/cpubound.speedscope.json",
    "net10/deepstacks-mutual.nettrace",
    "nettrace/deep31.nettrace",
    "nettrace/v6-onecollect.nettrace",
    "dtp/Issue254.dtp",
    "dtp/profile.dtp",
    "collapsed/perf-vertx-stacks-01-collapsed-all.txt",
    "perf-script/dotnet31.perf-script.txt.gz",
    "perfview-xml/perf.strace.perfview.xml",
    "speedscope/0.6.0/two-sampled.speedscope.json",
    "trace-event/multi-thread-with-samples.json",
];

/// The tools that list something, with arguments that make their answers long.
fn questions(method: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("open_profile", json!({})),
        ("info", json!({})),
        ("hotspots", json!({})),
        (
            "hotspots",
            json!({"by": "inclusive", "group": "type", "steps": ["fold-recursion:all"]}),
        ),
        ("methods", json!({"sort": "name"})),
        ("tree", json!({"min_percent": 0})),
        ("tree", json!({"inverted": true, "depth": 5})),
        (
            "callers",
            json!({"method": method, "depth": 30, "min_percent": 0}),
        ),
        ("callees", json!({"method": method, "min_percent": 0})),
        ("search", json!({"text": "e"})),
        ("report", json!({})),
        ("report", json!({"method": method})),
    ]
}

/// The last word of the last row: a method, by the name shown in answers.
fn first_method(answer: &str) -> String {
    let row = answer
        .lines()
        .skip_while(|line| !line.starts_with("excl% excl"))
        .nth(1)
        .unwrap_or("");
    // columns are shares, values and counts, then the node, then the name
    let numbers = row
        .split(' ')
        .take_while(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .count();
    row.splitn(numbers + 2, ' ')
        .last()
        .unwrap_or("")
        .to_string()
}

#[test]
fn answers_stay_within_their_budgets() {
    let folder = crate::common::shared_folder();
    let min_answers = if folder.is_some() { 130 } else { 90 };
    let own = format!("{}/tests/data", env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![own, snapshots()];
    folders.extend(folder.map(|folder| folder.to_str().unwrap().to_string()));
    let mut session = Session::ready(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    let files = FILES
        .iter()
        .filter(|path| shared(path).is_some())
        .copied()
        .chain([SAMPLE, "js-ordered-consume.dtp"]);
    let mut id = 0;
    let (mut fullest, mut answers) = (0.0_f64, 0);
    for file in files {
        let (hotspots, _) = text_of(&session.call(0, "hotspots", json!({"profile": file})));
        let method = first_method(&hotspots);
        for (tool, arguments) in questions(&method) {
            // each question gets one of the four budgets; over all files each is asked with every budget
            id += 1;
            let budget = [200, 500, 2_000, 8_000][(id as usize + id as usize / 12) % 4];
            let mut arguments = arguments.clone();
            (arguments["profile"], arguments["budget"]) = (file.into(), budget.into());
            let (text, is_error) = text_of(&session.call(id, tool, arguments.clone()));
            if tool == "search" && text.ends_with("no method matches") {
                continue;
            }
            if is_error && (tool == "report" && budget <= 500 || budget == 200) {
                assert!(text.contains("needs at least"), "{file}: {text}");
                continue;
            }
            assert!(!is_error, "{file} {tool} {method}: {text}");
            let found = real_tokens(&text);
            assert!(
                found <= budget,
                "{file} {tool}: {found} tokens, and {budget} is the budget:\n{text}"
            );
            // these list everything; others stop at a share or a number of rows
            let lists_all = tool == "methods" || arguments["min_percent"] == 0;
            if text.contains("left out: ") && budget >= 500 && lists_all {
                assert!(
                    found * 10 >= budget * 6,
                    "{file} {tool}: {found} of {budget} tokens:\n{text}"
                );
            }
            fullest = fullest.max(found as f64 / budget as f64);
            answers += 1;
        }
    }
    assert!(
        answers >= min_answers && fullest > 0.8,
        "{answers} answers, the fullest has {fullest}"
    );
}

#[test]
fn the_smallest_answer_has_a_method() {
    let mut session = Session::ready(&[&snapshots()]);
    for (id, budget) in (1..).zip([200, 300, 500, 800]) {
        let arguments = json!({"profile": SAMPLE, "budget": budget});
        let (text, _) = text_of(&session.call(id, "open_profile", arguments));
        assert!(text.contains(" PriceRules.Discount\n"), "{budget}: {text}");
    }
}

#[test]
fn comparisons_stay_within_their_budgets() {
    let mut session = Session::ready(&[&snapshots()]);
    for (id, budget) in (1..).zip([200, 500, 2_000, 8_000]) {
        let arguments = json!({"profile": SAMPLE, "before": "two-threads.pb", "budget": budget});
        let (text, is_error) = text_of(&session.call(id, "compare", arguments));
        assert!(
            !is_error || budget <= 500 && text.contains("needs at least"),
            "{text}"
        );
        assert!(
            real_tokens(&text) <= budget,
            "{} tokens, and {budget} is the budget:\n{text}",
            real_tokens(&text)
        );
    }
    let (text, is_error) = text_of(&session.call(9, "compare", json!({"profile": SAMPLE})));
    assert!(
        is_error && text.contains("before: this argument is required"),
        "{text}"
    );
}

#[test]
fn tool_descriptions_are_short() {
    let mut session = Session::ready(&[&snapshots()]);
    let listed = session.ask(1, "tools/list", json!({}))["result"].to_string();
    let mut other = Session::start(&[&snapshots()]);
    other.send(&initialize(2, "2025-06-18"));
    let instructions = other.next()["result"]["instructions"].to_string();
    let found = real_tokens(&listed) + real_tokens(&instructions);
    assert!(found < 2_500, "{found} tokens: {listed}");
}
