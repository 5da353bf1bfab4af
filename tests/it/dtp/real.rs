//! Real snapshots of other people's programs, read in place: each against what an independent reader found in it, and
//! against dotTrace's own numbers.

use super::{good, read_file};
use crate::common::sums::{Sums, TIME, method_of, sums};
use crate::common::text::{has, starts};
use crate::common::{named_here, shared};
use dotspot::testing::analysis::make::node_labeled;
use dotspot::testing::analysis::{SumsComparison, compare_viewer_sums};
use dotspot::testing::model::NodeId;
use serde::Deserialize;
use std::sync::Arc;

/// What an independent reader (Python) found in a snapshot.
#[derive(Deserialize)]
struct Expected {
    threads: Vec<ExpectedThread>,
    functions: usize,
    nodes: usize,
    hottest_by_own: Vec<ExpectedFunction>,
    hottest_by_total: Vec<ExpectedFunction>,
}

#[derive(Deserialize)]
struct ExpectedThread {
    number: u32,
    kind: u8,
    name: String,
    nodes: usize,
    total_ms: f64,
    own_ms: f64,
}

#[derive(Deserialize)]
struct ExpectedFunction {
    name: String,
    own_ms: f64,
    total_ms: f64,
    count: u64,
    nodes: u64,
}

fn stored(ms: f64) -> u64 {
    (ms * 1e6).round() as u64
}

#[track_caller]
fn check_real(name: &str) {
    let path = present!(shared(&format!("dtp/{name}.dtp")));
    let profile = good(read_file(&path));
    let expected = path.parent().unwrap().join(format!("expected/{name}.json"));
    let expected: Expected = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    assert_eq!(profile.codes(), [""; 0]);
    // the root above all threads is ours
    assert_eq!(profile.tree.len(), expected.nodes + 1);
    assert_eq!(profile.threads.len(), expected.threads.len());
    for (thread, expected) in profile.threads.iter().zip(&expected.threads) {
        assert_eq!(thread.id, expected.number.to_string());
        let word = match expected.kind {
            2 | 3 => "main",
            4 => "finalizer",
            _ => "",
        };
        assert_eq!(
            thread.name,
            if expected.name.is_empty() {
                word
            } else {
                &expected.name
            }
        );
        assert_eq!(profile.tree.size(thread.node), expected.nodes);
        assert_eq!(
            profile.tree.inclusive(TIME, thread.node),
            stored(expected.total_ms)
        );
        assert_eq!(
            profile.tree.exclusive(TIME, thread.node),
            stored(expected.own_ms)
        );
    }
    let all: u64 = profile
        .threads
        .iter()
        .map(|thread| profile.tree.inclusive(TIME, thread.node))
        .sum();
    assert_eq!(profile.tree.inclusive(TIME, NodeId::ROOT), all);
    let sums = sums(&profile, NodeId::ROOT);
    assert_eq!(sums.len(), expected.functions);
    for expected in expected
        .hottest_by_own
        .iter()
        .chain(&expected.hottest_by_total)
    {
        let overloads: Vec<&Sums> = sums
            .iter()
            .filter(|((name, _), _)| name == named_here(&expected.name))
            .map(|(_, sums)| sums)
            .collect();
        let expect = (
            stored(expected.own_ms),
            stored(expected.total_ms),
            expected.count,
            expected.nodes,
        );
        assert!(
            overloads
                .iter()
                .any(|sum| (sum.exclusive, sum.inclusive, sum.count, sum.nodes) == expect),
            "{}: {expect:?} is not in {overloads:?}",
            expected.name
        );
    }
}

#[test]
fn a_sampling_snapshot_of_linux() {
    check_real("profile");
}

#[test]
fn a_sampling_snapshot_with_named_threads() {
    check_real("profile_multi");
}

#[test]
fn a_tracing_snapshot_of_windows_in_one_file() {
    check_real("Issue254");
}

#[test]
fn a_sampling_snapshot_of_windows_in_one_file() {
    check_real("baseline");
}

// ---- dotTrace's own numbers ----

