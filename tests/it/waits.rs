//! Waits in recordings of programs whose waits are known.

use crate::common::run::{dotspot, fine};
use crate::common::text::assert_starts_with;
use crate::common::{shared, shared_folder};
use serde_json::Value;

fn waits_of(file: &str) -> Option<Value> {
    let file = shared(file)?;
    let out = fine(&["waits", file.to_str()?, "--json", "--top", "0"]);
    serde_json::from_str(&out).ok()
}

/// The first rows as `user in what: percent`.
fn first(document: &Value, rows: usize) -> Vec<String> {
    let row = |row: &Value| {
        let name = |of: &Value| of["display"].as_str().unwrap_or("-").to_string();
        let percent = row["percent"].as_f64().unwrap();
        format!(
            "{} in {}: {percent:.1}",
            name(&row["user"]),
            name(&row["waits_in"])
        )
    };
    document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .take(rows)
        .map(row)
        .collect()
}

/// Main joins its threads for all of the 6 s that the program runs (net10/cpubound.truth.json).
#[test]
fn a_join_is_a_wait_of_the_calling_method() {
    let found = present!(waits_of("net10/cpubound.nettrace"));
    assert_eq!(first(&found, 9), ["Program.Main in Thread.Join(): 100.0"]);
    let waiting = found["rows"][0]["waiting"].as_f64().unwrap();
    assert!((waiting - 6_015.0).abs() < 1.0, "{waiting}");
    assert_eq!(
        found["rows"][0]["threads"][0]["name"],
        "Thread (10741) main"
    );
}

/// The publisher sleeps for most of each second, and so does the housekeeping; spins of the pool are outside user code. The caution gives
/// the CPU time of waits and spins: 2,429.1 of 5,208.6 ms.
#[test]
fn sleeping_user_code_is_distinguished_from_idle_pool_threads() {
    let out = fine(&["waits", "snapshots/js-ordered-consume.nettrace", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    let first = first(&found, 5);
    assert_eq!(first[1], "Housekeeping.Run in Thread.Sleep: 11.6");
    assert_starts_with(&first[2], "LoopbackBroker.AckLoop in ");
    assert_eq!(first[3], "LoopbackBroker.PublishLoop in Thread.Sleep: 11.1");
    assert!(first[4].starts_with("- in "), "{first:?}");
    let on_cpu = found["on_cpu_total"].as_f64().unwrap();
    assert!((on_cpu - 2_429.1).abs() < 0.1, "{on_cpu}");
}

/// Every wait in a recording is in exactly one row.
#[test]
fn rows_sum_to_the_total_of_waits() {
    let folder = present!(shared_folder());
    let mut files = Vec::new();
    for folder in ["net10", "nettrace"] {
        let names = std::fs::read_dir(shared_folder().unwrap_or_default().join(folder)).unwrap();
        let names = names.map(|name| name.unwrap().path());
        files.extend(names.filter(|path| path.extension().is_some_and(|end| end == "nettrace")));
    }
    let mut with_waits = 0;
    for file in files {
        let run = dotspot(&["waits", file.to_str().unwrap(), "--json", "--top", "0"]);
        let found: Value = serde_json::from_str(&run.out).unwrap();
        if run.code != 0 {
            let text = run.err + &run.out;
            let is_said = ["has no waits", "waits are not recorded"]
                .iter()
                .any(|words| text.contains(words));
            assert!(is_said, "{file:?}: {text}");
            continue;
        }
        with_waits += 1;
        let rows = found["rows"].as_array().unwrap();
        let sum: f64 = rows
            .iter()
            .map(|row| row["waiting"].as_f64().unwrap())
            .sum();
        let total = found["waiting_total"].as_f64().unwrap();
        assert!((sum - total).abs() < 0.01, "{file:?}: {sum} of {total}");
    }
    assert!(with_waits >= 6, "{with_waits} of {}", folder.display());
}

/// Its user interface runs in native code: the loop has 786.379 ms exclusive (expected/HeartRateMonitor.10068.nettrace.zip.expected.json),
/// and what it does in them is unknown.
#[test]
fn a_message_loop_is_a_wait() {
    let file = "nettrace/HeartRateMonitor.10068.nettrace.zip";
    let path = present!(shared(file));
    let path = path.to_str().unwrap();
    let output_of = |arguments: &[&str]| dotspot(arguments).out;
    let found: Value = serde_json::from_str(&output_of(&["waits", path, "--json"])).unwrap();
    let row = &found["rows"][0];
    assert_eq!(row["user"]["display"], "Program.Main");
    let waiting = row["waiting"].as_f64().unwrap();
    assert!((waiting - 786.379).abs() < 0.001, "{row}");
    let cause = "UICoreBackend.Run's own time: a native message loop";
    for command in ["report", "info"] {
        let text = output_of(&[command, path]);
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(cause), "{text}");
    }
    // the list of all code notes this in the row itself
    let report = output_of(&["report", path]);
    let row = report
        .lines()
        .find(|line| line.ends_with("UICoreBackend.Run (waits)"));
    assert!(row.is_some(), "{report}");
}
