//! Reports: their contents for real profiles, that shown and omitted values add up, and that they stay within their budgets.

use crate::common::json::{each, number};
use crate::common::profiles;
use crate::common::schema;
use crate::common::shared;
use crate::common::text::{assert_contains, assert_lacks, assert_starts_with};
use crate::tokens::real_tokens;
use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::model::{NodeId, View};
use dotspot::testing::query::{
    PartRequest, Report, ReportForm, ReportRequest, ReportSubject, report,
};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

fn request(form: ReportForm, budget: usize) -> ReportRequest<'static> {
    ReportRequest {
        file: "trace.nettrace",
        part: PartRequest {
            within: NodeId::ROOT,
            ..PartRequest::default()
        },
        about: ReportSubject::Everything,
        budget,
        spent: 0,
        form,
        question: None,
        has_raw_names: false,
    }
}

fn markdown(view: &View, budget: usize) -> String {
    report(view, &request(ReportForm::Markdown, budget))
        .unwrap()
        .text
}

fn document(view: &View, budget: usize) -> Value {
    let Report { text, .. } = report(view, &request(ReportForm::Json, budget)).unwrap();
    schema::check(&text, "a report").1
}

fn read(path: &Path) -> View {
    open(
        &Target::new(Some(path)),
        &OpenOptions::default(),
        Default::default(),
    )
    .unwrap()
}

/// The recording with its original stacks, as other readers see it.
fn unrepaired(path: &Path) -> View {
    read(path).original()
}

/// A row of the Markdown tree, with numbers in percent.
#[derive(Clone, Debug)]
enum Row {
    /// The inclusive values of the first and last calls, and the exclusive value of the last.
    Calls {
        depth: usize,
        first: f64,
        last: f64,
        own: f64,
    },
    LeftOut {
        depth: usize,
        sum: f64,
    },
}

/// The lines of the block below a heading that starts with this text, without column headers.
fn block<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let Some(start) = text.find(&format!("\n## {heading}")) else {
        return Vec::new();
    };
    let block = text[start..].split("```").nth(1).unwrap();
    block.lines().skip(2).collect()
}

fn tree(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let mut words = line.split(' ');
        let depth = words.next().unwrap().parse().unwrap();
        match words.next().unwrap() {
            "…" => Row::LeftOut {
                depth,
                sum: sum_left_out(line),
            },
            inclusive => {
                let (first, last) = inclusive.split_once('→').unwrap_or((inclusive, inclusive));
                let [first, last, own] =
                    [first, last, words.next().unwrap()].map(|number| number.parse().unwrap());
                Row::Calls {
                    depth,
                    first,
                    last,
                    own,
                }
            }
        }
    };
    block(text, "Call tree").into_iter().map(row).collect()
}

/// The omitted sum in `… 3 more: 1.2 in total, largest 0.6`, `… 1 more: 0.3` or `… 0.1 not listed`.
fn sum_left_out(line: &str) -> f64 {
    let words: Vec<&str> = line[line.find('…').unwrap()..]
        .split(' ')
        .map(|word| word.trim_end_matches(','))
        .collect();
    let at = if words.get(2) == Some(&"more:") { 3 } else { 1 };
    words[at].parse().unwrap()
}