/// All sums that the snapshot stores (sections 0x1102 and 0x1103) are those of the tree, thread by thread, and no
/// function of the tree is without one.
#[track_caller]
fn check_stored(name: &str) {
    let path = present!(shared(&format!("dtp/{name}.dtp")));
    let profile = good(read_file(&path));
    let mut compared = 0;
    for thread in profile.threads.iter() {
        let sums = sums(&profile, thread.node);
        let stored: Vec<_> = profile
            .recording
            .stored_hotspots
            .iter()
            .filter(|stored| profile.from_recorded(stored.scope) == Some(thread.node))
            .collect();
        assert_eq!(stored.len(), sums.len(), "thread {}", thread.id);
        for stored in stored {
            let method = method_of(&profile, stored);
            let sum = sums[&method];
            let found = (
                stored.exclusive,
                stored.inclusive,
                stored.count,
                stored.node_count,
            );
            assert_eq!(
                found,
                (
                    sum.exclusive,
                    sum.inclusive,
                    Some(sum.count),
                    Some(sum.nodes)
                ),
                "{method:?}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, profile.recording.stored_hotspots.len());
    assert!(compared > 100, "there is something to compare");
    // what every load says about it
    assert_eq!(
        dotspot::testing::analysis::check_stored_hotspots(&profile),
        None
    );
    let mut wrong = profile;
    Arc::make_mut(&mut wrong.recording).stored_hotspots[7].exclusive += 1_000_000_000;
    let sentence =
        dotspot::testing::analysis::check_stored_hotspots(&wrong).expect("a difference is seen");
    starts(sentence.to_string(), "1 of the ");
    has(sentence.to_string(), " exclusive ");
}

#[test]
fn the_stored_sums_are_those_of_the_tree() {
    for name in ["profile", "profile_multi", "Issue254", "baseline"] {
        check_stored(name);
    }
}

#[test]
fn dottrace_itself_computed_the_same_times() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let profile = good(read_file(&path));
    assert_eq!(profile.recording.viewer_sums.len(), 87);
    // as the file has it, in ticks of 100 ns: OwnTime="2124512" … TotalTime="649312546"
    let first = &profile.recording.viewer_sums[0];
    assert_eq!(
        &*first.name,
        "sly.parser.llparser.RecursiveDescentSyntaxParser`2.ParseNonTerminal"
    );
    assert_eq!(
        (first.exclusive, first.inclusive_each),
        (212_451_200, 64_931_254_600)
    );
    let comparison = compare_viewer_sums(&profile);
    assert_eq!(
        comparison,
        SumsComparison {
            equal: 87,
            rounded: 0,
            differing: Vec::new()
        }
    );
    // the same by a plain loop
    let sums = sums(&profile, NodeId::ROOT);
    let mut own_name = 0;
    for stored in &profile.recording.viewer_sums {
        let frame = stored.frame.expect("the method is in the tree");
        let key = (
            profile.frames.name(frame).to_string(),
            profile.frames.signature(frame).to_string(),
        );
        let found = &sums[&key];
        assert_eq!(
            (found.exclusive, found.inclusive_each),
            (stored.exclusive, stored.inclusive_each),
            "{key:?}"
        );
        // a virtual function is named as it was declared, so at least the method's own name is equal
        let last = |name: &str| name.rsplit(['.', '+']).next().unwrap().to_string();
        assert_eq!(last(&key.0), last(&stored.name));
        own_name += usize::from(key.0.split_once('!').unwrap().1 == &*stored.name);
    }
    // the others are named after a base type or an interface
    assert_eq!(own_name, 77);
    let mut wrong = profile;
    let sums = &mut Arc::make_mut(&mut wrong.recording).viewer_sums;
    sums[3].exclusive += 1_000_000;
    sums[5].frame = None;
    let comparison = compare_viewer_sums(&wrong);
    assert_eq!((comparison.equal, comparison.differing.len()), (85, 2));
}

// ---- what is beside an index ----

#[test]
fn a_file_beside_the_index_opens_it() {
    for (part, index) in [
        ("profile.dtp.0000", "profile.dtp"),
        ("profile.dtp.0002", "profile.dtp"),
        ("baseline.dtp.State", "baseline.dtp"),
        ("Issue254.dtp.DotSettings", "Issue254.dtp"),
    ] {
        let (Some(part), Some(index)) = (
            shared(&format!("dtp/{part}")),
            shared(&format!("dtp/{index}")),
        ) else {
            return;
        };
        let (opened, expect) = (good(read_file(&part)), good(read_file(&index)));
        assert_eq!(opened.recording.source.name, index.display().to_string());
        assert_eq!(opened.codes(), [""; 0]);
        assert_eq!(opened.tree, expect.tree);
    }
}

// ---- what is told beside the tree ----

#[test]
fn the_description_is_read() {
    let path = present!(shared("dtp/profile.dtp"));
    let profile = good(read_file(&path));
    assert_eq!(profile.recording.source.kind.name(), "sampling");
    assert_eq!(
        (
            &*profile.recording.source.format,
            profile.recording.source.decoder.as_str()
        ),
        ("dtp", "native")
    );
    let fact = |what: &str| {
        profile
            .recording
            .source
            .facts
            .iter()
            .find(|(key, _)| *key == what)
            .map(|(_, text)| text.as_str())
    };
    // as `strings` shows them, and the FILETIMEs by `date -u -d @$((n / 10000000 - 11644473600))`
    assert_eq!(fact("dotTrace"), Some("2025.2"));
    assert_eq!(
        fact("operating system"),
        Some("Debian GNU/Linux 13 (trixie) 6.12.48+deb13-amd64")
    );
    assert_eq!(fact("runtime"), Some("9.0.10.0"));
    assert_eq!(fact("processors"), Some("12"));
    assert_eq!(fact("started"), Some("2025-10-25T16:19:38Z"));
}

#[test]
fn nodes_are_called_by_their_offsets() {
    let path = present!(shared("dtp/profile.dtp"));
    let profile = good(read_file(&path));
    let thread = profile
        .threads
        .iter()
        .find(|thread| thread.id == "4")
        .unwrap();
    // its section has 125 bytes, and the root is the last node: with offsets of 1 byte and times of 3 it has
    // 4 + 3 + 6 + 5 bytes
    let label = profile.node_label(thread.node);
    assert_eq!(label, format!("t4:{:#x}", 125 - 18));
    assert_eq!(node_labeled(&profile, &label), Some(thread.node));
}
