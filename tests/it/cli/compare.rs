//! `dotspot compare`: options, output and exit codes. `tests/it/compare` tests the comparison itself.

use super::{Run, cautioned, dotspot, fails, fine, refused, words};
use crate::common::json::{each, number, row};
use crate::common::report_writer::{full_name, report_of};
use crate::common::shared;
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_lacks, assert_starts_with,
};
use crate::tokens::real_tokens;
use dotspot::testing::model::profile_of;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Stacks with sample counts, before and after a change.
const BEFORE: &str = "main;Shop.Price 400\nmain;Shop.Tax 100\nmain;Shop.Log 60\n";
const AFTER: &str = "main;Shop.Price 600\nmain;Shop.Tax 110\nmain;Shop.Audit 40\n";

/// Two files with collapsed stacks, before and after a change.
struct Sides {
    _folder: tempfile::TempDir,
    before: String,
    after: String,
}

impl Sides {
    fn new(before: &str, after: &str) -> Sides {
        let folder = tempfile::tempdir().unwrap();
        Sides {
            before: write(folder.path(), "a.folded", before),
            after: write(folder.path(), "b.folded", after),
            _folder: folder,
        }
    }

    fn run(&self, options: &str) -> Run {
        let files = ["compare", &self.before, &self.after];
        dotspot(&[&files, &words(options)[..]].concat())
    }

    /// The output of a run that succeeds and writes nothing to standard error.
    #[track_caller]
    fn text(&self, options: &str) -> String {
        let run = self.run(options);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{options}");
        run.out
    }

    #[track_caller]
    fn json(&self, options: &str) -> Value {
        serde_json::from_str(&self.text(&format!("{options} --json"))).unwrap()
    }
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

/// A traced profile with one method, its exclusive time in ms and its calls.
fn traced(own_ms: f64, calls: u64) -> String {
    format!(
        r#"{{"snapshot":{{"payload_type":"tracing","time_unit":"ms"}},"call_tree":{{"name":"all","kind":"root","inclusive_time":{own_ms},"exclusive_time":0,
        "children":[{{"name":"T","kind":"thread","inclusive_time":{own_ms},"exclusive_time":0,"call_count":0,"children":[
        {{"name":"Acme!Shop.Price()","inclusive_time":{own_ms},"exclusive_time":{own_ms},"call_count":{calls},"children":[]}}]}}]}}}}"#
    )
}

#[test]
fn slower_and_faster_methods_are_listed_separately() {
    let sides = Sides::new(BEFORE, AFTER);
    let text = sides.text("");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "samples 560 before, 750 after: +190, ×1.34");
    // 200 / √1000 is 6.3 standard errors, 40 / √40 is 6.3, 60 / √60 is 7.7; 10 / √210 is 0.7
    assert_eq!(lines[1], "a → b");
    assert_eq!(
        lines[2],
        "assuming the same work on both sides; --per method:NAME scales to an unchanged method"
    );
    assert_eq!(
        lines[3],
        "4 methods changed in exclusive value (1 new, 1 gone): 3 (●) significantly, with at most a 5 % chance that any ● is wrong; 1 (~) may be chance. 95 % intervals are from numbers of samples of these recordings; other runs may differ by more."
    );
    // 1.96 · √1000 is 62, 1.96 · √40 is 12, 1.96 · √60 is 15; the ratio's interval is (240,000 ∓ 30,305) / 158,463
    assert_eq!(
        lines[5..9],
        [
            "   before  after  delta  95 %  ratio       95 %                     node  excl: slower method",
            "●     400    600   +200   ±62  ×1.50  1.32–1.71          │████████    n2  Shop.Price",
            "●       0     40    +40   ±12    new                     │██          n4  Shop.Audit",
            "~     100    110    +10        ×1.10                     │▌           n3  Shop.Tax",
        ]
    );
    assert_eq!(
        lines[10..12],
        [
            "   before  after  delta  95 %  ratio                          node  excl: faster method",
            "●      60      0    -60   ±15   gone       ▐██│          n4 before  Shop.Log",
        ]
    );
    assert_contains(&text, "\nNew, with what they call (●): Shop.Audit 40\n");
    assert_contains(&text, "\nGone, with what they called (●): Shop.Log 60\n");
    assert_eq!(fine(&["diff", &sides.before, &sides.after]), text);
    let same = fine(&["compare", &sides.before, &sides.before]);
    let nothing = "\nNo differences: 4 methods with the same values on both sides.\n";
    assert_ends_with(&same, nothing);
    let top = sides.text("--top 1");
    let more = "(3 more methods, 2 of them ●, -10 in total: --top 0 lists all)";
    assert_contains(&top, more);
    assert_lacks(&top, "Shop.Tax");
}

