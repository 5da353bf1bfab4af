//! What agents asked in a trial and got wrong answers to (trial-agents.md), with the answers that are right. Shares and savings are
//! arithmetic on the totals that the trial names.

use super::session::Session;
use super::text_of;
use crate::common::shared_folder;
use crate::common::text::has;
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
        "wall 12.084 s = 100 % (6.015 s waiting excluded)",
    );
}
