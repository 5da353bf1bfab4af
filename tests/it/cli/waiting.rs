//! Waiting, in percentages and in the order of rows. Expected numbers are from `../shared/data/dtp/expected/Issue254.json`:
//! of 7,105.0037 ms, 3,555.1497 are exclusive time of the finalizer thread and 23.975 of the main thread.

use super::{SAMPLE, dotspot};
use crate::common::json::{each, json, near, number, row, text};
use crate::common::report_writer::{full_name, report_of};
use crate::common::shared;
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks, assert_starts_with};
use dotspot::testing::model::profile_of;

fn printed(args: &[&str]) -> String {
    let run = dotspot(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

#[test]
fn a_thread_that_only_waits_does_not_distort_percentages() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let file = path.to_str().unwrap();
    let (main, finalizer) = (
        ("Thread 1 (main)", 3547.5811),
        ("Thread 2 (finalizer)", 3557.4226),
    );
    for (flag, counts, threads) in [
        ("", false, [main, finalizer]),
        ("--waiting", true, [finalizer, main]),
    ] {
        let document = json(&format!("tree {file} --depth 1 --min-percent 0 {flag}"));
        near(&document["total"], 7105.0037);
        near(&document["waiting_total"], 3579.1247);
        assert_eq!(document["counts_waiting"], counts);
        let rows = each(&document["rows"]).skip(1);
        assert_eq!(rows.clone().count(), 2);
        for (row, (name, value)) in rows.zip(threads) {
            assert_eq!(row["name"], name);
            near(&row["inclusive"], value);
        }
    }
    // Program.Main has 3,489.7183 ms and doesn't wait: 98.97% of 3,525.879 and 49.12% of the total
    let printed = |flag| printed(&[&["tree", file, "--depth", "2"][..], flag].concat());
    let usual = printed(&[]);
    assert_starts_with(
        &usual,
        "All threads: time 3,525.9 ms, without 3,579.1 ms of waiting",
    );
    assert_contains(&usual, "3,489.7   99.0");
    assert_lacks(&usual, "finalizer");
    let counted = printed(&["--waiting"]);
    assert_starts_with(
        &counted,
        "All threads: time 7,105.0 ms, 3,579.1 ms of it waiting, inflated by tracing",
    );
    assert_contains_all(&counted, &["3,489.7   49.1", "finalizer"]);
}

#[test]
fn exclusive_time_of_threads_is_reported() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let file = path.to_str().unwrap();
    for (flags, outside) in [
        // with waiting, as all values of JSON
        ("", 3579.1247),
        ("--waiting", 3579.1247),
        // that thread contains nothing else
        ("--thread 2 --merge-threads", 3555.1497),
    ] {
        let document = json(&format!("hotspots {file} --top 1 {flags}"));
        near(&document["outside_methods"], outside);
    }
    assert_contains(
        printed(&["hotspots", file, "--waiting"]),
        "(3,579.1 ms in no method: the threads' own)",
    );
}

#[test]
fn merged_threads_still_exclude_waiting() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let tree = format!("tree {} --depth 1", path.display());
    let merged = json(&format!("{tree} --merge-threads"));
    assert_eq!(merged["counts_waiting"], false);
    near(&merged["waiting_total"], 3579.1247);
    let found = json(&format!("{tree} --thread 2 --no-waiting"));
    assert_eq!(found["counts_waiting"], false, "the flag has no effect");
}

#[test]
fn info_lists_waiting_threads() {
    let document = json("info SAMPLE");
    let waiting = |name| number(&row(&document["metrics"], "name", name)["waiting_total"]);
    // methods that wait or spin, according to TraceEvent
    near(
        &row(&document["metrics"], "name", "CPU")["waiting_total"],
        2429.085,
    );
    // the same in the file converted by dotnet-trace, summed with Python
    assert!((waiting("wall") - 68_828.75).abs() < 0.1);
    let idle = each(&document["threads"]).filter(|thread| thread["only_waits"] == true);
    assert_eq!(idle.count(), 6);
    assert_contains(
        printed(&["info", SAMPLE]),
        "Thread (11057) .NET timer (waits 99.8 % of wall)",
    );
}