/// The last cells (name and remarks) of all rows with this mark.
fn rows_of<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let rows = text.lines().filter(|line| line.starts_with(mark));
    let name = |line: &'a str| {
        let words = line.split("  ").filter(|words| !words.is_empty());
        words.last().unwrap_or_default()
    };
    rows.map(name).collect()
}

/// 63 samples are new. Render has only 3 exclusive ones, √3 standard errors, which may be chance; with callees it has √63.
#[test]
fn new_methods_count_with_their_callees() {
    let main = "App!App.Main 2000\n";
    let new = "App!App.Main;App!App.Render 3\n\
        App!App.Main;App!App.Render;App!App.Pad;System.Private.CoreLib!System.Text.StringBuilder.Grow() 60\n";
    let sides = Sides::new(main, &format!("{main}{new}"));
    let text = sides.text("--by exclusive");
    assert_contains(
        &text,
        "2 methods changed in exclusive value (2 new): 2 (●) significantly",
    );
    let marked = ["StringBuilder.Grow", "App.Render (with callees 63)"];
    assert_eq!(rows_of(&text, "●"), marked);
    // its callees are included
    assert_ends_with(&text, "\nNew, with what they call (●): App.Render 63\n");
    // user code is listed with the system code that it calls, of which Pad has 60
    let usual = sides.text("");
    assert_contains(
        &usual,
        "2 methods of user code changed in own + system (2 new): 2 (●)",
    );
    let marked = ["App.Pad", "App.Render (with callees 63)"];
    assert_eq!(rows_of(&usual, "●"), marked);
    assert_lacks(&usual, "outside user code");
    // JSON lists all methods by default
    let document = sides.json("");
    assert_eq!(document["order"], "exclusive");
    assert_eq!(document["noise"]["beyond"], 2);
    // including methods that changed only inclusively: Pad and Main
    assert_eq!(document["rows"].as_array().unwrap().len(), 4);
}

/// Ten methods grew within the noise and two beyond it. By default, those two and five others are listed.
#[test]
fn noise_does_not_hide_significant_changes() {
    let stacks = |factor: u32, more: u32| {
        let methods = (0..10).map(|at| format!("main;Small{at} {}\n", 100 + more * (at + 1)));
        let large = [1, 2].map(|at| format!("main;Large{at} {}\n", 1000 * factor * at));
        methods.chain(large).collect::<String>()
    };
    let sides = Sides::new(&stacks(1, 0), &stacks(3, 1));
    let text = sides.text("");
    assert_contains(&text, "12 methods changed in exclusive value: 2 (●)");
    assert_contains(&text, "10 (~) may be chance");
    assert_eq!(rows_of(&text, "●"), ["Large2", "Large1"]);
    let of_chance = ["Small9", "Small8", "Small7", "Small6", "Small5"];
    assert_eq!(rows_of(&text, "~"), of_chance);
    // 1 + 2 + 3 + 4 + 5
    assert_contains(&text, "(5 more methods, +15 in total: --top 0 lists all)");
    let all = sides.text("--top 0");
    assert_eq!(rows_of(&all, "~").len(), 10);
    let comment = sides.text("--to md");
    assert_contains(&comment, "\n… 5 more methods, +15 in total\n");
    assert_contains(&comment, "| +4,000 ±");
}

/// Store grew by 85 inclusively, 80 of which are Price's; so did the async method that resumed it.
#[test]
fn growth_of_callers_is_attributed_to_callees() {
    let stacks = |price: u32, own: u32| {
        format!(
            "App!App.<RunAsync>d__1.MoveNext() 500\n\
             App!App.<RunAsync>d__1.MoveNext();App!App.Store;App!App.Price {price}\n\
             App!App.<RunAsync>d__1.MoveNext();App!App.Store {own}\n"
        )
    };
    let sides = Sides::new(&stacks(10, 50), &stacks(890, 55));
    let text = sides.text("--by inclusive");
    let note = "\nAn async method's caller may be what resumed it, not what awaited it.\n";
    let store = "App.Store (mostly through App.Price)\n";
    let run = "  App.RunAsync (async) (mostly through App.Price)\n";
    assert_contains_all(&text, &[note, store, run, "  App.Price\n"]);
    let comment = sides.text("--by inclusive --to md");
    assert_contains(&comment, "| `App.Store` (mostly through `App.Price`) |");
    assert_contains(&comment, "An async method's caller may be");
    assert_lacks(sides.text(""), "async method's caller");
}

