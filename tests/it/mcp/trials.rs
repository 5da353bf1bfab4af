//! What agents asked in a trial and got wrong answers to (trial-agents.md), with the answers that are right. Shares and savings are
//! arithmetic on the totals that the trial names.

use super::session::Session;
use super::text_of;
use crate::common::shared_folder;
use crate::common::text::{has, lacks};
use serde_json::{Value, json};

/// The answers to requests, in one session in the folders of real profiles.
fn answers(requests: &[(&str, Value)]) -> Vec<String> {
    let (snapshots, data) = (super::snapshots(), shared_folder());
    let data = data.as_deref().and_then(|data| data.to_str());
    let folders: Vec<&str> = std::iter::once(snapshots.as_str()).chain(data).collect();
    let mut session = Session::ready(&folders);
    let answer = |(id, (tool, arguments)): (usize, &(&str, Value))| {
        let answer = session.call(id as u64 + 10, tool, arguments.clone());
        text_of(&answer).0
    };
    requests.iter().enumerate().map(answer).collect()
}

#[test]
fn what_a_step_saves_has_one_base() {
    if shared_folder().is_none() {
        return;
    }
    let drop = |profile, metric: Option<&str>, method: &str| {
        let steps = format!("drop:{method}");
        (
            "hotspots",
            json!({"profile": profile, "metric": metric, "steps": [steps], "budget": 300}),
        )
    };
    let found = answers(&[
        drop("dtp/Issue254.dtp", None, "List<T>.Contains"),
        drop(
            "js-ordered-consume.nettrace",
            Some("wall"),
            "PriceRules.Discount",
        ),
        (
            "tree",
            json!({"profile": "js-ordered-consume.nettrace", "steps": "fold:system"}),
        ),
        (
            "hotspots",
            json!({"profile": "js-ordered-consume.nettrace", "group": "module", "budget": 200}),
        ),
    ]);
    // of the independent reader: group_by_module in expected/views/orderedconsume.json
    has(&found[3], "31.6 1,645.0 43.7 2,274.2 ");
    // 3,525.9 - 3,366.6 = 159.3
    has(
        &found[0],
        "3,366.6 of 3,525.9 ms left, 159.3 ms (4.5 %) saved",
    );
    // waiting is in neither: what neither waits nor spins in the file that dotnet-trace converted, summed with Python
    has(&found[1], "1.425 of 3.048 s left, 1.623 s (53.3 %) saved");
    assert!(!found[2].contains("saved"), "{}", found[2]);
}

/// 263 of 264 collections are of 3676, and one is of 3988; main joins its threads for 6,015.1 ms.
#[test]
fn a_timeline_is_of_what_is_chosen() {
    if shared_folder().is_none() {
        return;
    }
    let timeline = |arguments: Value| ("timeline", arguments);
    let etl = "etl/net.4.5.2.x64.etl.zip";
    let cpubound = "net10/cpubound.nettrace";
    let found = answers(&[
        timeline(json!({"profile": etl, "process": "3988"})),
        timeline(
            json!({"profile": cpubound, "threads": ["10741"], "metric": "wall", "waiting": true}),
        ),
        timeline(json!({"profile": cpubound, "metric": "wall", "waiting": false})),
    ]);
    has(&found[0], "garbage collections: 0 0 0 0 1 0 0 0 0 0");
    has(&found[0], "CPU 356.0 ms = 100 %");
    has(&found[0], "5.6 % of the whole 6,320.0 ms");
    has(&found[1], "6,015.1 ms of it waiting");
    assert!(!found[1].contains("10754"), "{}", found[1]);
    has(
        &found[2],
        "wall 12.084 s = 100 % (6.015 s of waiting excluded)",
    );
}

/// `SemaphoreSlim.WaitCore` has 443.2 of 1,141.0 ms itself, all of it waits and spins as it is one; JSON has its samples: 360 of 925.
#[test]
fn lists_show_the_parts_of_the_values_that_they_are_about() {
    let hotspots = |by: &str| {
        (
            "hotspots",
            json!({"profile": "js-ordered-consume.nettrace", "by": by, "budget": 2000}),
        )
    };
    let without = json!({"profile": "js-ordered-consume.nettrace", "waiting": false});
    let found = answers(&[
        hotspots("exclusive"),
        hotspots("inclusive"),
        ("hotspots", without),
    ]);
    has(&found[0], "incl excl-waits excl-samples node method");
    has(&found[0], " 443.2 360 n1500 SemaphoreSlim.WaitCore");
    has(&found[1], "incl incl-waits incl-samples node method");
    has(&found[1], " 1,062.7 925 n1500 SemaphoreSlim.WaitCore");
    has(&found[0], "2,429.1 ms of it in waits and spins");
    has(
        &found[2],
        "CPU 2,779.6 ms = 100 % (2,429.1 ms in waits and spins excluded)",
    );
    has(&found[2], "warnings: gc-polls (see info)");
    lacks(&found[2], "-waits ");
}

