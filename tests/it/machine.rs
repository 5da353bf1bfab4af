//! Recordings of a whole machine: an answer is about one process, and whose code a frame is depends on the process.

use crate::common::json::{each, json, near, row, text};
use crate::common::run::dotspot;
use crate::common::shared;
use crate::common::text::{has, lacks};
use serde_json::Value;
use std::fmt::Write as _;

/// A process and thread, its samples, and its stack from the leaf on: names and files.
type Sampled = (&'static str, usize, &'static [(&'static str, &'static str)]);

/// `perf script` of five processes: idle, two of .NET, one of Java, one in C++, each with so many samples of 1 ms.
fn perf_of_a_machine() -> String {
    let stacks: [Sampled; 5] = [
        (
            "swapper 0/0",
            50,
            &[("native_safe_halt+0xe", "[kernel.kallsyms]")],
        ),
        (
            "dotnet 10/10",
            20,
            &[
                ("memcpy", "/usr/lib/libc.so.6"),
                (
                    "void [Shop] Acme.Shop::Sell(int32)[Optimized]",
                    "/tmp/perf-10.map",
                ),
                (
                    "void [Shop] Acme.Program::Main(string[])[Optimized]",
                    "/tmp/perf-10.map",
                ),
                (
                    "coreclr_execute_assembly",
                    "/usr/share/dotnet/libcoreclr.so",
                ),
            ],
        ),
        (
            "dotnet 20/20",
            9,
            &[
                (
                    "void [Bank] Acme.Bank::Pay(int32)[Optimized]",
                    "/tmp/perf-20.map",
                ),
                (
                    "coreclr_execute_assembly",
                    "/usr/share/dotnet/libcoreclr.so",
                ),
            ],
        ),
        (
            "java 30/31",
            40,
            &[
                ("Ljava/util/HashMap;::get", "/tmp/perf-30.map"),
                ("Lorg/acme/Cart;::total", "/tmp/perf-30.map"),
                ("Interpreter", "/tmp/perf-30.map"),
                ("start_thread", "/usr/lib/libc.so.6"),
            ],
        ),
        (
            "crunch 40/40",
            60,
            &[
                ("crunch::fold", "/opt/crunch/crunch"),
                ("[unknown]", "/opt/crunch/secret.so"),
                ("main", "/opt/crunch/crunch"),
            ],
        ),
    ];
    let (mut text, mut at_ms) = (String::new(), 0);
    for (who, samples, frames) in stacks {
        for _ in 0..samples {
            at_ms += 1;
            let _ = writeln!(text, "{who} [000] 1.{at_ms:03}000: 1000000 cpu-clock:");
            for (at, (name, file)) in frames.iter().enumerate() {
                let _ = writeln!(text, "\t    7f00{at:04x} {name} ({file})");
            }
            text.push('\n');
        }
    }
    text
}

fn machine() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("machine.perf");
    std::fs::write(&file, perf_of_a_machine()).unwrap();
    let name = file.display().to_string();
    (folder, name)
}

/// The methods of a document with the category of each.
fn methods(args: &[&str]) -> Vec<String> {
    let document: Value = serde_json::from_str(&dotspot(args).out).unwrap();
    let method = |row: &Value| format!("{} {}", text(&row["display"]), text(&row["category"]));
    each(&document["rows"]).map(method).collect()
}

#[test]
fn answers_are_about_the_process_with_most_dotnet_code() {
    let (_folder, file) = machine();
    let run = dotspot(&["hotspots", &file]);
    has(
        &run.err,
        "Process (10) dotnet, 1 of 5: most .NET code; --process chooses others, or all",
    );
    has(&run.out, "20.0");
    for other in ["crunch", "Bank", "Cart", "safe_halt"] {
        lacks(&run.out, other);
    }
    has(
        &dotspot(&["hotspots", &file, "--process", "java"]).out,
        "HashMap",
    );
    has(
        &dotspot(&["report", &file, "--process", "20"]).out,
        "Bank.Pay",
    );
    has(
        &dotspot(&["report", &file]).out,
        "Process (10) dotnet, 1 of 5",
    );
    // what the file is, and what is written of it, is the whole
    for process in ["crunch", "java", "swapper"] {
        has(&dotspot(&["info", &file]).out, process);
    }
    let all = dotspot(&["convert", &file, "--to", "collapsed"]).out;
    has(&all, "crunch::fold 60000");
}

/// 264 collections, one of them in PerfView.
#[test]
fn events_and_shares_are_those_of_the_process() {
    let Some(file) = shared("etl/net.4.5.2.x64.etl.zip") else {
        return;
    };
    let file = file.display();
    for (process, count, share) in [("3676", 263.0, "81.2"), ("3988", 1.0, "5.6")] {
        let info = json(&format!("info {file} --process {process}"));
        near(&info["markers"]["collections"]["count"], count);
        let timeline = json(&format!("timeline {file} --process {process}"));
        near(
            &row(&timeline["markers"], "kind", "collections")["count"],
            count,
        );
        // 5,129 and 356 of 6,320 samples of 1 ms
        near(&timeline["recording_total"], 6320.0);
        let part = format!("{share} % of the whole 6,320.0 ms");
        let ask = |command| dotspot(&[command, &file.to_string(), "--process", process]).out;
        ["info", "report", "hotspots", "tree", "timeline"]
            .iter()
            .for_each(|command| has(ask(command), &part));
    }
    lacks(
        &dotspot(&["report", &file.to_string(), "--process", "all"]).out,
        "of the whole",
    );
}

#[test]
fn each_process_has_the_rules_of_its_own_runtime() {
    let (_folder, file) = machine();
    let all = [
        "hotspots",
        &file,
        "--process",
        "all",
        "--json",
        "--top",
        "0",
    ];
    let mut found = methods(&all);
    found.sort();
    for (method, category) in [
        ("Shop.Sell", "user code"),
        ("Bank.Pay", "user code"),
        ("org/acme/Cart", "user code"),
        ("java/util/HashMap", "system code"),
        ("crunch::fold", "user code"),
        // a module without names is nobody's
        ("secret", "native"),
        ("native_safe_halt", "native"),
        ("memcpy", "native"),
    ] {
        let row = found.iter().find(|row| row.contains(method));
        let row = row.unwrap_or_else(|| panic!("no {method} in {found:?}"));
        assert!(row.ends_with(category), "{row}: {category}");
    }
}
