//! Real snapshots of other people's programs, compared with an independent reader's results and with dotTrace's own
//! numbers.

use super::{good, read_file};
use crate::common::sums::{Sums, TIME, sums};
use crate::common::{named_here, shared};
use dotspot::testing::analysis::node_labeled;
use dotspot::testing::importers::examine;
use dotspot::testing::input::Progress;
use dotspot::testing::model::{NodeId, View};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

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

/// Reads little-endian integers of these widths from the start of `bytes`.
fn row<const N: usize>(bytes: &mut &[u8], widths: [usize; N]) -> [u64; N] {
    widths.map(|width| {
        let (field, rest) = bytes.split_at(width);
        *bytes = rest;
        let field = field.iter().rev();
        field.fold(0, |value, &byte| value << 8 | u64::from(byte))
    })
}

/// The sums that dotTrace stored for a thread, from its sections 0x1101 to 0x1103, by name and signature. What is not
/// stored comes from `computed`: inclusive values with recursion counted each time, and functions with one node.
fn stored_sums(
    profile: &View,
    thread: &str,
    [mut places, mut rows, mut singles]: [&[u8]; 3],
    ns_per_tick: u64,
    computed: &HashMap<(String, String), Sums>,
) -> HashMap<(String, String), Sums> {
    let function_at = |offset: u64| {
        let node = node_labeled(profile, &format!("t{thread}:{offset:#x}")).unwrap();
        let signature = profile.frames.signature(profile.tree.frame(node));
        (profile.name(node).to_string(), signature.to_string())
    };
    let mut stored = HashMap::new();
    let [place_width, offset_width, time_width, count] = row(&mut rows, [1, 1, 1, 4]);
    let [place_width, offset_width, time_width] =
        [place_width, offset_width, time_width].map(|width| width as usize);
    let listed_width = row(&mut places, [1])[0] as usize;
    for _ in 0..count {
        let [_, _, own, total, count, _, _, flags] = row(
            &mut rows,
            [
                4,
                place_width,
                time_width,
                8,
                8,
                offset_width,
                offset_width,
                1,
            ],
        );
        // without this flag, the nodes of the function have flags of their own
        let flags_width = usize::from(flags & 1 == 0);
        let [nodes] = row(&mut places, [4]);
        let nodes = (0..nodes).map(|_| {
            let widths = [listed_width, listed_width, flags_width];
            function_at(row(&mut places, widths)[0])
        });
        let nodes: Vec<_> = nodes.collect();
        assert!(nodes.iter().all(|node| *node == nodes[0]));
        let sums = Sums {
            exclusive: own * ns_per_tick,
            inclusive: total * ns_per_tick,
            inclusive_each: computed[&nodes[0]].inclusive_each,
            count,
            nodes: nodes.len() as u64,
        };
        stored.insert(nodes[0].clone(), sums);
    }
    let [offset_width, count] = row(&mut singles, [1, 4]);
    for _ in 0..count {
        let function = function_at(row(&mut singles, [4, offset_width as usize])[1]);
        let sums = computed[&function];
        assert_eq!(sums.nodes, 1, "{function:?}");
        stored.insert(function, sums);
    }
    assert!(places.is_empty() && rows.is_empty() && singles.is_empty());
    stored
}

/// Checks that all sums stored in the snapshot equal those of the tree, thread by thread, and that every function in the
/// tree has one.
#[track_caller]
fn check_stored(path: &Path) {
    let profile = good(read_file(path));
    let (found, _) = examine(path, &Progress::default()).unwrap();
    let sections = found.sections.iter().map(|section| {
        let bytes = std::fs::read(path.with_file_name(&section.file)).unwrap();
        let start = section.start as usize;
        (
            section.id,
            bytes[start..][..section.size_bytes as usize].to_vec(),
        )
    });
    let sections: Vec<(u16, Vec<u8>)> = sections.collect();
    let all = |id: u16| {
        let sections = sections.iter().filter(move |section| section.0 == id);
        sections.map(|section| section.1.as_slice())
    };
    let ticks_per_second = row(&mut all(0x1000).next().unwrap(), [8])[0];
    assert_eq!(1_000_000_000 % ticks_per_second, 0);
    let threads = all(0x1101).zip(all(0x1102)).zip(all(0x1103));
    let mut compared = 0;
    for (thread, ((places, rows), singles)) in profile.threads.iter().zip(threads) {
        let computed = sums(&profile, thread.node);
        compared += computed.len();
        let sections = [places, rows, singles];
        let ns_per_tick = 1_000_000_000 / ticks_per_second;
        let stored = stored_sums(&profile, &thread.id, sections, ns_per_tick, &computed);
        assert_eq!(stored, computed, "thread {}", thread.id);
    }
    assert_eq!(all(0x1101).count(), profile.threads.len());
    assert!(compared > 100, "too few sums to compare");
}

#[test]
fn stored_sums_match_the_tree() {
    for name in ["profile", "profile_multi", "Issue254", "baseline"] {
        check_stored(&present!(shared(&format!("dtp/{name}.dtp"))));
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