#[test]
fn wall_time_hotspots_are_working_methods() {
    for (flag, hottest, counts) in [
        ("", "PriceRules.Discount", false),
        ("--no-waiting", "PriceRules.Discount", false),
        ("--waiting", "WaitHandle.Wait", true),
    ] {
        let document = json(&format!("hotspots SAMPLE --metric wall {flag}"));
        assert_starts_with(text(&document["rows"][0]["display"]), hottest);
        assert_eq!(document["counts_waiting"], counts);
    }
    let both = dotspot(&["hotspots", SAMPLE, "--waiting", "--no-waiting"]);
    assert_eq!(both.code, 2, "{}", both.err);
}

#[test]
fn rows_show_their_sample_counts() {
    let document = json("hotspots SAMPLE --top 0");
    // 1/√n of the row's own sample count
    for name in ["PriceRules.Discount", "Dictionary<T1,T2>.FindValue"] {
        let row = row(&document["rows"], "display", name);
        for (member, samples) in [
            ("inclusive_percent", "samples"),
            ("exclusive_percent", "own_samples"),
        ] {
            let error = (1000.0 / number(&row[samples]).sqrt()).round() / 10.0;
            assert_eq!(row["standard_error"][member], error, "{row}");
        }
    }
    let path = present!(shared("dtp/Issue254.dtp"));
    let traced = json(&format!("hotspots {} --top 1", path.display()));
    let row = &traced["rows"][0];
    assert!(row["standard_error"].is_null() && row["own_samples"].is_null());
}

#[test]
fn a_text_uses_one_unit_of_time() {
    let info = printed(&["info", SAMPLE]);
    assert_contains_all(
        &info,
        &["CPU 5.209 s", "wall 71.877 s, 68.829 s of it waiting"],
    );
    let heads = info
        .lines()
        .find(|line| line.contains("nodes  samples"))
        .unwrap();
    assert_eq!(
        heads.split_whitespace().collect::<Vec<_>>(),
        ["nodes", "samples", "CPU", "s", "wall", "s", "thread"]
    );
    let ms = printed(&["info", SAMPLE, "--unit", "ms"]);
    assert_contains_all(&ms, &["CPU 5,208.6 ms", "wall 71,877.1 ms", "CPU ms"]);
    let us = printed(&["hotspots", SAMPLE, "--unit", "us"]);
    assert_starts_with(&us, "All threads: CPU 5,208,643.");
    assert_contains(&us, "excl µs");
    assert_eq!(dotspot(&["tree", SAMPLE, "--unit", "min"]).code, 2);
}

#[test]
fn the_hottest_thread_of_a_method_has_its_highest_exclusive_time() {
    let method = |flags: &str| {
        let document = json(&format!("hotspots SAMPLE --top 0 {flags}"));
        let mut rows = each(&document["rows"]);
        rows.find(|row| row["display"] == "PriceRules.Discount")
            .cloned()
    };
    let info = json("info SAMPLE");
    let ids = each(&info["threads"]).map(|thread| text(&thread["id"]));
    let alone =
        |id: &&str| method(&format!("--thread {id}")).map_or(0.0, |row| number(&row["exclusive"]));
    let id = ids.max_by(|a, b| alone(a).total_cmp(&alone(b))).unwrap();
    let row = method("").unwrap();
    let hottest = text(&row["hottest_thread"]);
    assert_contains(hottest, format!("({id})"));
    assert_contains(printed(&["hotspots", SAMPLE, "--top", "1"]), hottest);
    let merged = method("--merge-threads").unwrap();
    assert!(merged.get("hottest_thread").is_none(), "merged threads");
}

