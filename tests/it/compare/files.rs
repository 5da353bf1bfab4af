//! Compares files with known differences, created by arithmetic.

use super::{compared, read};
use crate::common::{sample, shared};
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;

/// Sums by method, in nanoseconds.
type Sums = BTreeMap<String, (i64, i64)>;

/// Adds the exclusive and inclusive times of a call-tree JSON tree to the sums, with recursion counted once.
fn add(node: &Value, on_stack: &mut Vec<String>, sums: &mut Sums) {
    let (name, is_method) = (
        node["name"].as_str().unwrap().to_string(),
        node.get("kind").is_none_or(|kind| kind == "method"),
    );
    let ns = |member: &str| (node[member].as_f64().unwrap() * 1e6).round() as i64;
    if is_method {
        let sum = sums.entry(name.clone()).or_default();
        sum.0 += ns("exclusive_time");
        if !on_stack.contains(&name) {
            sum.1 += ns("inclusive_time");
        }
        on_stack.push(name);
    }
    for child in node["children"].as_array().into_iter().flatten() {
        add(child, on_stack, sums);
    }
    if is_method {
        on_stack.pop();
    }
}

/// Multiplies all times of a subtree by 1.2.
fn scale(node: &mut Value) {
    for member in ["exclusive_time", "inclusive_time"] {
        let ns = (node[member].as_f64().unwrap() * 1e6).round() as i64;
        // in units of a fifth, so that nothing is rounded
        node[member] = Value::from((ns / 5 * 6) as f64 / 1e6);
    }
    node["children"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .for_each(scale);
}

/// Rounds exclusive times to multiples of five nanoseconds, and recomputes inclusive times.
fn round_times(node: &mut Value) -> i64 {
    let own = (node["exclusive_time"].as_f64().unwrap() * 1e6).round() as i64 / 5 * 5;
    let below: i64 = node["children"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .map(round_times)
        .sum();
    node["exclusive_time"] = Value::from(own as f64 / 1e6);
    node["inclusive_time"] = Value::from((own + below) as f64 / 1e6);
    own + below
}

/// The first subtree in preorder whose method name contains `part`.
fn find<'a>(node: &'a mut Value, part: &str) -> Option<&'a mut Value> {
    if node["name"].as_str().unwrap().contains(part) {
        return Some(node);
    }
    node["children"]
        .as_array_mut()?
        .iter_mut()
        .find_map(|child| find(child, part))
}

fn remove(node: &mut Value, part: &str) -> bool {
    let Some(children) = node["children"].as_array_mut() else {
        return false;
    };
    if let Some(at) = children
        .iter()
        .position(|child| child["name"].as_str().unwrap().contains(part))
    {
        children.remove(at);
        return true;
    }
    children.iter_mut().any(|child| remove(child, part))
}

#[test]
fn one_slower_and_one_removed_subtree_are_found() {
    let text = std::fs::read_to_string("snapshots/js-ordered-consume.calltree.json").unwrap();
    let mut reader = serde_json::Deserializer::from_str(&text);
    reader.disable_recursion_limit();
    let mut before = Value::deserialize(&mut reader).unwrap();
    round_times(&mut before["call_tree"]);
    let mut after = before.clone();
    scale(find(&mut after["call_tree"], "PriceRules.Discount").unwrap());
    assert!(remove(&mut after["call_tree"], "OrderBook.Apply"));
    update_totals(&mut after["call_tree"]);
    let [before_sums, after_sums] = [&before, &after].map(|document| {
        let mut sums = Sums::new();
        add(&document["call_tree"], &mut Vec::new(), &mut sums);
        sums
    });
    let folder = tempfile::tempdir().unwrap();
    let views = [("before.json", &before), ("after.json", &after)].map(|(name, document)| {
        let path = folder.path().join(name);
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(document.to_string().as_bytes()).unwrap();
        read(&path)
    });
    let (_, _, rows) = compared(&views[0], &views[1]);
    let mut differing = 0;
    for (name, (own, all)) in &before_sums {
        let (own_after, all_after) = after_sums.get(name).copied().unwrap_or_default();
        let Some(row) = rows.get(name) else {
            assert_eq!((*own, *all, own_after, all_after), (0, 0, 0, 0), "{name}");
            continue;
        };
        let deltas = (row.exclusive.sides.delta(), row.inclusive.sides.delta());
        assert_eq!(
            deltas,
            (i128::from(own_after - own), i128::from(all_after - all)),
            "{name}"
        );
        differing += usize::from(deltas != (0, 0));
    }
    assert!(differing > 3, "{differing} methods differ");
}