/// 5,129 of 6,320 samples are of the process; DateTime.GetDatePart calls nothing, and has 1,856 of them. Without it, polls are a larger share
/// of the rest, which is no fault of the recording.
#[test]
fn a_view_tells_the_process_from_what_steps_have_left() {
    if shared_folder().is_none() {
        return;
    }
    let hotspots =
        |profile, steps: Value| ("hotspots", json!({"profile": profile, "steps": steps}));
    let etl = "etl/net.4.5.2.x64.etl.zip";
    let part = "drop:DateTime.GetDatePart";
    let found = answers(&[
        hotspots(etl, json!([part])),
        hotspots(
            etl,
            json!([part, "drop:TimeZoneInfo.TransitionTimeToDateTime"]),
        ),
        hotspots("net10/cpubound.nettrace", json!(["drop:Hot.Sixty"])),
        hotspots(etl, json!(["drop:Nothing.GetDatePart"])),
    ]);
    has(
        &found[0],
        "view: Process (3676) Test.x64.exe, 1 of 20 = 81.2 % of the whole 6,320.0 ms; without DateTime.GetDatePart: \
         3,273.0 of 5,129.0 ms left, 1,856.0 ms (36.2 %) saved\n",
    );
    has(
        &found[1],
        "; each alone: without DateTime.GetDatePart 1,856.0 ms (36.2 %), without TimeZoneInfo.TransitionTimeToDateTime ",
    );
    lacks(&found[2], "warning");
    let rows = found[2].lines().filter(|line| line.starts_with("0.0 "));
    assert_eq!(rows.count(), 0, "{}", found[2]);
    has(&found[3], "the nearest is DateTime.GetDatePart");
}

#[test]
fn waits_say_where_they_end_how_and_in_how_many_threads() {
    let found = answers(&[
        ("waits", json!({"profile": "js-ordered-consume.nettrace"})),
        ("info", json!({"profile": "js-ordered-consume.nettrace"})),
    ]);
    for line in [
        "most CPU in waits and spins: 1.063 s in LoopbackBroker.AckLoop\n",
        ": TaskAwaiter<Int32>.GetResult → Monitor.Wait, awaits tasks (Thread (11036) main)\n",
        "Housekeeping.Run: Thread.Sleep, sleeps (Thread (11051))\n",
        ", spins: 1.063 s CPU (Thread (11050))\n",
        "(2 threads: Thread (11053) .NET pool gate, Thread (11057) .NET timer)\n",
        "(3 threads: Thread (11056) .NET pool, Thread (11052) .NET pool, …)\n",
    ] {
        has(&found[0], line);
    }
    // of the independent reader: expected/te/orderedconsume.json has 4,088 samples of CPU
    has(&found[1], "metric samples 58,835 (4,088 of them on CPU)");
    has(&found[1], "Percentages of wall exclude waiting");
}

#[test]
fn what_would_be_ignored_is_refused_and_nothing_is_said_twice() {
    let sample = "js-ordered-consume.nettrace";
    let found = answers(&[
        ("hotspots", json!({"profile": sample, "own_code": "Acme"})),
        (
            "callers",
            json!({"profile": sample, "own_code": "Acme", "method": "PriceRules.Discount"}),
        ),
        ("hotspots", json!({"profile": sample, "user_code": true})),
        ("open_profile", json!({"profile": sample})),
        ("tree", json!({"profile": sample, "node": "n7+16"})),
    ]);
    has(&found[0], "own_code needs user_code: true");
    has(&found[1], "own_code needs user: true");
    has(&found[2], "by own-system, user code only; CPU");
    has(&found[3], "caution gc-polls: ");
    lacks(&found[3], "(see info)");
    has(&found[4], "call tree of OrderedConsumer<T>.ConsumeAsync");
}

/// 263 of 264 collections are of the process that lists are about, and the process of idle processors has only their interrupts.
#[test]
fn what_is_of_the_whole_machine_says_so() {
    if shared_folder().is_none() {
        return;
    }
    let etl = json!({"profile": "etl/net.4.5.2.x64.etl.zip"});
    let found = answers(&[("info", etl)]);
    has(
        &found[0],
        "263 of generation 0, 1 of generation 1 (all processes)\n",
    );
    has(
        &found[0],
        "Process (0) Idle: 105.0 ms of interrupts on idle processors\n",
    );
    has(
        &found[0],
        "% of CPU is spent in frames without a name. 76.6 % of the frames",
    );
}

/// `PriceRules.Discount` has 1,617.2 of its 1,618.9 ms itself, and 1,259 samples; an inverted tree is of that.
#[test]
fn an_inverted_tree_is_of_exclusive_values() {
    let tree = json!({"profile": "js-ordered-consume.nettrace", "inverted": true, "budget": 300});
    let found = answers(&[("tree", tree)]);
    has(
        &found[0],
        "depth node excl% excl excl-waits excl-samples method",
    );
    has(
        &found[0],
        "\n1 n13 31.0 1,617.2 0.0 1,259 PriceRules.Discount\n",
    );
}
