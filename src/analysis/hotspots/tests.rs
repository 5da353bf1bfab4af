use super::*;
use crate::model::testing::{profile_of, recording_of};
use crate::model::{Frames, MetricId, Recording, TreeBuilder};

const TIME: MetricId = MetricId(0);

/// `name inclusive exclusive samples nodes heaviest` of each hotspot below `root`, hottest first.
#[track_caller]
fn check(stacks: &str, root: u32, order: HotspotOrder, expect: &[&str]) {
    let view = profile_of(stacks);
    let mut rows = hotspots(&view, &[NodeId(root)], MetricId(0));
    sort_hotspots(&view, &mut rows, order);
    let rows: Vec<String> = rows
        .iter()
        .map(|h| {
            let (name, nodes) = (view.frames.name(h.frame), h.node_count);
            let (inclusive, exclusive) = (h.inclusive / 1_000_000, h.exclusive / 1_000_000);
            format!(
                "{name} {inclusive} {exclusive} {} {nodes} n{}",
                h.count.unwrap(),
                h.heaviest_node.0
            )
        })
        .collect();
    assert_eq!(rows, expect);
}

#[test]
fn sums_over_the_tree() {
    // n0 all, n1 thread, n2 a 10, n3 b 6, n4 c 3, n5 c 8
    check(
        "T;a;b;c 3|T;a;b 3|T;a 4|T;c 8",
        0,
        HotspotOrder::Exclusive,
        &["c 11 11 2 2 n5", "a 10 4 3 1 n2", "b 6 3 2 1 n3"],
    );
    check(
        "T;a;b;c 3|T;a;b 3|T;a 4|T;c 8",
        3,
        HotspotOrder::Inclusive,
        &["b 6 3 2 1 n3", "c 3 3 1 1 n4"],
    );
}

#[test]
fn recursion_counts_once_for_inclusive_time() {
    // the samples of a are the 4 of its outermost node
    // a 10 (own 1) ▸ b 9 (own 2) ▸ a 7 (own 3) ▸ a 4: a's inclusive time is 10, not 21
    check(
        "T;a 1|T;a;b 2|T;a;b;a 3|T;a;b;a;a 4",
        0,
        HotspotOrder::Inclusive,
        &["a 10 8 4 3 n2", "b 9 2 3 1 n3"],
    );
}

#[test]
fn several_subtrees_are_summed_together() {
    // n1 T ▸ n2 x 5 ▸ n3 a 5; n4 y 3 ▸ n5 a 3; n6 a 1
    let view = profile_of("T;x;a 5|T;y;a 3|T;a 1");
    let rows = hotspots(&view, &[NodeId(4), NodeId(6)], MetricId(0));
    let sums: Vec<(u64, u32)> = rows
        .iter()
        .map(|row| (row.exclusive / 1_000_000, row.node_count))
        .collect();
    assert_eq!(sums, [(0, 1), (4, 2)], "y, then a");
}

#[test]
fn reentered_methods_count_each_time() {
    check(
        "T;x;a 1|T;y;a 2",
        0,
        HotspotOrder::Exclusive,
        &["a 3 3 2 2 n3", "y 2 0 1 1 n2", "x 1 0 1 1 n4"],
    );
}

#[test]
fn averages_are_per_call() {
    let mut recording =
        recording_of("T;a 1|T;a 0|T;a 0|T;a;b 3|T;a;b;a 2|T;a;b;a 1|T;a;b;a 1|T;a;b;a 1");
    recording.metrics[0].counts = Some(CountKind::Calls);
    let view = recording.into_view();
    // a (8 calls, own 1) ▸ b (own 3) ▸ a (4 calls, own 5)
    let mut rows = hotspots(&view, &[NodeId::ROOT], MetricId(0));
    sort_hotspots(&view, &mut rows, HotspotOrder::Inclusive);
    let a = rows[0];
    assert_eq!(
        (a.inclusive, a.exclusive, a.outermost_count, a.total_count),
        (9_000_000, 6_000_000, 8, 12)
    );
    assert_eq!(
        a.per_call(HotspotOrder::Inclusive),
        Some(1_125_000),
        "9 ms of 8 calls"
    );
    assert_eq!(
        a.per_call(HotspotOrder::Exclusive),
        Some(500_000),
        "6 ms of 12 calls"
    );
    assert_eq!(average(7, 2), Some(4), "rounded half up");
    assert_eq!(average(7, 0), None);
}

