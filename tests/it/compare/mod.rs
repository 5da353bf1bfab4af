//! Comparisons of two recordings, checked against an independent program
//! (`../shared/data/expected/views/compare-orderedconsume.json`) and against arithmetic by hand, and their rates of false
//! positives and false negatives.

mod files;
mod noise;

use crate::common::profiles::{check_tree, read_file};
use crate::common::shared;
use dotspot::testing::analysis::whole;
use dotspot::testing::analysis::{
    AFTER, BEFORE, Compared, ComparedMethod, Estimate, Presence, Side, Sides, compare,
    compared_methods,
};
use dotspot::testing::model::profile_of;
use dotspot::testing::model::{MetricId, NodeId, Recording, TreeForm, UntimedReason, View};
use dotspot::testing::query::{
    ComparedFile, ComparedNode, Comparison, ComparisonRequest, Extent, comparison,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Expected times have three decimals.
const TOLERANCE_MS: f64 = 0.0011;

#[derive(Deserialize)]
struct Expected {
    total_ms: [f64; 3],
    managed_samples: [i64; 3],
    methods_with_time: usize,
    new_methods: Vec<ExpectedName>,
    vanished_methods: Vec<ExpectedName>,
    methods: Vec<ExpectedMethod>,
}

#[derive(Deserialize)]
struct ExpectedName {
    method: String,
}

#[derive(Deserialize)]
struct ExpectedMethod {
    method: String,
    exclusive_ms: [f64; 3],
    inclusive_ms: [f64; 3],
    exclusive_samples: [i64; 3],
    inclusive_samples: [i64; 3],
    exclusive_standard_error_ms: f64,
    inclusive_standard_error_ms: f64,
    exclusive_z: Option<f64>,
}

/// Reads a recording without repair.
fn read(path: &Path) -> View {
    whole(&read_file(path).recording, TreeForm::Original)
}

/// The view without sample times, as if the source only had sums.
fn without_times(view: View) -> View {
    let recording = Recording {
        samples: Err(UntimedReason::NoTimes),
        ..Recording::clone(&view.recording)
    };
    whole(&Arc::new(recording), TreeForm::Original)
}

fn side(view: &View) -> Side<'_> {
    Side {
        view,
        measure: view.recording.default_metric.into(),
        scale: 1.0,
    }
}

/// Compares two profiles. Returns the rows of methods by name.
fn compared(before: &View, after: &View) -> (Compared, View, BTreeMap<String, ComparedMethod>) {
    let compared = compare(&[side(before)], &[side(after)], &[]).unwrap();
    let view = View::whole(&compared.recording, TreeForm::Original);
    check_tree(&view);
    let rows = compared_methods(&compared, &view, &[NodeId::ROOT]);
    let rows = rows
        .into_iter()
        .map(|row| (view.frames.name(row.frame).to_string(), row))
        .collect();
    (compared, view, rows)
}

#[track_caller]
fn is_near(found: f64, expect: f64, what: &str) {
    assert!(
        (found - expect).abs() <= TOLERANCE_MS,
        "{what}: {found}, and {expect} is expected"
    );
}

#[track_caller]
fn is_same(found: &Estimate, expect: [f64; 3], what: &str) {
    let ms = |stored: u64| stored as f64 / 1e6;
    is_near(ms(found.sides.before), expect[0], what);
    is_near(ms(found.sides.after), expect[1], what);
    is_near(found.sides.delta() as f64 / 1e6, expect[2], what);
}

/// The two recordings, if the shared data is available.
fn recordings() -> Option<[View; 2]> {
    let paths = [
        "net10/orderedconsume.nettrace",
        "net10/orderedconsume-regressed.nettrace",
    ];
    let paths = paths.map(shared);
    let [Some(before), Some(after)] = &paths else {
        return None;
    };
    Some([before, after].map(|path| read(path)))
}

#[test]
fn methods_agree_with_an_independent_program() {
    let views = present!(recordings());
    // samples with times have other errors, see below
    let [before, after] = views.map(without_times);
    let expected: Expected = crate::common::expected_views("compare-orderedconsume");
    let (_, view, rows) = compared(&before, &after);
    for (metric, total) in [BEFORE, AFTER].into_iter().zip(expected.total_ms) {
        is_near(
            view.tree.inclusive(metric, NodeId::ROOT) as f64 / 1e6,
            total,
            "the total",
        );
    }
    for (metric, samples) in [BEFORE, AFTER].into_iter().zip(expected.managed_samples) {
        assert_eq!(view.tree.count(metric, NodeId::ROOT), Some(samples as u64));
    }
    assert_eq!(expected.methods.len(), expected.methods_with_time);
    let with_time = rows
        .values()
        .filter(|row| row.inclusive.sides != Default::default())
        .count();
    assert_eq!(with_time, expected.methods_with_time);
    for method in &expected.methods {
        let row = &rows[&method.method];
        is_same(&row.exclusive, method.exclusive_ms, &method.method);
        is_same(&row.inclusive, method.inclusive_ms, &method.method);
        let counts = row.counts.unwrap().sides;
        assert_eq!(
            [counts.before as i64, counts.after as i64],
            method.inclusive_samples[..2],
            "{}",
            method.method
        );
        let own = row.own_samples.map(|samples| samples.unwrap() as i64);
        assert_eq!(own, method.exclusive_samples[..2], "{}", method.method);
        // without sample times, only their number is known
        let error = |estimate: &Estimate| estimate.standard_error.unwrap_or(0.0) / 1e6;
        is_near(
            error(&row.exclusive),
            method.exclusive_standard_error_ms,
            &method.method,
        );
        is_near(
            error(&row.inclusive),
            method.inclusive_standard_error_ms,
            &method.method,
        );
        if let (Some(z), Some(found)) = (method.exclusive_z, row.exclusive.z) {
            is_near(found, z, &method.method);
        }
    }
}

