//! Real snapshots of other people's programs, compared with an independent reader's results and with dotTrace's own
//! numbers.

use super::{good, read_file};
use crate::common::sums::{TIME, stored_sums, sums};
use crate::common::text::{has, starts};
use crate::common::{named_here, shared};
use dotspot::testing::analysis::check_stored_hotspots;
use dotspot::testing::analysis::make::node_labeled;
use dotspot::testing::model::NodeId;
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::Arc;

/// The content of a snapshot according to an independent reader (Python).
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
    // dotspot adds the root above all threads
    assert_eq!(profile.tree.len(), expected.nodes + 1);
    assert_eq!(profile.threads.len(), expected.threads.len());
    for (thread, expected) in profile.threads.iter().zip(&expected.threads) {
        assert_eq!(thread.id, expected.number.to_string());
        let word = match expected.kind {
            2 | 3 => "main",
            4 => "finalizer",
            _ => "",
        };
        let is_named = !expected.name.is_empty();
        assert_eq!(thread.name, if is_named { &expected.name } else { word });
        let (tree, node) = (&profile.tree, thread.node);
        assert_eq!(tree.size(node), expected.nodes);
        assert_eq!(tree.inclusive(TIME, node), stored(expected.total_ms));
        assert_eq!(tree.exclusive(TIME, node), stored(expected.own_ms));
    }
    let threads = profile.threads.iter();
    let all: u64 = threads
        .map(|thread| profile.tree.inclusive(TIME, thread.node))
        .sum();
    assert_eq!(profile.tree.inclusive(TIME, NodeId::ROOT), all);
    let sums = sums(&profile, NodeId::ROOT);
    assert_eq!(sums.len(), expected.functions);
    let hottest = expected
        .hottest_by_own
        .iter()
        .chain(&expected.hottest_by_total);
    for expected in hottest {
        let overloads = sums
            .iter()
            .filter(|row| row.0.0 == named_here(&expected.name));
        let mut found =
            overloads.map(|(_, sum)| (sum.exclusive, sum.inclusive, sum.count, sum.nodes));
        let times = (stored(expected.own_ms), stored(expected.total_ms));
        let expect = (times.0, times.1, expected.count, expected.nodes);
        assert!(
            found.any(|found| found == expect),
            "{} {expect:?}",
            expected.name
        );
    }
}

/// From Linux, with named threads, and from Windows in single files, by tracing and by sampling.
#[test]
fn snapshots_agree_with_an_independent_reader() {
    for name in ["profile", "profile_multi", "Issue254", "baseline"] {
        check_real(name);
    }
}

/// Checks that all sums stored in the snapshot (sections 0x1102 and 0x1103) equal those of the tree, thread by thread,
/// and that every function in the tree has one.
#[track_caller]
fn check_stored(name: &str) {
    let profile = good(read_file(&present!(shared(&format!("dtp/{name}.dtp")))));
    let mut compared = 0;
    for thread in profile.threads.iter() {
        let sums = sums(&profile, thread.node);
        compared += sums.len();
        assert_eq!(
            stored_sums(&profile, thread.node),
            sums,
            "thread {}",
            thread.id
        );
    }
    assert_eq!(compared, profile.recording.stored_hotspots.len());
    assert!(compared > 100, "too few sums to compare");
    // the warning that every load gives
    assert_eq!(check_stored_hotspots(&profile), None);
    let mut wrong = profile;
    Arc::make_mut(&mut wrong.recording).stored_hotspots[7].exclusive += 1_000_000_000;
    let sentence = check_stored_hotspots(&wrong).expect("a difference is seen");
    starts(sentence.to_string(), "1 of the ");
    has(sentence.to_string(), " exclusive ");
}

#[test]
fn stored_sums_match_the_tree() {
    for name in ["profile", "profile_multi", "Issue254", "baseline"] {
        check_stored(name);
    }
}

/// The times of functions that dotTrace's window saved in `.dtp.DotSettings`, in ticks of 100 ns, such as
/// `FuId="0x005000FE" OwnTime="2124512" … TotalTime="649312546"`, over all nodes of each function.
#[test]
fn times_match_those_computed_by_dottrace() {
    let profile = good(read_file(&present!(shared("dtp/Issue254.dtp"))));
    let settings = present!(shared("dtp/Issue254.dtp.DotSettings"));
    let settings = std::fs::read_to_string(settings).unwrap();
    let sums = sums(&profile, NodeId::ROOT);
    let times: HashSet<(u64, u64)> = sums
        .values()
        .map(|sums| (sums.exclusive, sums.inclusive_each))
        .collect();
    let mut compared = 0;
    for implementation in settings.split("&lt;Implementation FuId=").skip(1) {
        let ns = |name: &str| {
            let (_, value) = implementation.split_once(name).unwrap();
            let ticks: u64 = value.split('"').nth(1).unwrap().parse().unwrap();
            ticks * 100
        };
        let (own, total) = (ns("OwnTime="), ns("TotalTime="));
        assert!(times.contains(&(own, total)), "{implementation:.100}");
        compared += 1;
    }
    assert_eq!(compared, 87);
}

#[test]
fn opening_a_numbered_file_opens_its_index() {
    for (index, part) in [
        ("profile.dtp", ".0000"),
        ("profile.dtp", ".0002"),
        ("baseline.dtp", ".State"),
        ("Issue254.dtp", ".DotSettings"),
    ] {
        let part = present!(shared(&format!("dtp/{index}{part}")));
        let index = part.with_file_name(index);
        let (opened, expect) = (good(read_file(&part)), good(read_file(&index)));
        assert_eq!(opened.recording.source.name, index.display().to_string());
        assert_eq!(opened.codes(), [""; 0]);
        assert_eq!(opened.tree, expect.tree);
    }
}

#[test]
fn the_description_is_read() {
    let profile = good(read_file(&present!(shared("dtp/profile.dtp"))));
    let source = &profile.recording.source;
    let found = (source.kind.name(), &*source.format, &*source.decoder);
    assert_eq!(found, ("sampling", "dtp", "native"));
    // as shown by `strings`; FILETIMEs were converted by `date -u -d @$((n / 10000000 - 11644473600))`
    for (what, expect) in [
        ("dotTrace", "2025.2"),
        (
            "operating system",
            "Debian GNU/Linux 13 (trixie) 6.12.48+deb13-amd64",
        ),
        ("runtime", "9.0.10.0"),
        ("processors", "12"),
        ("started", "2025-10-25T16:19:38Z"),
    ] {
        assert_eq!(source.fact(what), Some(expect));
    }
}

#[test]
fn nodes_are_labeled_with_their_offsets() {
    let path = present!(shared("dtp/profile.dtp"));
    let profile = good(read_file(&path));
    let mut threads = profile.threads.iter();
    let thread = threads.find(|thread| thread.id == "4").unwrap();
    // its section has 125 bytes, and the root is the last node: with offsets of 1 byte and times of 3 it has
    // 4 + 3 + 6 + 5 bytes
    let label = profile.node_label(thread.node);
    assert_eq!(label, format!("t4:{:#x}", 125 - 18));
    assert_eq!(node_labeled(&profile, &label), Some(thread.node));
}