/// Asserts that shown and omitted values of each row of the tree add up to its value, and those of each list to 100%. Numbers
/// are rounded to a tenth, and less than half of that may be missing.
#[track_caller]
fn assert_values_add_up(text: &str) {
    const ROUNDING: f64 = 0.0501;
    let rows = tree(text);
    for (at, row) in rows.iter().enumerate() {
        let Row::Calls {
            depth, last, own, ..
        } = *row
        else {
            continue;
        };
        let (mut sum, mut numbers) = (own, 3.0);
        let below = rows[at + 1..].iter().take_while(|row| match row {
            Row::Calls { depth: other, .. } | Row::LeftOut { depth: other, .. } => *other > depth,
        });
        for row in below {
            match *row {
                Row::Calls {
                    depth: other,
                    first,
                    ..
                } if other == depth + 1 => sum += first,
                Row::LeftOut {
                    depth: other,
                    sum: more,
                } if other == depth + 1 => sum += more,
                _ => continue,
            }
            numbers += 1.0;
        }
        assert!(
            (sum - last).abs() <= ROUNDING * numbers,
            "row {at}: {sum} of {last} in\n{text}"
        );
    }
    for (list, column) in [("User code", 0), ("All code", 1)] {
        let lines = block(text, list);
        let value = |line: &&str| match line.split(' ').nth(
            if line.ends_with("user code") || line.ends_with("outside methods") {
                0
            } else {
                column
            },
        ) {
            Some("…") => sum_left_out(line),
            _ if line.starts_with('…') => sum_left_out(line),
            word => word.unwrap().parse().unwrap(),
        };
        let sum: f64 = lines.iter().map(value).sum();
        let rounding = ROUNDING * (lines.len() + 2) as f64;
        assert!(
            lines.is_empty() || (sum - 100.0).abs() <= rounding,
            "{list}: {sum} % in\n{text}"
        );
    }
}

/// Real profiles of several formats, small and large.
const REAL: [&str; 8] = [
    "net10/orderedconsume.nettrace",
    "net10/cpubound.speedscope.json",
    "net10/deepstacks-cycle.nettrace",
    "nettrace/norundown31.nettrace",
    "dtp/Issue254.dtp",
    "dtp/profile_multi.dtp",
    "collapsed/recursion.txt",
    "perf-script/dotnet31.perf-script.txt.gz",
];

const ESCAPE: char = '\u{1b}';