#[test]
fn sums_and_trees_of_a_report_exclude_the_same_waiting() {
    let sleep = "System.Threading.Thread.Sleep(Int32)";
    let stacks = format!(
        "Thread 1;{sleep} 90|Thread 2;Acme.Run;Acme.Price 24|Thread 2;Acme.Run 6|Thread 2;{sleep} 10"
    );
    let report = report_of(&profile_of(&stacks), 3, full_name);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.xml");
    std::fs::write(&path, report).unwrap();
    let file = path.to_str().unwrap();
    let sums = printed(&["hotspots", file]);
    assert_contains(&sums, "time 30.0 ms, without 100.0 ms of waiting");
    // 24 of the 30 ms without waiting
    assert!(sums.contains("~24.0   80.0"), "{sums}");
    assert_eq!(sums, printed(&["hotspots", file, "--metric", "time"]));
}

/// 2,429.1 of 5,208.6 ms CPU time are waits and spins. Without them, the tree has the same total as its lanes.
#[test]
fn the_timeline_excludes_spinning_too() {
    let tree = json("tree SAMPLE --no-waiting --depth 1 --min-percent 0");
    let lanes = json("timeline SAMPLE --no-waiting --top 0");
    near(&tree["total"], number(&lanes["total"]));
    assert_eq!(lanes["counts_waiting"], false);
    for thread in each(&tree["rows"]).skip(1) {
        let lane = each(&lanes["lanes"]).find(|lane| lane["name"] == thread["name"]);
        let waits = lane.map_or(0.0, |lane| number(&lane["waiting_total"]));
        let runs = lane.map_or(0.0, |lane| number(&lane["running_total"]));
        near(&thread["inclusive"], runs + waits);
    }
    assert_contains(
        printed(&["timeline", SAMPLE, "--no-waiting"]),
        "CPU 2,779.6 ms over time",
    );
    let tenths = |flags: &[&str]| {
        let report = printed(&[&["report", SAMPLE, "--budget", "3000"][..], flags].concat());
        let line = report.lines().find(|line| line.contains("Over time"));
        line.unwrap().to_string()
    };
    assert_ne!(tenths(&[]), tenths(&["--no-waiting"]));
}

#[test]
fn comparisons_exclude_waiting_on_both_sides() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, stacks: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, report_of(&profile_of(&stacks), 3, full_name)).unwrap();
        path.to_str().unwrap().to_string()
    };
    let before = file("a.xml", format!("T;Acme.Run;{sleep} 90|T;Acme.Run 10"));
    let after = file("b.xml", format!("T;Acme.Run;{sleep} 40|T;Acme.Run 15"));
    let compared = |flag| json(&format!("compare {before} {after} --by inclusive {flag}"));
    let run = |document: &serde_json::Value| {
        let row = row(&document["rows"], "name", "Acme.Run");
        [&row["inclusive"]["before"], &row["inclusive"]["after"]].map(number)
    };
    let all = compared("");
    assert_eq!(
        (run(&all), &all["counts_waiting"]),
        ([100.0, 55.0], &true.into())
    );
    let busy = compared("--no-waiting");
    assert_eq!(
        (run(&busy), &busy["counts_waiting"]),
        ([10.0, 15.0], &false.into())
    );
    let printed = printed(&["compare", &before, &after, "--no-waiting"]);
    assert_contains(
        &printed,
        "waiting left out, as recorded: 90.0 ms before, 40.0 ms after",
    );
    let options = ["--no-waiting", "--to", "markdown"];
    let comment = dotspot(&[&["compare", &before, &after][..], &options].concat()).out;
    assert_contains(
        &comment,
        "\nWaiting left out, as recorded: 90.0 ms before, 40.0 ms after.\n",
    );
}

#[test]
fn an_exported_snapshot_reports_its_waiting() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.json");
    let copy = copy.to_str().unwrap();
    printed(&["convert", path.to_str().unwrap(), "-o", copy]);
    let document = json(&format!("tree {copy} --depth 1"));
    near(&document["waiting_total"], 3579.1247);
    assert_eq!(document["counts_waiting"], false);
}
