//! Values over time. Expected numbers are calculated by hand or by independent readers: `../shared/data/expected`.

use crate::common::json::{each, json, near, number, row, text};
use crate::common::run::{dotspot, fine, words};
use crate::common::text::assert_contains;
use crate::common::{shared, shared_folder};
use serde_json::Value;
use std::fs;

/// Two threads of 8 ms: A runs for 3, then B for 5; A sleeps for 2, then nothing, because everything is recorded.
const SPEEDSCOPE: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"Shop.A"},{"name":"Shop.B"},{"name":"System.Threading.Thread.Sleep"}]},
 "profiles":[
  {"type":"sampled","name":"one","unit":"milliseconds","startValue":0,"endValue":8,"samples":[[0],[1]],"weights":[3,5]},
  {"type":"sampled","name":"two","unit":"milliseconds","startValue":0,"endValue":2,"samples":[[0,2]],"weights":[2]}]}"#;

fn speedscope() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.speedscope.json");
    fs::write(&file, SPEEDSCOPE).unwrap();
    (folder, file.display().to_string())
}

#[track_caller]
fn values(found: &Value, expect: &[f64]) {
    assert_eq!(each(found).count(), expect.len(), "{found}");
    each(found)
        .zip(expect)
        .for_each(|(found, expect)| near(found, *expect));
}