/// The numbers are from `../shared/data/expected/views/compare-orderedconsume.json`: 5,208.643 ms in 4,088 samples and
/// 11,405.556 ms in
/// 7,952; Thread.PollGC has 1.115 + 560.374 ms and 1.123 + 519.287 ms.
#[test]
fn distortions_of_differences_are_explained() {
    let [before, after] = [
        "net10/orderedconsume.nettrace",
        "net10/orderedconsume-regressed.nettrace",
    ]
    .map(shared);
    let (before, after) = (present!(before), present!(after));
    let [before, after] = [&before, &after].map(|path| path.to_str().unwrap());
    let cautions = [
        "waiting takes 2.429 s before and 3.907 s after; without it 2.780 → 7.499 s (+4.719, ×2.70): --no-waiting leaves it out [waits-on-cpu]",
        "Thread.PollGC has 10.8 % of CPU before and 4.6 % after: time in short methods is charged to it, so check ratios against the program's own timings [gc-polls]",
        "a sample stands for 1.27 ms before and 1.43 ms after, on average: ratios of sample counts are lower than ratios of time",
        // 6.387 / (1.619 + 0.562), (6.387 + 0.520) / 1.619; the program's own clock says ×3.0
        "if all time in Thread.PollGC belonged to PriceRules.Discount, on one side or the other, its ratio could be ×2.93–4.27: ",
    ];
    let text = cautioned(&["compare", before, after], &cautions);
    assert_contains(&text, " (8.127 s recorded) → ");
    assert_contains(&text, " (8.130 s recorded)\n");
    // working methods come first, although waiting methods grew by more
    let marked = rows_of(&text, "●");
    assert_eq!(marked[..2], ["PriceRules.Discount", "AuditTrail.Render"]);
    assert!(marked[2].ends_with("(99 % waits and spins)"), "{text}");
    assert_eq!(rows_of(&text, "~").len(), 5);
    assert_ends_with(&text, "(●): AuditTrail.Render 0.208 s\n");
    // all counts are numbers of rows
    for by in ["exclusive", "own-system", "inclusive"] {
        let all = dotspot(&["compare", before, after, "--by", by, "--top", "0"]).out;
        let marks = ["●", "~"].map(|mark| rows_of(&all, mark).len());
        assert_contains(&all, format!("{} methods changed", marks[0] + marks[1]));
        assert_contains(&all, format!("): {} (●)", marks[0]));
        assert_contains(&all, format!("; {} (~)", marks[1]));
        let words = |word: &str| {
            let rows = all.lines().filter(|line| line.starts_with(['●', '~']));
            let is_word = |line: &&str| line.split("  ").any(|cell| cell.trim() == word);
            rows.filter(is_word).count()
        };
        assert_contains(
            &all,
            format!("({} new, {} gone)", words("new"), words("gone")),
        );
        if by == "exclusive" {
            let row = all.lines().find(|line| line.ends_with("  Enumerable.Sum"));
            assert_contains(row.unwrap(), "  +0.015            new  ");
            assert_lacks(&all, "(100 % waits)");
        }
    }
    let busy = cautioned(
        &["compare", before, after, "--no-waiting"],
        &[
            "Thread.PollGC has",
            "a sample stands for",
            "if all time in Thread.PollGC",
        ],
    );
    assert_lacks(busy, "waits and spins");
}