/// The largest single omission in a document, in percent of the total.
fn largest_omission(document: &Value) -> f64 {
    let total = document["total"].as_f64().unwrap();
    let rows = document["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["left_out"]);
    let largest = rows
        .filter_map(|left_out| left_out["largest"].as_f64())
        .fold(0.0, f64::max);
    if total > 0.0 {
        largest / total * 100.0
    } else {
        0.0
    }
}

#[test]
fn the_budget_is_used_and_never_overrun() {
    for path in REAL.iter().filter_map(|path| shared(path)) {
        let view = read(&path);
        for budget in [300, 1_000, 8_000] {
            for form in [ReportForm::Markdown, ReportForm::Json] {
                let what = format!("{} {form:?} {budget}", path.display());
                let Report { text, tokens, .. } = report(&view, &request(form, budget))
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let real = real_tokens(&text);
                assert!(real <= budget && tokens <= budget, "{what}: {real}");
                let ratio = tokens as f64 / real as f64;
                assert!(
                    (1.0..=1.2).contains(&ratio),
                    "{what}: estimated {tokens}, actual {real}"
                );
                if form == ReportForm::Markdown {
                    assert_values_add_up(&text);
                } else if budget >= 500 && tokens * 100 < budget * 90 {
                    let left_out = largest_omission(&schema::check(&text, "a report").1);
                    assert!(
                        left_out <= 0.5,
                        "{what}: {real} tokens ({tokens} by estimate), and {left_out:.1}% could have been shown"
                    );
                }
            }
        }
    }
}

#[test]
fn too_small_a_budget_is_refused_with_the_minimum() {
    let view = crate::common::sample();
    let error = report(&view, &request(ReportForm::Markdown, 100)).unwrap_err();
    assert!(!error.is_too_large);
    assert_starts_with(
        error.to_string(),
        "--budget 100 is too small: this report needs at least ",
    );
}

/// TraceEvent's values for a recording.
#[derive(Deserialize)]
struct Recorded {
    methods: Vec<Method>,
}

#[derive(Deserialize)]
struct Method {
    name: String,
    cpu_exclusive_ms: f64,
}

/// A row of the list of user code in Markdown: its own and system value in milliseconds.
fn own_and_system_ms(text: &str, list: &str, method: &str) -> Option<f64> {
    let rows = block(text, list);
    let row = rows
        .iter()
        // rows of user code contain their location
        .find(|row| {
            row.split(" [")
                .next()
                .unwrap_or(row)
                .ends_with(&format!(" {method}"))
        })?;
    row.split(' ').nth(3)?.replace(',', "").parse().ok()
}

/// In 1,000 tokens, the user methods with the most CPU time in TraceEvent's lists are reported with their times, and their callers
/// match the sources in `net10/src`.
#[test]
fn the_hottest_user_methods_and_their_callers_fit_a_thousand_tokens() {
    #[track_caller]
    fn check(file: &str, user: &[&str], methods: &[&str], callers: &[&str]) {
        let path = present!(shared(&format!("net10/{file}.nettrace")));
        let expected = std::fs::read(shared(&format!("expected/te/{file}.json")).unwrap()).unwrap();
        let mut expected: Recorded = serde_json::from_slice(&expected).unwrap();
        expected
            .methods
            .retain(|method| user.iter().any(|module| method.name.starts_with(module)));
        expected
            .methods
            .sort_by(|a, b| b.cpu_exclusive_ms.total_cmp(&a.cpu_exclusive_ms));
        let view = unrepaired(&path);
        let (text, document) = (markdown(&view, 1_000), document(&view, 1_000));
        for (expected, method) in expected.methods.iter().zip(methods) {
            assert_contains(&expected.name, method);
            let is_reported = own_and_system_ms(&text, "User code", method).is_some();
            assert!(is_reported, "{method} in\n{text}");
            let place = |row: &&Value| {
                document["methods"][row["method"].as_u64().unwrap() as usize]["name"] == *method
            };
            let row = each(&document["user_code"]["rows"]).find(place).unwrap();
            let found = number(&row["exclusive"]);
            let tolerance = expected.cpu_exclusive_ms / 1000.0;
            assert!(
                (found - expected.cpu_exclusive_ms).abs() <= tolerance,
                "{method}: {found}"
            );
        }
        for caller in callers {
            assert!(text.contains(caller), "{caller} in\n{text}");
        }
    }
    let mine = ["OrderedConsume!", "Acme.Streaming!"];
    // no other user method has as much as two exclusive samples
    check(
        "orderedconsume",
        &mine,
        &["PriceRules.Discount"],
        &["`PriceRules.Discount` ← `PriceRules.Evaluate`"],
    );
    check(
        "orderedconsume-regressed",
        &mine,
        &["PriceRules.Discount"],
        &["`PriceRules.Discount` ← `PriceRules.Evaluate`"],
    );
    let hot = ["Hot.Sixty", "Hot.Thirty", "Hot.Ten"];
    check(
        "cpubound",
        &["CpuBound!"],
        &hot,
        &hot.map(|method| format!("`{method}` ← `Hot.Pick`"))
            .each_ref()
            .map(String::as_str),
    );
    let spin = ["Burn.Spin", "Walker.Add"];
    let spins = ["`Burn.Spin` ← `Walker.Leaf`", "`Walker.Visit`"];
    check("deepstacks-mutual", &["DeepStacks!"], &spin, &spins);
    check(
        "deepstacks-cycle",
        &["DeepStacks!"],
        &spin,
        &["`Burn.Spin` ← `Walker.Visit`"],
    );
}

/// 60.7%, 28.9% and 10.4% of their sum, by TraceEvent's CPU time.
#[test]
fn shares_equal_the_known_ones() {
    let path = present!(shared("net10/cpubound.nettrace"));
    let text = markdown(&unrepaired(&path), 1_000);
    let own = ["Hot.Sixty", "Hot.Thirty", "Hot.Ten"]
        .map(|name| own_and_system_ms(&text, "User code", name).unwrap());
    let sum: f64 = own.iter().sum();
    let shares = own.map(|own| format!("{:.1}", own / sum * 100.0));
    assert_eq!(shares, ["60.7", "28.9", "10.4"]);
}

/// Complete documents: changes are to be read line by line.
#[test]
fn reports_match_golden_documents() {
    let sample = crate::common::sample();
    insta::assert_snapshot!("markdown", markdown(&sample, 1_200));
    let request = request(ReportForm::Markdown, 700);
    let part = ReportRequest {
        about: ReportSubject::Method("OrderPipeline.HandleAsync"),
        question: Some("find-bottleneck"),
        ..request
    };
    insta::assert_snapshot!("markdown_of_a_method", report(&sample, &part).unwrap().text);
    let smallest = ReportRequest {
        budget: 300,
        file: "my trace.nettrace",
        ..request
    };
    insta::assert_snapshot!(
        "markdown_smallest",
        report(&sample, &smallest).unwrap().text
    );
    let pretty = serde_json::to_string_pretty(&document(&sample, 450)).unwrap();
    insta::assert_snapshot!("json", pretty);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let path = present!(shared("net10/orderedconsume.nettrace"));
    let [first, second] = [(); 2].map(|()| markdown(&read(&path), 2_000));
    assert_eq!(first, second);
}

/// A profile of weighted stacks, all of them below one method.
fn profile(stacks: &[(Vec<String>, u64)]) -> View {
    let lines = stacks
        .iter()
        .map(|(stack, weight)| format!("Acme.Main;{} {weight}\n", stack.join(";")));
    let text: String = lines.collect();
    profiles::read_bytes("a.folded", text.into_bytes()).unwrap()
}

fn names(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        3 => "Acme\\.Shop\\.[A-E]",
        1 => "System\\.Text\\.[A-C]",
        1 => Just("System.Threading.ExecutionContext.Run".to_string()),
        1 => Just("Acme.…more: 3.1 \u{1b}[31m".to_string()),
    ];
    proptest::collection::vec(name, length)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shown_and_omitted_values_add_up_to_the_total(
        stacks in proptest::collection::vec((names(1..9), 1u64..100), 1..40),
        budget in 300usize..1_200,
    ) {
        let view = profile(&stacks);
        let text = markdown(&view, budget);
        prop_assert!(!text.contains(ESCAPE), "an escape sequence");
        assert_values_add_up(&text);
        let document = document(&view, budget.max(500));
        prop_assert_eq!(document["total"].as_f64().unwrap() as u64, stacks.iter().map(|(_, weight)| weight).sum::<u64>());
    }

    /// By hand: a node's inclusive value is the sum of the weights at and below it.
    #[test]
    fn no_row_is_shown_while_a_heavier_one_is_omitted(
        ways in proptest::collection::vec(0usize..100, 2..14),
        weights in proptest::collection::vec(1u64..60, 14),
        budget in 300usize..420,
    ) {
        // a tree of methods with exclusive values, so that no two are merged into one row; node 0 is the root above them
        let above: Vec<usize> = ways.iter().enumerate().map(|(at, way)| way % (at + 1)).collect();
        let name = |node: usize| format!("Acme.Shop.M{}", (b'a' + node as u8) as char);
        let stack = |node: usize| {
            let mut stack = vec![name(node)];
            let mut at = above[node];
            while at > 0 {
                stack.push(name(at - 1));
                at = above[at - 1];
            }
            stack.reverse();
            stack
        };
        let stacks: Vec<(Vec<String>, u64)> = (0..above.len()).map(|node| (stack(node), weights[node])).collect();
        let document = document(&profile(&stacks), budget);
        let rows: Vec<&Value> = document["tree"].as_array().unwrap().iter().filter(|row| row["calls"].is_array()).collect();
        let inclusive = |node: usize| {
            let is_below = |mut other: usize| loop {
                match other {
                    _ if other == node => return true,
                    0 => return false,
                    _ => match above[other - 1] {
                        0 => return false,
                        caller => other = caller,
                    },
                }
            };
            (1..=above.len()).filter(|&other| is_below(other)).map(|other| weights[other - 1]).sum::<u64>()
        };
        let names: Vec<String> = rows.iter().flat_map(|row| row["calls"].as_array().unwrap()).filter_map(|call| call.as_u64()).map(|method| document["methods"][method as usize]["name"].as_str().unwrap().to_string()).collect();
        let (shown, hidden): (Vec<usize>, Vec<usize>) = (1..=above.len()).partition(|&node| names.iter().any(|shown| shown.ends_with(&name(node - 1)[10..])));
        let min_shown = shown.into_iter().map(inclusive).min().unwrap_or(u64::MAX);
        let max_hidden = hidden.into_iter().map(inclusive).max().unwrap_or(0);
        prop_assert!(max_hidden <= min_shown, "{max_hidden} is left out, {min_shown} is shown: {names:?}");
    }
}