#[test]
fn new_and_gone_methods_agree_with_an_independent_program() {
    let Some([before, after]) = recordings() else {
        return;
    };
    let expected: Expected = crate::common::expected_views("compare-orderedconsume");
    let (compared, view, _) = compared(&before, &after);
    let found = |presence: Presence| -> BTreeSet<&str> {
        let frames = view
            .frames
            .iter()
            .filter(|(id, frame)| frame.kind.is_code() && compared.presence(*id) == presence);
        frames.map(|(id, _)| view.frames.name(id)).collect()
    };
    let names = |rows: &'_ [ExpectedName]| {
        rows.iter()
            .map(|row| row.method.clone())
            .collect::<BTreeSet<String>>()
    };
    assert!(
        found(Presence::New)
            .into_iter()
            .eq(names(&expected.new_methods).iter().map(String::as_str))
    );
    assert!(
        found(Presence::Vanished)
            .into_iter()
            .eq(names(&expected.vanished_methods).iter().map(String::as_str))
    );
}

/// `data/orderedconsume.diff_base.txt` starts with the methods listed by pprof of Go 1.19.8, after `dotspot convert
/// --no-repair --to pprof` of both: `pprof -top -nodecount=100000 -nodefraction=0 -edgefraction=0 -unit=ns -sample_index=CPU
/// -diff_base=before.pb.gz after.pb.gz`.
#[test]
fn differences_agree_with_pprof() {
    let Some([before, after]) = recordings() else {
        return;
    };
    let (_, _, rows) = compared(&before, &after);
    let text =
        std::fs::read_to_string(crate::common::own_data("orderedconsume.diff_base.txt")).unwrap();
    let ns = |word: &str| -> i128 { word.trim_end_matches("ns").parse().unwrap() };
    let mut lines = 0;
    for line in text
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("flat"))
        .skip(1)
    {
        let words: Vec<&str> = line.split_whitespace().take(5).collect();
        let name = line.split("%  ").last().unwrap();
        let row = &rows[name];
        let deltas = (row.exclusive.sides.delta(), row.inclusive.sides.delta());
        assert_eq!(deltas, (ns(words[0]), ns(words[3])), "{name}");
        lines += 1;
    }
    assert_eq!(lines, 80);
}

#[test]
fn a_profile_does_not_differ_from_itself() {
    let before = crate::common::sample();
    let (compared, view, rows) = compared(&before, &before);
    assert!(!rows.is_empty() && compared.summed.is_empty());
    for (name, row) in rows {
        assert_eq!(
            (row.exclusive.sides.delta(), row.inclusive.sides.delta()),
            (0, 0),
            "{name}"
        );
        assert_eq!(row.presence, Presence::Both, "{name}");
    }
    assert_eq!(view.recording.metrics.len(), 2);
    assert_eq!(view.recording.metric(MetricId(1)).name, "CPU after");
}

/// Expected values were computed by hand from the two texts.
#[test]
fn callers_and_inverted_trees_have_both_sides() {
    let before = profile_of("T;Main;Load;Parse 50|T;Main;Run;Parse 200|T;Main;Run;Tax 100");
    let after = profile_of("T;Main;Load;Parse 20|T;Main;Run;Parse 700|T;Main;Run;Tax 100");
    let merged = crate::common::compared(&before, &after);
    let (before, after) = (
        [ComparedFile {
            file: "before".into(),
            view: before,
        }],
        [ComparedFile {
            file: "after".into(),
            view: after,
        }],
    );
    let request = ComparisonRequest {
        before: &before,
        after: &after,
        ..ComparisonRequest::default()
    };
    let found = comparison(&request).unwrap();
    assert_eq!(merged.tree.len(), found.view.tree.len());
    let rows = |found: &Comparison, request| {
        let rows = found.tree(request);
        let text = |row: &ComparedNode| {
            let Sides { before, after } = row.inclusive;
            let name = found.view.display_name(row.node);
            format!(
                "{}{name} {} {}",
                ">".repeat(row.depth),
                before / 1_000_000,
                after / 1_000_000
            )
        };
        rows.iter().map(text).collect::<Vec<_>>()
    };
    let all = Extent {
        depth: None,
        min_percent: 0.0,
    };
    let callers = found.callers("Parse", all).unwrap();
    let expect = [
        "Parse 250 720",
        ">Run 200 700",
        ">>Main 200 700",
        ">Load 50 20",
        ">>Main 50 20",
    ];
    assert_eq!(rows(&callers, all), expect);
    // +500 is more than half of 720, -30 is not
    let half = Extent {
        depth: Some(1),
        min_percent: 50.0,
    };
    assert_eq!(
        rows(&found.callers("Parse", half).unwrap(), half),
        expect[..2]
    );
    // Tax is equal on both sides
    let inverted = [
        "All threads 350 820",
        ">Parse 250 720",
        ">>Run 200 700",
        ">>Load 50 20",
    ];
    assert_eq!(rows(&found.inverted(all).unwrap(), all), inverted);
    assert!(found.callers("Nobody", all).is_err());
}
