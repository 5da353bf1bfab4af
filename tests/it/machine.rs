//! Recordings of a whole machine: answers are about one process, and what is user code depends on the process.

use crate::common::json::{each, json, near, row, text};
use crate::common::run::{dotspot, words};
use crate::common::shared;
use crate::common::text::{assert_contains, assert_ends_with, assert_lacks};
use serde_json::Value;
use std::fmt::Write as _;

/// `perf script` output of five processes: idle, two .NET, one Java and one C++, with the given number of 1 ms samples. Frames are
/// names and files, leaf first.
fn perf_of_a_machine() -> String {
    const CORECLR: &str = "coreclr_execute_assembly (/usr/share/dotnet/libcoreclr.so)";
    let shop = [
        "memcpy (/usr/lib/libc.so.6)",
        "void [Shop] Acme.Shop::Sell(int32)[Optimized] (/tmp/perf-10.map)",
        "void [Shop] Acme.Program::Main(string[])[Optimized] (/tmp/perf-10.map)",
        CORECLR,
    ];
    let pay = "void [Bank] Acme.Bank::Pay(int32)[Optimized] (/tmp/perf-20.map)";
    let java = [
        "Ljava/util/HashMap;::get (/tmp/perf-30.map)",
        "Lorg/acme/Cart;::total (/tmp/perf-30.map)",
        "Interpreter (/tmp/perf-30.map)",
        "start_thread (/usr/lib/libc.so.6)",
    ];
    let crunch = [
        "crunch::fold (/opt/crunch/crunch)",
        "[unknown] (/opt/crunch/secret.so)",
        "main (/opt/crunch/crunch)",
    ];
    let (mut text, mut at_ms) = (String::new(), 0);
    for (who, samples, frames) in [
        (
            "swapper 0/0",
            50,
            &["native_safe_halt+0xe ([kernel.kallsyms])"][..],
        ),
        ("dotnet 10/10", 20, &shop),
        ("dotnet 20/20", 9, &[pay, CORECLR]),
        ("java 30/31", 40, &java),
        ("crunch 40/40", 60, &crunch),
    ] {
        for _ in 0..samples {
            at_ms += 1;
            let _ = writeln!(text, "{who} [000] 1.{at_ms:03}000: 1000000 cpu-clock:");
            for (at, frame) in frames.iter().enumerate() {
                let _ = writeln!(text, "\t    7f00{at:04x} {frame}");
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

#[test]
fn answers_default_to_the_process_with_the_most_dotnet_code() {
    let (_folder, file) = machine();
    let run = dotspot(&["hotspots", &file]);
    let chosen =
        "Process (10) dotnet, 1 of 5: most time in .NET code; --process chooses others, or all";
    assert_contains(&run.err, chosen);
    assert_contains(&run.out, "20.0");
    for other in ["crunch", "Bank", "Cart", "safe_halt"] {
        assert_lacks(&run.out, other);
    }
    for (args, expect) in [
        ("hotspots FILE --process java", "HashMap"),
        ("report FILE --process 20", "Bank.Pay"),
        ("report FILE", "Process (10) dotnet, 1 of 5"),
        // info and exports cover the whole recording
        ("info FILE", "crunch"),
        ("info FILE", "java"),
        ("info FILE", "swapper"),
        ("convert FILE --to collapsed", "crunch::fold 60000"),
    ] {
        assert_contains(dotspot(&words(&args.replace("FILE", &file))).out, expect);
    }
}

/// 264 garbage collections, one of them in PerfView.
#[test]
fn events_and_shares_are_limited_to_the_process() {
    let file = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let file = file.display();
    for (process, count, share) in [("3676", 263.0, "81.2"), ("3988", 1.0, "5.6")] {
        let info = json(&format!("info {file} --process {process}"));
        near(&info["markers"]["collections"]["count"], count);
        let timeline = json(&format!("timeline {file} --process {process}"));
        let collections = row(&timeline["markers"], "kind", "collections");
        near(&collections["count"], count);
        // 5,129 and 356 of 6,320 samples of 1 ms
        near(&timeline["recording_total"], 6320.0);
        let part = format!("{share} % of 6,320.0 ms in total");
        for command in ["info", "report", "hotspots", "tree", "timeline"] {
            let line = format!("{command} {file} --process {process}");
            assert_contains(dotspot(&words(&line)).out, &part);
        }
    }
    let all = dotspot(&words(&format!("report {file} --process all")));
    assert_lacks(all.out, "of the whole");
}

#[test]
fn user_code_rules_depend_on_each_process_runtime() {
    let (_folder, file) = machine();
    let document = json(&format!("hotspots {file} --process all --top 0"));
    let method = |row: &Value| format!("{} {}", text(&row["display"]), text(&row["category"]));
    let found: Vec<String> = each(&document["rows"]).map(method).collect();
    for (method, category) in [
        ("Shop.Sell", "user code"),
        ("Bank.Pay", "user code"),
        ("org/acme/Cart", "user code"),
        ("java/util/HashMap", "system code"),
        ("crunch::fold", "user code"),
        // a module without symbols is neither user nor system code
        ("secret", "native"),
        ("native_safe_halt", "native"),
        ("memcpy", "native"),
    ] {
        let row = found.iter().find(|row| row.contains(method));
        assert_ends_with(row.expect(method), category);
    }
}