/// The report on a shared file in 2,000 tokens.
fn report_of(file: &str) -> Option<String> {
    Some(markdown(&read(&shared(file)?), 2_000))
}

#[test]
fn maximum_savings_are_quantified() {
    let text = present!(report_of("net10/cpubound.nettrace"));
    // 7,176.1 / 12,019.7
    assert_contains(
        &text,
        "If `Hot.Sixty` and all it calls were free, 7,176.1 ms of 12,019.7 ms (59.7 %) would be saved",
    );
    // 68.829 - 7.964 - 37.225: all waits but those of this row and outside user code; spins come first
    assert_contains(
        markdown(&crate::common::sample(), 1_200),
        "- … 3 more: 23.640 s, `dotspot waits FILE`",
    );
}

/// If user code takes little itself, that is said first, with a hint where to look: the tree has these values.
#[test]
fn cheap_user_code_is_not_suggested_for_optimization() {
    let text = present!(report_of("nettrace/HeartRateMonitor.10068.nettrace.zip"));
    assert_contains(
        &text,
        "Only 2.1 % is exclusive to user code: there is little to gain in these methods themselves. \
         User code with most inclusive %: `Program.Main` 94.1, `Program.OnCreate` 25.2, ",
    );
    assert_lacks(
        &present!(report_of("net10/cpubound.nettrace")),
        "little to gain",
    );
}