/// 20 samples move from system code below Store to Tax, which is user code. Nothing else below Store changes.
#[test]
fn time_moved_from_system_to_user_code_is_a_change() {
    let stacks = |system: u64, tax: u64| {
        format!(
            "App!App.Store 5\nApp!App.Store;System.Private.CoreLib!System.GC.Run() {system}\n\
             App!App.Store;App!App.Tax {tax}\n"
        )
    };
    let sides = Sides::new(&stacks(30, 10), &stacks(10, 30));
    let text = sides.text("");
    assert_contains(&text, "2 methods of user code changed in own + system");
    assert_contains_all(&text, &["  App.Store\n", "  App.Tax\n"]);
    let document = sides.json("--by own-system --only-user-code --top 0");
    let delta = |value: &Value| value["delta"].as_f64().unwrap();
    let deltas = each(&document["rows"]).map(|row| delta(&row["own_plus_system"]));
    assert_eq!(deltas.collect::<Vec<_>>(), [20.0, -20.0], "{document}");
    assert_eq!(delta(&document["total"]), 0.0);
}

/// 30 of 100 samples are user code before the change, 50 of 140 after it.
#[test]
fn a_row_outside_user_code_completes_the_total() {
    let stacks = |own: u64, library: u64| {
        format!(
            "App!App.Main {own}\nApp!App.Main;Newtonsoft.Json!Newtonsoft.Json.Read {library}\n\
             System.Private.CoreLib!System.GC.Run() 10\n"
        )
    };
    let sides = Sides::new(&stacks(30, 60), &stacks(50, 80));
    let text = sides.text("--only-user-code");
    assert_contains(text, "\noutside user code: 70 → 90 (+20, ×1.29)\n");
    let markdown = sides.text("--only-user-code --to md");
    assert_contains(&markdown, "\nOutside user code: 70 → 90 (+20, ×1.29).\n");
    let outside = &sides.json("--only-user-code")["outside_user_code"];
    assert_eq!([&outside["before"], &outside["after"]], [70, 90]);
    // inclusive values don't add up to a total
    assert_lacks(
        sides.text("--only-user-code --by inclusive"),
        "outside user code",
    );
}

#[test]
fn per_scales_to_equal_work() {
    let sides = Sides::new("main;a 100\nmain;b 300\n", "main;a 400\nmain;b 600\n");
    let own = |document: &Value, name: &str| {
        let own = &row(&document["rows"], "name", name)["exclusive"];
        (number(&own["before"]), number(&own["after"]))
    };
    assert_eq!(own(&sides.json("--top 0"), "a"), (100.0, 400.0));
    // 1,000 samples become 400
    let total = sides.json("--top 0 --per total");
    assert_eq!(own(&total, "a"), (100.0, 160.0));
    assert_eq!(own(&total, "b"), (300.0, 240.0));
    assert_eq!(total["after"][0]["factor"], 0.4);
    assert_eq!(total["per"], "equal totals");
    let method = sides.json("--top 0 --per method:b --by inclusive");
    assert_eq!(own(&method, "a"), (100.0, 200.0));
    assert!(!each(&method["rows"]).any(|row| row["name"] == "b"));
    let Sides { before, after, .. } = &sides;
    refused(&format!(
        "
        compare {before} {after} --per calls | 2 | --per calls | it has no calls
        compare {before} {after} --per day | 2 | --per day | method:NAME
        compare {before} {after} --per method:none | 2 | --per | none
        compare {before} {after} --even-by-chance | 2 | --fail-if
        compare {before} {after} --rename Acme.Old | 2 | --rename Acme.Old | OLD=NEW"
    ));
}

#[test]
fn overflowing_sums_are_reported() {
    let large = format!("a;b {0}\na;c {0}\n", u64::MAX);
    for before in [&large, "a;b 1\n"] {
        let run = Sides::new(before, &large).run("");
        assert_contains(&run.err, "larger than 2^64 - 1");
    }
}

#[test]
fn a_moved_method_keeps_its_row() {
    let sides = Sides::new("Acme.Old.Book.Match 10\n", "Acme.New.Book.Match 30\n");
    let text = sides.text("--rename Acme.Old=Acme.New");
    // 1.96 · √40
    assert_contains(&text, "10     30    +20   ±12  ×3.00");
    assert_lacks(&text, "new");
}