/// Recomputes inclusive times from exclusive times.
fn update_totals(node: &mut Value) -> i64 {
    let own = (node["exclusive_time"].as_f64().unwrap() * 1e6).round() as i64;
    let below: i64 = node["children"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .map(update_totals)
        .sum();
    node["inclusive_time"] = Value::from((own + below) as f64 / 1e6);
    own + below
}

/// Differences between two dotTrace snapshots equal the differences of their sums.
#[test]
fn differences_between_snapshots_match_their_sums() {
    let (Some(before), Some(after)) = (shared("dtp/profile.dtp"), shared("dtp/profile_multi.dtp"))
    else {
        return;
    };
    let views = [read(&before), read(&after)];
    let (_, view, rows) = compared(&views[0], &views[1]);
    let own = |view: &dotspot::testing::model::View, name: &str| -> u64 {
        let frames = view
            .frames
            .iter()
            .filter(|(id, _)| view.frames.name(*id) == name);
        let nodes = frames.flat_map(|(id, _)| view.occurrences.of(id));
        nodes
            .map(|&node| view.tree.exclusive(view.recording.default_metric, node))
            .sum()
    };
    assert!(rows.len() > 100);
    let mut sums = [0u64; 2];
    for (frame, _) in view.frames.iter().filter(|(_, frame)| frame.kind.is_code()) {
        let name = view.frames.name(frame);
        let nodes = view.occurrences.of(frame);
        let sum = |metric| {
            nodes
                .iter()
                .map(|&node| view.tree.exclusive(metric, node))
                .sum::<u64>()
        };
        sums[0] += sum(super::BEFORE);
        sums[1] += sum(super::AFTER);
        // overloads share a name
        if view
            .frames
            .iter()
            .filter(|(id, _)| view.frames.name(*id) == name)
            .count()
            == 1
        {
            let sides = rows.get(name).map_or([0, 0], |row| {
                [row.exclusive.sides.before, row.exclusive.sides.after]
            });
            assert_eq!(
                sides,
                [own(&views[0], name), own(&views[1], name)],
                "{name}"
            );
        }
    }
    // nothing is lost
    for (view, sum) in views.iter().zip(sums) {
        let methods = view
            .tree
            .nodes()
            .filter(|&node| view.frames.get(view.tree.frame(node)).kind.is_code());
        assert_eq!(
            methods
                .map(|node| view.tree.exclusive(view.recording.default_metric, node))
                .sum::<u64>(),
            sum
        );
    }
}

/// Method names agree between a dotTrace snapshot and another tool's recording of the same program.
#[test]
fn method_names_agree_between_formats() {
    use dotspot::testing::analysis::{Presence, Side, compare};
    let dtp = read(std::path::Path::new("snapshots/js-ordered-consume.dtp"));
    let trace = sample();
    let side = |view| Side {
        view,
        measure: dotspot::testing::model::MetricId(0).into(),
        scale: 1.0,
    };
    let compared = compare(&[side(&dtp)], &[side(&trace)], &[]).unwrap();
    let frames = &compared.recording.frames;
    let presence = |part: &str| {
        let found = frames
            .iter()
            .find(|(id, _)| frames.display_name(*id) == part);
        found.map(|(id, _)| compared.presence(id))
    };
    for name in [
        "PriceRules.Discount",
        "OrderPipeline.HandleAsync (async)",
        "Program.Main (async)",
    ] {
        assert_eq!(presence(name), Some(Presence::Both), "{name}");
    }
}