#[test]
fn cpu_use_is_reported_or_why_it_is_unknown() {
    let check = |text: &str, line: &str| assert_contains(text, format!("\nCPU use: {line}"));
    let pprof = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/two-threads.pb");
    // 2,262.6 ms in 2.0 s
    check(
        &markdown(&read(&pprof), 2_000),
        "2.263 s in 2.000 s: 1.1 threads busy on average, the number of processors is not recorded.",
    );
    // 18.651 / (8 * 18.716)
    check(
        &present!(report_of("dtp/baseline.dtp")),
        "at most 18.651 s on 8 processors in 18.716 s: 12 %, one thread is busy all the time.",
    );
    check(
        &present!(report_of("dtp/Issue254.dtp")),
        "unknown, tracing measures elapsed time.",
    );
    check(
        &present!(report_of("nettrace/HeartRateMonitor.10068.nettrace.zip")),
        "unknown, the recorded CPU time is unreliable.",
    );
    check(
        &present!(report_of("chrome/hello.cjs.cpuprofile")),
        "unknown, time is not known to be time on processors.",
    );
}

/// 1.2877 ms of 2.0 s: `expected/markers.json`.
#[test]
fn pauses_are_a_share_of_the_recorded_time() {
    assert_contains(
        &present!(report_of("nettrace/short31.nettrace")),
        "2 GC pauses, 1.3 ms in total (0.1 % of the 2.000 s recorded), longest ",
    );
}

/// The header defines 100%: of which time, how much of it is waits, of which whole. The sums equal those of `info`.
#[test]
fn headers_define_the_total() {
    let ask = |args: &[&str]| crate::common::run::dotspot(args).out;
    let dtp = present!(shared("dtp/baseline.dtp")).display().to_string();
    assert_contains(
        ask(&["report", &dtp, "--waiting", "--budget", "400"]),
        "100 % = 51,301.7 ms time of all threads = 5,209 samples, weighted by time; 32,650.5 ms of it is waiting.",
    );
    assert_contains(
        ask(&["report", &dtp, "--thread", "2", "--budget", "600"]),
        " = 36.5 % of 51,301.7 ms in total; 18,714.4 ms of it is waiting.",
    );
    assert_contains(
        ask(&["hotspots", &dtp, "--waiting"]),
        "All threads: time 51.302 s, 32.650 s of it waiting, by exclusive value",
    );
    let sample = format!(
        "{}/snapshots/js-ordered-consume.nettrace",
        env!("CARGO_MANIFEST_DIR")
    );
    // 1,420.268 of 5,208.643
    assert_contains(
        ask(&[
            "report", &sample, "--from", "2s", "--until", "4.5s", "--budget", "700",
        ]),
        "100 % = 1,420.3 ms CPU of all threads, 2.000 s to 4.500 s of 8.127 s = ",
    );
}