#[test]
fn waiting_and_own_samples_are_summed_with_recursion_counted_once() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    // a ▸ a ▸ sleep 50, a ▸ a ▸ b 5, a 7, sleep 20 elsewhere; each stack is one sample
    let mut recording = recording_of(&format!(
        "T;a;a;{sleep} 50|T;a;a;b 5|T;a 7|T;{sleep} 20|U;{sleep} 90"
    ));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let rows = hotspots(&view, &[NodeId::ROOT], view.measure(TIME));
    let row = |name: &str| {
        rows.iter()
            .find(|row| view.frames.name(row.frame) == name)
            .unwrap()
    };
    let ms = |steps: u64| steps / 1_000_000;
    let sums_of = |name: &str| {
        let row = row(name);
        let [inclusive, exclusive] = [HotspotOrder::Inclusive, HotspotOrder::Exclusive];
        (
            ms(row.inclusive),
            ms(row.weight(inclusive)),
            ms(row.weight(exclusive)),
            row.samples(inclusive),
            row.samples(exclusive),
        )
    };
    // one of its 3 samples waits, whatever its duration
    assert_eq!(sums_of("a"), (62, 12, 7, Some(2), Some(1)));
    assert_eq!((row("a").count, row("a").counted()), (Some(3), Some(2)));
    assert_eq!(sums_of("b"), (5, 5, 5, Some(1), Some(1)));
    assert_eq!(sums_of(sleep), (160, 0, 0, None, None));
    let all = hotspots(&view, &[NodeId::ROOT], TIME);
    assert!(
        all.iter()
            .all(|row| row.weight(HotspotOrder::Inclusive) == row.inclusive)
    );
}

/// Splitting the nodes anywhere changes nothing; other tests check sums worked out by hand.
#[test]
fn two_threads_give_the_same_result_as_one() {
    let stacks = "T;a;b;a;c 3|T;a;b;b;c 4|T;a;a 1|T;b;a;b 2|T;a;c;a;b;c 9|U;c;b 5|U;b;b;a 2|T 1|U;a 7|U;T;a 1";
    let calls = recording_of(stacks);
    let mut samples = calls.clone();
    samples.metrics[0].counts = Some(CountKind::Samples);
    for view in [calls, samples, two_threads_with_one_frame()].map(Recording::into_view) {
        let below = |nodes: &[NodeId]| {
            nodes
                .iter()
                .flat_map(|&node| view.tree.children(node))
                .collect::<Vec<_>>()
        };
        let mut roots = vec![NodeId::ROOT];
        while !roots.is_empty() {
            let ranges = || roots.iter().map(|&root| view.tree.range(root));
            let one = hotspots(&view, &roots, TIME);
            for count in 0..=ranges().map(|range| range.len()).sum() {
                let two = hotspots_of(&view, &roots, TIME.into(), Parts::split(ranges(), count));
                assert_eq!(two, one, "{roots:?} {count}");
            }
            roots = below(&roots);
        }
    }
}

fn two_threads_with_one_frame() -> Recording {
    let Recording {
        source,
        frames,
        metrics,
        ..
    } = recording_of("T;a 1");
    let [root, thread, method] = [0, 1, 2].map(FrameId::at);
    let mut builder = TreeBuilder::new(root, &metrics);
    for _ in 0..2 {
        let thread = builder.add(TreeBuilder::ROOT, thread).unwrap();
        let node = builder.add(thread, method).unwrap();
        builder.add_exclusive(TIME, node, 1);
    }
    let tree = builder.finish(&frames, TIME).tree;
    Recording::new(source, Frames::clone(&frames), tree, metrics, TIME)
}

#[test]
fn the_hottest_thread_has_most_of_a_methods_value() {
    // a has 12 ms exclusive in A and 10 in B, and 13 ms inclusive in A and 30 in B
    let view = profile_of("A;a 6|A;a;a 6|A;a;b 1|B;a 10|B;a;b 20");
    let a = view.frames.find("a")[0];
    let hottest = |order| {
        let (thread, value) =
            hottest_thread(&view, &[NodeId::ROOT], TIME.into(), a, order).unwrap();
        (view.name(thread), value / 1_000_000)
    };
    assert_eq!(hottest(HotspotOrder::Exclusive), ("A", 12));
    assert_eq!(hottest(HotspotOrder::Inclusive), ("B", 30));
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let mut recording = recording_of(&format!("A;{sleep} 5|A;w 1|B;{sleep} 90|C;w 1"));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let asleep = view.frames.find(sleep)[0];
    let (thread, weight) = hottest_thread(
        &view,
        &[NodeId::ROOT],
        view.measure(TIME),
        asleep,
        HotspotOrder::Exclusive,
    )
    .unwrap();
    assert_eq!(
        (view.name(thread), weight),
        ("B", 0),
        "of what only waits, too"
    );
}
