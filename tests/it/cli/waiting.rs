//! Waiting in percentages and in the order of rows. Expected numbers are those of `../shared/data/dtp/expected/Issue254.json`:
//! of 7,105.0037 ms the finalizer's thread has 3,555.1497 to itself, and the main thread 23.975.

use super::{SAMPLE, close, dotspot, words};
use crate::common::report_writer::{full_name, report_of};
use crate::common::shared;
use crate::common::text::{has, has_all, lacks, starts};
use dotspot::testing::model::testing::profile_of;
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    let run = dotspot(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

fn text(args: &[&str]) -> String {
    let run = dotspot(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run.out
}

/// Names and inclusive values of the threads that a tree lists, in its order.
fn threads(document: &Value) -> Vec<(String, f64)> {
    let rows = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["depth"] == 1);
    rows.map(|row| {
        (
            row["name"].as_str().unwrap().to_string(),
            row["inclusive"].as_f64().unwrap(),
        )
    })
    .collect()
}

#[test]
fn a_thread_that_only_waits_takes_no_percentages() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let file = path.to_str().unwrap();
    let usual = json(&["tree", file, "--json", "--depth", "1", "--min-percent", "0"]);
    let counted = json(&words(&format!(
        "tree {file} --json --depth 1 --min-percent 0 --waiting"
    )));
    for (document, counts) in [(&usual, false), (&counted, true)] {
        assert!(close(document["total"].as_f64().unwrap(), 7105.0037));
        assert!(close(
            document["waiting_total"].as_f64().unwrap(),
            3579.1247
        ));
        assert_eq!(document["counts_waiting"], counts);
    }
    let (main, finalizer) = (
        ("Thread 1 (main)", 3547.5811),
        ("Thread 2 (finalizer)", 3557.4226),
    );
    for (document, expect) in [(&usual, [main, finalizer]), (&counted, [finalizer, main])] {
        let threads = threads(document);
        assert_eq!(threads.len(), 2);
        for ((name, value), (expect_name, expect_value)) in threads.iter().zip(expect) {
            assert!(
                name == expect_name && close(*value, expect_value),
                "{name} {value}"
            );
        }
    }
    // Program.Main has 3,489.7183 ms and waits for nothing: 98.97 % of 3,525.879 and 49.12 % of all
    let text = |flag| text(&[&["tree", file, "--depth", "2"][..], flag].concat());
    let usual = text(&[]);
    starts(
        &usual,
        "All threads: time 7,105.0 ms, 3,579.1 ms of it waiting (not in %)",
    );
    has(&usual, "3,489.7   99.0");
    lacks(&usual, "finalizer");
    let counted = text(&["--waiting"]);
    starts(
        &counted,
        "All threads: time 7,105.0 ms, inflated by tracing",
    );
    has_all(&counted, &["3,489.7   49.1", "finalizer"]);
}

#[test]
fn time_that_threads_have_to_themselves_is_told() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let file = path.to_str().unwrap();
    let outside = |flags: &[&str]| {
        let document = json(&[&["hotspots", file, "--json", "--top", "1"], flags].concat());
        document["outside_methods"].as_f64().unwrap()
    };
    assert_eq!(outside(&[]), 0.0);
    assert!(close(outside(&["--waiting"]), 3579.1247));
    // in that thread there is nothing else to see
    assert!(close(
        outside(&["--thread", "2", "--merge-threads"]),
        3555.1497
    ));
    assert!(
        text(&["hotspots", file, "--waiting"])
            .contains("(3,579.1 ms in no method: the threads' own)")
    );
}

#[test]
fn merging_threads_does_not_count_waiting_again() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let file = path.to_str().unwrap();
    let merged = json(&["tree", file, "--json", "--depth", "1", "--merge-threads"]);
    assert_eq!(merged["counts_waiting"], false);
    assert!(close(merged["waiting_total"].as_f64().unwrap(), 3579.1247));
    let asked = json(&words(&format!(
        "tree {file} --json --depth 1 --thread 2 --no-waiting"
    )));
    assert_eq!(asked["counts_waiting"], false, "what is asked for is done");
}