#[test]
fn fail_if_fails_builds_on_regressions() {
    let sides = Sides::new(BEFORE, AFTER);
    // conditions separated by `;`, exit code, words of the message
    let table = "
        own(Shop.Price) > +10% | 3 | > +10%' is met: exclusive Shop.Price went from 400 to 600 (+50.0 %)
        own(Shop.Price) > +50% | 0 | > +50%' is not met: exclusive Shop.Price went from 400 to 600 (+50.0 %)
        exclusive(Shop.Price) > +10% and > 200 | 0 |
        exclusive(Shop.Price) > +10% and > 199 | 3 | exclusive Shop.Price
        own(Shop.Tax) > +5% | 0 | which may be chance; --even-by-chance counts it
        own(main) > +5% | 0 | exclusive main went from 0 to 0 (has not changed)
        own(Shop.Audit) > +5% | 3 | exclusive Shop.Audit went from 0 to 40 (new)
        own(Shop.Log) > 0% | 0 |
        total > +30% | 3 | the total went from 560 to 750 (+33.9 %)
        any method > +60%; total > +90% | 3 | Shop.Audit
        any user method > 20 and > +45% | 3 | Shop.Price
        own(Shop.Nowhere) > 5% | 2 | Shop.Nowhere
        own(Shop.Price) < 5% | 2 | then limits joined by `and`
        total > 20ms | 2 | the limit is a time, but the values are not
        calls(Shop.Price) > 5% | 2 | calls";
    for line in table.lines().filter(|line| !line.is_empty()) {
        let [conditions, code, words] = *line.split(" |").collect::<Vec<_>>() else {
            panic!("{line}");
        };
        let conditions = conditions.trim().split("; ");
        let conditions = conditions.flat_map(|condition| ["--fail-if", condition]);
        let files = ["compare", &sides.before, &sides.after];
        let run = dotspot(&files.into_iter().chain(conditions).collect::<Vec<_>>());
        assert_eq!(run.code.to_string(), code.trim(), "{line}: {}", run.err);
        assert_contains(&run.err, words.trim());
        assert_eq!(run.out.is_empty(), run.code == 2);
    }
    // a broken recording does not pass as a fast one
    let other = Sides::new(BEFORE, "Other.Main;Other.Work 300\n");
    let fails_if = |condition| {
        dotspot(&[
            "compare",
            &other.before,
            &other.after,
            "--fail-if",
            condition,
        ])
    };
    assert_eq!(fails_if("any method > 5%").code, 2);
    assert_contains(
        &fails_if("own(Shop.Price) > 5%").err,
        "no method is in both",
    );
    let even = ["--even-by-chance", "--fail-if", "own(Shop.Tax) > +5%"];
    let files = ["compare", &sides.before, &sides.after];
    let run = dotspot(&[&files, &even[..]].concat());
    assert_eq!(run.code, 3);
    assert_contains(&run.err, "which may be chance");
}

#[test]
fn calls_are_exact_and_times_are_not_tested() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        |name: &str, own_ms: f64, calls: u64| write(folder.path(), name, &traced(own_ms, calls));
    let (before, after) = (file("a.json", 10.0, 5), file("b.json", 30.0, 6));
    let text = fine(&["compare", &before, &after, "--by", "calls"]);
    let row = "=       5      6     +1  ×1.20";
    assert_contains_all(&text, &["Calls are exact (=)", row, "  Shop.Price"]);
    let refusal = "--by samples: time has no samples on both sides";
    fails(
        &["compare", &before, &after, "--by", "samples"],
        2,
        &[refusal],
    );
    refused("compare a b c | 2 | compare needs BEFORE and AFTER; several per side: --before A B");
    refused("compare SAMPLE SAMPLE --by calls | 2 | --by calls: CPU has no calls on both sides");
    for (condition, code, words) in [
        ("own(Shop.Price) > 5%", 0, "not tested for chance"),
        ("calls(Shop.Price) > 5%", 3, ""),
    ] {
        let run = dotspot(&["compare", &before, &after, "--fail-if", condition]);
        assert_eq!(run.code, code, "{}", run.err);
        assert_contains(&run.err, words);
    }
    // four files per side make medians
    let sides = ["before", "after"].map(|side| -> Vec<String> {
        let own = |at: u32| f64::from(at) + if side == "after" { 30.0 } else { 10.0 };
        let file = |at: u32| file(&format!("{side}{at}.json"), own(at), 5);
        (0..4).map(file).collect()
    });
    let run = |files: usize| {
        let [before, after] = sides.each_ref().map(|side| side[..files].join(" "));
        fine(&words(&format!(
            "compare --before {before} --after {after}"
        )))
    };
    let four = run(4);
    // medians of 10, 11, 12, 13 and of 30 to 33
    assert_contains_all(&four, &["rank-sum test", "11.5   31.5  +20.0  ×2.74"]);
    let row = four.lines().find(|line| line.ends_with("  Shop.Price"));
    assert!(row.is_some_and(|row| row.starts_with('●')), "{four}");
    let three = run(3);
    assert_contains(&three, "not tested");
    assert_lacks(&three, "●");
}

