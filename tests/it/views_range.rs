//! Time ranges compared with `../shared/data/expected/views`, which an independent program computed from the recordings.

use crate::common::profiles::{check_tree, read_file};
use crate::common::{expected_views, shared};
use dotspot::testing::analysis::hotspots;
use dotspot::testing::analysis::scoped;
use dotspot::testing::model::{MetricId, NodeId, Scope, Synthetic, TimeRange, View};
use dotspot::testing::units::Unit;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The three ranges in nanoseconds from the start of the session.
const RANGES: [TimeRange; 3] = [
    TimeRange {
        from_ns: 0,
        to_ns: 2_000_000_000,
    },
    TimeRange {
        from_ns: 2_000_000_000,
        to_ns: 4_500_000_000,
    },
    TimeRange {
        from_ns: 4_500_000_000,
        to_ns: TimeRange::OPEN,
    },
];
/// Expected times have three decimals.
const TOLERANCE_MS: f64 = 0.01;

#[derive(Deserialize)]
struct Views {
    time_range: Expected,
}

#[derive(Deserialize)]
struct Expected {
    end_ms: f64,
    totals: BTreeMap<String, Part>,
    threads: Vec<ThreadRow>,
    ranges: Vec<String>,
    /// For each range inclusive and exclusive CPU time, then the same for wall time.
    methods: BTreeMap<String, Vec<Option<[f64; 4]>>>,
    histogram: Histogram,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct Part {
    cpu_ms: f64,
    wall_ms: f64,
    samples: u64,
}

#[derive(Deserialize)]
struct ThreadRow {
    thread: String,
    #[serde(flatten)]
    parts: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Histogram {
    bins: usize,
    to_ms: f64,
    cpu_ms_by_thread: BTreeMap<String, Vec<f64>>,
}

fn open(file: &str) -> Option<(View, Expected)> {
    let recording = shared(&format!("net10/{file}.nettrace"))?;
    let Views { time_range } = expected_views(file);
    Some((read_file(&recording).original(), time_range))
}

/// The same view of a time range.
fn in_range(view: &View, range: TimeRange) -> View {
    scoped(
        &view.recording,
        &Scope {
            range: Some(range),
            ..view.steps.scope.clone()
        },
    )
    .unwrap()
}

fn ms(stored: u64) -> f64 {
    Unit::Milliseconds.to_unit(stored)
}

#[track_caller]
fn assert_near(found: f64, expect: f64, what: &str) {
    assert!(
        (found - expect).abs() <= TOLERANCE_MS,
        "{what}: {found} ms, and {expect} ms expected"
    );
}

fn metric(profile: &View, name: &str) -> MetricId {
    profile.recording.metric_named(name).unwrap()
}

/// CPU and wall time of a node, and its samples.
fn values(profile: &View, node: NodeId) -> Part {
    let (cpu, wall) = (metric(profile, "CPU"), metric(profile, "wall"));
    let samples = profile.tree.count(wall, node).unwrap();
    Part {
        cpu_ms: ms(profile.tree.inclusive(cpu, node)),
        wall_ms: ms(profile.tree.inclusive(wall, node)),
        samples,
    }
}

#[track_caller]
fn assert_part(found: Part, expect: Part, what: &str) {
    assert_near(found.cpu_ms, expect.cpu_ms, &format!("{what}, CPU"));
    assert_near(found.wall_ms, expect.wall_ms, &format!("{what}, wall"));
    assert_eq!(found.samples, expect.samples, "{what}, samples");
}

/// Expected threads are named `Thread (7)`; here their names may follow.
fn thread_root(profile: &View, title: &str) -> NodeId {
    let id = title.trim_start_matches("Thread (").trim_end_matches(')');
    profile
        .threads
        .iter()
        .find(|thread| thread.id == id)
        .unwrap()
        .node
}

#[track_caller]
fn check(file: &str) {
    let (profile, expect) = present!(open(file));
    assert_eq!(expect.ranges.len(), RANGES.len());
    let span_ms = ms(profile.recording.samples.as_ref().unwrap().span_ns);
    assert_near(span_ms, expect.end_ms, "the end of the last sample");
    for (row, (&range, name)) in RANGES.iter().zip(&expect.ranges).enumerate() {
        let part = in_range(&profile, range);
        check_tree(&part);
        assert_part(
            values(&part, NodeId::ROOT),
            expect.totals[name],
            &format!("{file}, {name}"),
        );
        for thread in &expect.threads {
            let expected: Part = serde_json::from_value(thread.parts[name].clone()).unwrap();
            let found = values(&part, thread_root(&part, &thread.thread));
            assert_part(
                found,
                expected,
                &format!("{file}, {name}, {}", thread.thread),
            );
        }
        check_methods(&part, &expect, row, &format!("{file}, {name}"));
    }
    check_histogram(&profile, &expect.histogram, file);
}

/// Checks that the methods with a value in the range are exactly the expected ones.
#[track_caller]
fn check_methods(part: &View, expect: &Expected, row: usize, what: &str) {
    let mut found: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    for (at, name) in [(0, "CPU"), (2, "wall")] {
        for hotspot in hotspots(part, &[NodeId::ROOT], metric(part, name)) {
            let is_marker = matches!(
                part.frames.get(hotspot.frame).synthetic,
                Some(Synthetic::Truncated { .. })
            );
            if !is_marker && (hotspot.inclusive > 0 || hotspot.exclusive > 0) {
                let values = found.entry(part.frames.name(hotspot.frame)).or_default();
                (values[at], values[at + 1]) = (ms(hotspot.inclusive), ms(hotspot.exclusive));
            }
        }
    }
    let zeros = [0.0; 4];
    for (method, rows) in &expect.methods {
        let (found, expected) = (
            found.remove(method.as_str()).unwrap_or(zeros),
            rows[row].unwrap_or(zeros),
        );
        for (found, expected) in found.into_iter().zip(expected) {
            assert_near(found, expected, &format!("{what}, {method}"));
        }
    }
    assert!(found.is_empty(), "{what}: {found:?}");
}

#[track_caller]
fn check_histogram(profile: &View, expect: &Histogram, file: &str) {
    let boundary =
        |bin: usize| (expect.to_ms * 1e6 * bin as f64 / expect.bins as f64).round() as u64;
    for bin in 0..expect.bins {
        let to_ns = if bin + 1 == expect.bins {
            TimeRange::OPEN
        } else {
            boundary(bin + 1)
        };
        let part = in_range(
            profile,
            TimeRange {
                from_ns: boundary(bin),
                to_ns,
            },
        );
        for (thread, bins) in &expect.cpu_ms_by_thread {
            let found = values(&part, thread_root(&part, thread)).cpu_ms;
            assert_near(found, bins[bin], &format!("{file}, bin {bin}, {thread}"));
        }
    }
}

#[test]
fn an_independent_program_agrees_on_ranges_of_orderedconsume() {
    check("orderedconsume");
}

#[test]
fn an_independent_program_agrees_on_ranges_of_a_regression() {
    check("orderedconsume-regressed");
}

#[test]
fn an_independent_program_agrees_on_ranges_of_cpubound() {
    check("cpubound");
}

#[test]
fn an_independent_program_agrees_on_ranges_of_truncated_stacks() {
    check("deepstacks-mutual");
}