#[test]
fn samples_are_split_at_the_borders_of_buckets() {
    let (_folder, file) = speedscope();
    let found = json(&format!("timeline {file} --buckets 4 --waiting"));
    let lanes: Vec<&Value> = each(&found["lanes"]).collect();
    assert_eq!(lanes.len(), 2);
    values(&lanes[0]["running"], &[2.0, 2.0, 2.0, 2.0]);
    values(&lanes[1]["running"], &[0.0; 4]);
    values(&lanes[1]["waiting"], &[2.0, 0.0, 0.0, 0.0]);
    values(&found["all"]["waiting"], &[2.0, 0.0, 0.0, 0.0]);
    let found = json(&format!("timeline {file} --buckets 8 --by method"));
    let method = |name| row(&found["lanes"], "name", name);
    values(
        &method("Shop.A")["running"],
        &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    values(
        &method("Shop.B")["running"],
        &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    );
    // of 2 ms to 5 ms, in thirds
    let found = json(&format!(
        "timeline {file} --buckets 3 --by method --from 2ms --until 5ms"
    ));
    values(
        &row(&found["lanes"], "name", "Shop.A")["running"],
        &[1.0, 0.0, 0.0],
    );
    values(
        &row(&found["lanes"], "name", "Shop.B")["running"],
        &[0.0, 1.0, 1.0],
    );
    // steps are respected
    let found = json(&format!("timeline {file} --buckets 2 --step drop:Shop.B"));
    values(&found["all"]["running"], &[3.0, 0.0]);
    // only a subtree: B, by its id in the tree
    let tree = json(&format!("tree {file}"));
    let b = row(&tree["rows"], "name", "Shop.B");
    let found = json(&format!(
        "timeline {file} --buckets 2 --node {}",
        text(&b["node"])
    ));
    values(&found["all"]["running"], &[1.0, 4.0]);
    assert_eq!(each(&found["lanes"]).count(), 1);
}

/// Half a second each: 0 to 2 s and 2 to 4.5 s are in `expected/views/orderedconsume.json`.
#[test]
fn buckets_equal_ranges_computed_by_an_independent_program() {
    let found = json("timeline SAMPLE --until 4.5s --buckets 9 --top 0");
    let parts = |lane: &Value| {
        // in CPU time, waits are spins
        let both = each(&lane["running"]).zip(each(&lane["waiting"]));
        let both = both.map(|(running, waiting)| number(running) + number(waiting));
        let values: Vec<f64> = both.collect();
        [values[..4].iter().sum::<f64>(), values[4..].iter().sum()]
    };
    let [first, second] = parts(&found["all"]);
    assert!((first - 1397.422).abs() < 0.001 && (second - 1420.268).abs() < 0.001);
    let thread = row(&found["lanes"], "name", "Thread (11049)");
    let [first, second] = parts(thread);
    assert!((first - 72.133).abs() < 0.001 && (second - 84.249).abs() < 0.001);
}

/// Two collections, at 591.8 and 1,398.3 ms, and pauses of 1.2877 ms in total: `expected/markers.json`.
#[test]
fn markers_are_in_the_bucket_of_their_start() {
    let file = present!(shared("nettrace/short31.nettrace"));
    let file = file.display();
    let found = json(&format!("timeline {file} --until 2s --buckets 20"));
    let lane = |kind| row(&found["markers"], "kind", kind);
    let counts = each(&lane("collections")["counts"]).map(number);
    let at: Vec<usize> = counts
        .enumerate()
        .filter(|(_, count)| *count > 0.0)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(at, [5, 13]);
    let pauses: f64 = each(&lane("gc_pauses")["durations_ms"]).map(number).sum();
    assert!((pauses - 1.2877).abs() < 0.001, "{pauses}");
    let out = dotspot(&["timeline", &file.to_string()]).out;
    assert_contains(&out, "2 garbage collections");
}

/// For any number of buckets, their sums equal the tree's values, in total and for each thread.
#[test]
fn buckets_sum_to_the_tree() {
    let mut files = vec!["snapshots/js-ordered-consume.nettrace".to_string()];
    let shared = shared_folder().into_iter().flat_map(|folder| {
        let names = [
            "net10/deepstacks-mutual.nettrace",
            "nettrace/short31.nettrace",
            "net10/cpubound.speedscope.json",
            "net10/orderedconsume.chromium.json.gz",
        ];
        names.map(|name| folder.join(name).display().to_string())
    });
    files.extend(shared);
    for file in files {
        for more in [
            "",
            "--merge-threads",
            "--from 1s",
            "--metric wall --waiting",
        ] {
            let line = format!("{file} {more}");
            let args: Vec<&str> = line.split_whitespace().collect();
            let ask = |command: &str, also: &[&str]| {
                let run = dotspot(&[&[command], &args[..], also, &["--json"]].concat());
                serde_json::from_str::<Value>(&run.out).unwrap()
            };
            let found = ask("timeline", &["--buckets", "7", "--top", "0"]);
            if found["schema"] == "dotspot.error/1" {
                assert!(more.contains("wall"), "{line}: {found}");
                continue;
            }
            let tree = ask("tree", &["--depth", "1", "--min-percent", "0"]);
            let lanes = each(&found["lanes"]).chain([&found["all"]]);
            // threads of merged ones have no node
            for lane in lanes.filter(|lane| !lane["node"].is_null()) {
                let sum = |what: &str| each(&lane[what]).map(number).sum::<f64>();
                let found = sum("running") + sum("waiting");
                let of_tree = number(&row(&tree["rows"], "node", text(&lane["node"]))["inclusive"]);
                assert!(
                    (found - of_tree).abs() < 0.001,
                    "{line}: {found} of {of_tree}: {lane}"
                );
            }
        }
    }
}

/// A runs for 3 ms and then B for 5.
#[test]
fn phases_are_where_the_mix_changes() {
    let (_folder, file) = speedscope();
    let found = json(&format!("timeline {file} --phases"));
    let phases: Vec<&Value> = each(&found["phases"]).collect();
    assert_eq!(phases.len(), 2, "{}", found["phases"]);
    near(&phases[0]["from_ms"], 0.0);
    near(&phases[0]["to_ms"], 3.0);
    near(&phases[1]["to_ms"], 8.0);
    assert_eq!(phases[0]["methods"][0]["name"], "Shop.A");
    assert_eq!(phases[1]["methods"][0]["name"], "Shop.B");
    assert_contains(
        fine(&["timeline", &file, "--phases"]),
        "0.003 s to 0.008 s: 1.0 threads busy; of that Shop.B 100 %",
    );
}

/// Weights of 2^64 - 1 at two instants, of two processes: sums saturate.
#[test]
fn absurd_numbers_saturate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("absurd.perf");
    let sample = |at: &str| {
        format!(
            "web 7/7 {at}: 18446744073709551615 cycles:\n\t1000 Shop.Sum+0x0 (/tmp/perf-7.map)\n\n"
        )
    };
    fs::write(&file, sample("1.000000") + &sample("3.000000")).unwrap();
    let file = file.display();
    for by in ["thread", "method"] {
        let found = json(&format!("timeline {file} --buckets 2 --by {by}"));
        let lane = &found["lanes"][0];
        assert_eq!(lane["running"][0], lane["running"][1], "{lane}");
        assert_eq!(lane["running_total"], lane["running"][0], "{lane}");
    }
}