/// Outer and Inner have medians of 5 on both sides, but most files rank higher after the change. Leaf has medians of
/// 20 and 30, which may be chance.
#[test]
fn equal_medians_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let side = |name: &str, own: [u32; 9], leaf: [u32; 9]| -> Vec<String> {
        let files = own.into_iter().zip(leaf).enumerate();
        let stacks = |(at, (own, leaf)): (usize, (u32, u32))| {
            let own = |path: &str| match own {
                0 => String::new(),
                _ => format!("{path} {own}\n"),
            };
            let [outer, inner] = ["Outer", "Outer;Inner"].map(own);
            let text = format!("{outer}{inner}Outer;Inner;Leaf {leaf}\n");
            write(folder.path(), &format!("{name}{at}.folded"), &text)
        };
        let files = files.map(stacks);
        [format!("--{name}")].into_iter().chain(files).collect()
    };
    let (few, many) = ([0, 0, 0, 0, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 9, 9, 9, 9]);
    let before = side("before", few, [20, 30, 20, 30, 20, 30, 20, 30, 20]);
    let after = side("after", many, [20, 30, 20, 30, 20, 30, 20, 30, 30]);
    let words = [&["compare".to_string()], &before[..], &after].concat();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for (by, changed) in [("exclusive", 1), ("inclusive", 3)] {
        let run = dotspot(&[&words[..], &["--by", by]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        assert_contains(&run.out, format!("{changed} method"));
        let rows = ["●", "~"].map(|mark| rows_of(&run.out, mark).len());
        assert_eq!(rows.iter().sum::<usize>(), changed, "{}", run.out);
    }
}

#[test]
fn each_side_has_its_own_read_options() {
    let text = cautioned(
        &words("compare SAMPLE SAMPLE --before-until 4s --after-from 4s"),
        &[
            "waiting takes 1,189.0 ms before and 1,240.1 ms after",
            "Thread.PollGC has 10.8 % of CPU before and 10.7 % after: time in short methods is charged to it",
            "ratios of sample counts are higher than ratios of time",
        ],
    );
    assert_starts_with(
        &text,
        "CPU 2,519.1 ms before, 2,689.5 ms after: +170.4 ms, ×1.07\n",
    );
    let one = dotspot(&words("compare SAMPLE SAMPLE --until 4s --after-until 2s"));
    assert_contains(
        &one.err,
        "4.000 s were recorded before and 2.000 s after: --per seconds",
    );
    refused(
        "
        compare SAMPLE SAMPLE --after-thread none | 2 | none
        compare SAMPLE | 2 | BEFORE and AFTER
        compare SAMPLE SAMPLE SAMPLE | 2 | 
        compare SAMPLE SAMPLE --metric heat | 2 | --metric heat",
    );
}

#[test]
fn markdown_output_suits_pull_request_comments() {
    let sides = Sides::new(BEFORE, AFTER);
    let text = sides.text("--to markdown");
    assert_starts_with(&text, "### samples: 560 → 750 (+190, ×1.34)\n");
    assert_contains_all(
        &text,
        &[
            "\n| | method (exclusive) | before | after | delta | ratio | samples | node |\n|---|---|---:|---:|---:|---:|---:|---|\n",
            "| ● | `Shop.Price` | 400 | 600 | +200 ±62 | ×1.50 (1.32–1.71) |  | n2 |\n",
            "| ● | `Shop.Log` | 60 | 0 | -60 ±15 | gone |  | n4 before |\n",
        ],
    );
    let halves = "compare SAMPLE SAMPLE --before-until 4s --after-from 4s --budget 520";
    let short = fine(&words(halves));
    assert_contains_all(
        &short,
        &[
            "### CPU: 2,519.1 → 2,689.5 ms (+170.4, ×1.07)",
            "more methods",
        ],
    );
    // without a row, it would be no comparison
    let smaller = halves.replace("520", "100");
    refused(&format!(
        "{smaller} | 2 | --budget 100 is too small: this answer needs"
    ));
    let json = fine(&words(&format!("{halves}0 --json")));
    assert_eq!(json.lines().count(), 1);
    assert_contains(&json, "dotspot.compare/1");
}

#[test]
fn the_merged_tree_locates_changes() {
    let sides = Sides::new(
        "main;a;x 100\nmain;b;x 50\nmain;c 40\n",
        "main;a;x 150\nmain;c 20\nmain;c;x 30\nmain;d 5\n",
    );
    let text = sides.text("--tree");
    // x exists on both sides, but below b and c on one side only; d is new
    let expect = "\
before  after  delta      ratio               incl  method
   190    205    +15      ×1.08          │██▌       All threads
   190    205    +15      ×1.08          │██▌         main
   100    150    +50      ×1.50          │████████      a
   100    150    +50      ×1.50          │████████        x
    50      0    -50   vanished  ████████│              b
    50      0    -50  path gone  ████████│                x
    40     50    +10      ×1.25          │██            c
     0     30    +30   new path          │█████           x
     0      5     +5        new          │█             d
";
    assert_eq!(text, expect);
    let flat = sides.text("--tree --depth 1");
    assert_ends_with(&flat, "(7 more nodes: see --min-percent and --depth)\n");
    let dropped = sides.text("--tree --drop b --min-percent 20");
    assert_lacks(&dropped, " b\n");
    assert_lacks(&dropped, " c\n");
    assert_contains(&dropped, "140    205    +65");
}

#[test]
fn report_against_lists_changes() {
    let sides = Sides::new(BEFORE, AFTER);
    let report = ["report", &sides.after, "--against", &sides.before];
    let text = fine(&[&report[..], &["--budget", "900"]].concat());
    let head = format!("## Since {}", sides.before);
    assert_contains(
        &text,
        format!("\n{head}\n\n### samples: 560 → 750 (+190, ×1.34)\n"),
    );
    let row = "| ● | `Shop.Price` | 400 | 600 | +200 ±62 | ×1.50 (1.32–1.71) |";
    assert_contains(&text, row);
    // a budget without room for a row is refused, and none is exceeded
    let smaller = "--budget 300 is too small: this report needs at least ";
    fails(&[&report[..], &["--budget", "300"]].concat(), 2, &[smaller]);
    let small = fine(&[&report[..], &["--budget", "600"]].concat());
    assert_contains(&small, "| ● | `Shop.");
    assert!(real_tokens(&small) <= 600, "{small}");
    // the differences come first, right after the heading
    let sections = text.lines().filter(|line| line.starts_with("## "));
    let sections: Vec<&str> = sections.collect();
    assert!(sections[0] == head && sections.len() > 1, "{text}");
    let words = "--against: what has changed is written as Markdown only";
    fails(&[&report[..], &["--json"]].concat(), 2, &[words]);
}

/// A slowdown that affects both sides does not distort ratios.
#[test]
fn two_debug_builds_are_compared_without_a_caution() {
    let before = present!(shared("dtp/profile.dtp"));
    let after = present!(shared("dtp/profile_multi.dtp"));
    let run = dotspot(&["compare", before.to_str().unwrap(), after.to_str().unwrap()]);
    assert_lacks(&run.err, "debug-build");
    assert_contains(
        &run.err,
        " after; without it 7.095 → 1.622 s (-5.474, ×0.23): --no-waiting leaves it out [threads-wait]",
    );
}

/// Of 100 samples each, 10 and 20 more are within √(100 + 110) and √(100 + 120) of chance.
#[test]
fn rows_that_may_be_chance_are_chosen_by_difference_whether_they_wait_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = [(100, 100), (110, 120)].map(|(work, idle)| {
        let sleep = "System.Threading.Thread.Sleep(Int32)";
        let stacks = format!("App.Main;App.Work {work}|App.Main;App.Idle;{sleep} {idle}");
        let report = report_of(&profile_of(&stacks), 3, full_name).replace("Calls=", "Samples=");
        write(folder.path(), &format!("{work}.xml"), &report)
    });
    let run = dotspot(&["compare", &before, &after, "--top", "1"]);
    assert_eq!(rows_of(&run.out, "~"), ["App.Idle (100 % waits)"]);
}