#[test]
fn info_tells_which_threads_wait() {
    let document = json(&["info", SAMPLE, "--json"]);
    let waiting = |name: &str| {
        let metrics = document["metrics"].as_array().unwrap();
        metrics
            .iter()
            .find(|metric| metric["name"] == name)
            .unwrap()["waiting_total"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(waiting("CPU"), 0.0);
    assert!(
        waiting("wall") > 39_970.0,
        "that of the threads that only wait, and of others between their work"
    );
    let threads = document["threads"].as_array().unwrap();
    let idle: Vec<&str> = threads
        .iter()
        .filter(|thread| thread["only_waits"] == true)
        .filter_map(|t| t["id"].as_str())
        .collect();
    assert_eq!(idle.len(), 5, "{idle:?}");
    assert!(text(&["info", SAMPLE]).contains("Thread (11057) .NET timer (waits 100 %)"));
}

#[test]
fn hotspots_of_wall_time_are_those_that_work() {
    let first = |flags: &[&str]| {
        let document = json(&[&["hotspots", SAMPLE, "--json", "--metric", "wall"], flags].concat());
        (
            document["rows"][0]["display"].as_str().unwrap().to_string(),
            document["counts_waiting"].clone(),
        )
    };
    assert_eq!(first(&[]), ("PriceRules.Discount".into(), false.into()));
    assert_eq!(first(&["--no-waiting"]), first(&[]));
    let (hottest, counts) = first(&["--waiting"]);
    assert!(
        hottest.starts_with("WaitHandle.Wait") && counts == true,
        "{hottest}"
    );
    let both = dotspot(&["hotspots", SAMPLE, "--waiting", "--no-waiting"]);
    assert_eq!(both.code, 2, "{}", both.err);
}

#[test]
fn rows_say_on_how_many_samples_they_rest() {
    let document = json(&["hotspots", SAMPLE, "--json", "--top", "0"]);
    let rows = document["rows"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|row| row["display"] == name).unwrap();
    // 1/√n of the samples that the row itself tells
    for row in [of("PriceRules.Discount"), of("Dictionary<T1,T2>.FindValue")] {
        let error = |samples: &str| (1000.0 / row[samples].as_f64().unwrap().sqrt()).round() / 10.0;
        assert_eq!(
            row["standard_error"]["inclusive_percent"],
            error("samples"),
            "{row}"
        );
        assert_eq!(
            row["standard_error"]["exclusive_percent"],
            error("own_samples"),
            "{row}"
        );
    }
    let path = present!(shared("dtp/Issue254.dtp"));
    let traced = json(&["hotspots", path.to_str().unwrap(), "--json", "--top", "1"]);
    assert!(
        traced["rows"][0]["standard_error"].is_null() && traced["rows"][0]["own_samples"].is_null()
    );
}

#[test]
fn one_unit_is_used_for_all_times_of_a_text() {
    let info = text(&["info", SAMPLE]);
    has_all(
        &info,
        &["CPU 5.209 s", "wall 71.877 s, 66.534 s of it waiting"],
    );
    let heads = info
        .lines()
        .find(|line| line.contains("nodes  samples"))
        .unwrap();
    assert_eq!(
        heads.split_whitespace().collect::<Vec<_>>(),
        ["nodes", "samples", "CPU", "s", "wall", "s", "thread"]
    );
    let ms = text(&["info", SAMPLE, "--unit", "ms"]);
    has_all(&ms, &["CPU 5,208.6 ms", "wall 71,877.1 ms", "CPU ms"]);
    let us = text(&["hotspots", SAMPLE, "--unit", "us"]);
    starts(&us, "All threads: CPU 5,208,643.");
    has(&us, "excl µs");
    assert_eq!(dotspot(&["tree", SAMPLE, "--unit", "min"]).code, 2);
}

#[test]
fn the_hottest_thread_of_a_method_is_the_one_that_has_most_of_it_alone() {
    let method = |args: &[&str]| {
        let document = json(&[&["hotspots", SAMPLE, "--json", "--top", "0"], args].concat());
        let rows = document["rows"].as_array().unwrap().clone();
        rows.into_iter()
            .find(|row| row["display"] == "PriceRules.Discount")
    };
    let info = json(&["info", SAMPLE, "--json"]);
    let alone = |thread: &Value| {
        let row = method(&["--thread", thread["id"].as_str().unwrap()])?;
        Some((
            row["exclusive"].as_f64().unwrap(),
            thread["id"].as_str().unwrap().to_string(),
        ))
    };
    let (_, id) = info["threads"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(alone)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap();
    let hottest = method(&[]).unwrap()["hottest_thread"]
        .as_str()
        .unwrap()
        .to_string();
    assert!(hottest.contains(&format!("({id})")), "{hottest} {id}");
    assert!(text(&["hotspots", SAMPLE, "--top", "1"]).contains(&hottest));
    assert!(
        method(&["--merge-threads"])
            .unwrap()
            .get("hottest_thread")
            .is_none(),
        "there is one"
    );
}

#[test]
fn sums_and_trees_of_a_report_leave_out_the_same_waiting() {
    let sleep = "System.Threading.Thread.Sleep(Int32)";
    let stacks = format!(
        "Thread 1;{sleep} 90|Thread 2;Acme.Run;Acme.Price 24|Thread 2;Acme.Run 6|Thread 2;{sleep} 10"
    );
    let report = report_of(&profile_of(&stacks), 3, full_name);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.xml");
    std::fs::write(&path, report).unwrap();
    let file = path.to_str().unwrap();
    let sums = text(&["hotspots", file]);
    has(&sums, "time 130.0 ms, 100.0 ms of it waiting");
    // 24 of the 30 ms that are no waiting
    assert!(sums.contains("~24.0   80.0"), "{sums}");
    assert_eq!(sums, text(&["hotspots", file, "--metric", "time"]));
}

#[test]
fn an_exported_snapshot_tells_its_waiting() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.json");
    let copy = copy.to_str().unwrap();
    text(&["convert", path.to_str().unwrap(), "-o", copy]);
    let document = json(&["tree", copy, "--json", "--depth", "1"]);
    assert!(
        close(document["waiting_total"].as_f64().unwrap(), 3579.1247),
        "{}",
        document["waiting_total"]
    );
    assert_eq!(document["counts_waiting"], false);
}

#[test]
fn hotspots_tell_how_much_of_a_row_is_waiting() {
    let document = json(&words(
        "hotspots SAMPLE --json --metric wall --by inclusive --top 0",
    ));
    let rows = document["rows"].as_array().unwrap();
    let wait = rows
        .iter()
        .find(|row| {
            row["display"]
                .as_str()
                .unwrap()
                .starts_with("WaitHandle.WaitOneNoCheck")
        })
        .unwrap();
    assert_eq!(wait["waiting"], wait["inclusive"]);
    let discount = rows
        .iter()
        .find(|row| row["display"] == "PriceRules.Discount")
        .unwrap();
    assert_eq!(discount["waiting"], 0.0);
    let counted = json(&["hotspots", SAMPLE, "--json", "--top", "1"]);
    assert!(counted["rows"][0]["waiting"].is_null(), "all of it counts");
}