/// A thread that always runs is a line of full cells, also if only this thread was requested.
#[test]
fn a_single_thread_is_scaled_like_one_of_several() {
    let (_folder, file) = speedscope();
    for more in [&[][..], &["--thread", "one"]] {
        let out = fine(&[&["timeline", &file, "--buckets", "4"][..], more].concat());
        assert!(out.lines().any(|line| line.ends_with("one  ████")), "{out}");
    }
}

/// Also if they are merged; a thread on its own has one.
#[test]
fn each_thread_has_one_lane() {
    let (_folder, file) = speedscope();
    let lanes = |more: &str| {
        fine(&words(&format!("timeline {file} {more}")))
            .lines()
            .count()
            - 2
    };
    let merged = fine(&["timeline", &file, "--merge-threads"]);
    let lines = merged
        .lines()
        .filter(|line| line.contains("threads merged  "));
    assert_eq!(lines.count(), 1, "{merged}");
    assert_eq!(lanes("--merge-threads"), lanes(""));
    assert_eq!(lanes("--thread one"), 1);
}

#[test]
fn profiles_without_times_report_that() {
    let run = dotspot(&["timeline", "snapshots/two-threads.pb"]);
    assert_eq!(run.code, 2);
    assert_contains(&run.err, "no timeline: the profile has only sums");
    let events = present!(shared("etl/gcevents.etl.zip"));
    let refusal = "no timeline: the recording has no samples (14.006 s recorded)";
    assert_contains(
        &dotspot(&["timeline", events.to_str().unwrap()]).err,
        refusal,
    );
    let (_folder, file) = speedscope();
    let run = dotspot(&["timeline", &file, "--buckets", "0"]);
    assert_eq!(run.code, 2);
    assert_contains(&run.err, "0 is not in 1..=10000");
}

/// Pauses of 7,730.3 ms and 8 lock contentions of 449.9 ms from start to end, by the independent reader in `expected/markers.json`: cell
/// height is the share of time.
#[test]
fn cell_heights_show_durations() {
    let file = present!(shared(
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip"
    ));
    let out = dotspot(&["timeline", file.to_str().unwrap(), "--buckets", "4"]).out;
    let line = |words: &str| {
        let line = out.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("{words}: {out}"));
        line.rsplit("  ").next().unwrap().to_string()
    };
    line("478 GC pauses, 7.730 s");
    line("8 lock contention, 0.450 s");
    // each quarter is 9.645 s; collections take 7.9%, 20.0%, 19.9% and 26.5% of these, by the same reader's times
    assert_eq!(line("478 garbage collections"), "▁▂▂▃");
}

/// The number of active threads at the peak and in the phases of a timeline.
fn peak_and_phases(out: &str) -> (f64, Vec<f64>) {
    let number = |text: &str| -> f64 { text.split(' ').next().unwrap().parse().unwrap() };
    let peak = out.split("; peak at ").nth(1).unwrap();
    let peak = number(peak.split(": ").nth(1).unwrap());
    let phases = out.lines().filter_map(|line| line.split_once(" s: "));
    let is_phase = |(start, _): &(&str, &str)| start.contains(" s to ") && !start.contains("peak");
    let phases = phases.filter(is_phase).map(|(_, busy)| number(busy));
    (peak, phases.collect())
}

#[test]
fn no_phase_is_busier_than_the_peak() {
    let file = present!(shared("nettrace/HeartRateMonitor.10068.nettrace.zip"));
    let file = file.display().to_string();
    for buckets in ["2", "10", "60"] {
        let out = dotspot(&["timeline", &file, "--phases", "--buckets", buckets]).out;
        let (peak, phases) = peak_and_phases(&out);
        assert_eq!(phases.len(), 5, "{out}");
        assert!(phases.iter().all(|phase| *phase <= peak), "{out}");
    }
}
