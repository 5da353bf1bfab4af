use super::*;
use crate::model::{CountKind, Counts};
use crate::names::FrameKind;

const TIME: MetricId = MetricId(0);

/// Builds from lines of `stack weight` and prints a line per node: depth, name, inclusive, exclusive, samples.
#[track_caller]
fn check(stacks: &[(&str, u64)], expect: &[&str]) {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", Some(CountKind::Samples))]);
    for (stack, weight) in stacks {
        let stack: Vec<FrameId> = stack
            .split(';')
            .map(|name| frames.intern(FrameKind::Method, name, ""))
            .collect();
        let leaf = builder.push_stack(TreeBuilder::ROOT, stack).unwrap();
        builder.add_exclusive(TIME, leaf, *weight);
        builder.add_count(TIME, leaf, 1);
    }
    builder.sum_counts();
    // doing it twice changes nothing
    builder.sum_counts();
    let tree = builder.finish::<NodeId>(&frames, TIME).tree;
    tree.check().unwrap();
    let rows: Vec<String> = tree
        .nodes()
        .map(|n| {
            let (inclusive, exclusive) = (tree.inclusive(TIME, n), tree.exclusive(TIME, n));
            let (depth, name) = (tree.ancestors(n).count(), frames.name(tree.frame(n)));
            format!(
                "{depth} {name} {inclusive} {exclusive} {}",
                tree.count(TIME, n).unwrap()
            )
        })
        .collect();
    assert_eq!(rows, expect);
}

#[test]
fn stacks_merge_and_siblings_are_sorted_by_inclusive_time() {
    check(
        &[("a;b", 1), ("a;c", 5), ("d", 7), ("a;b;e", 2), ("a", 1)],
        &[
            "0 all 16 0 5",
            "1 a 9 1 4",
            "2 c 5 5 1",
            "2 b 3 1 2",
            "3 e 2 2 1",
            "1 d 7 7 1",
        ],
    );
}

#[test]
fn ties_are_sorted_by_name() {
    check(
        &[("z", 3), ("b", 3), ("m", 3)],
        &["0 all 9 0 3", "1 b 3 3 1", "1 m 3 3 1", "1 z 3 3 1"],
    );
}

#[test]
fn an_empty_tree_is_valid() {
    check(&[], &["0 all 0 0 0"]);
}

#[test]
fn explicit_inclusive_values_are_used() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
    let child = builder
        .add(TreeBuilder::ROOT, frames.intern(FrameKind::Method, "a", ""))
        .unwrap();
    builder.add_values(TIME, TreeBuilder::ROOT, 100, 0, 0);
    builder.add_values(TIME, child, 5, 7, 0);
    let tree = builder.finish::<NodeId>(&frames, TIME).tree;
    assert_eq!(tree.inclusive(TIME, NodeId(0)), 100);
    assert_eq!(
        tree.inclusive(TIME, NodeId(1)),
        7,
        "inclusive is never below exclusive"
    );
}

#[test]
fn explicit_inclusive_values_disable_summing() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
    let a = frames.intern(FrameKind::Method, "a", "");
    let leaf = builder.push_stack(TreeBuilder::ROOT, [a, a, a]).unwrap();
    builder.add_exclusive(TIME, leaf, 7);
    builder.add_values(TIME, TreeBuilder::ROOT, 100, 0, 0);
    assert_eq!(
        builder
            .finish::<NodeId>(&frames, TIME)
            .tree
            .columns(TIME)
            .inclusive,
        [100, 0, 0, 7]
    );
}

#[test]
fn columns_always_match_the_length_of_the_tree() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", Some(CountKind::Calls))]);
    let (late, never) = (builder.add_metric(true), builder.add_metric(false));
    let nodes = ["a", "b", "c"].map(|name| {
        let frame = frames.intern(FrameKind::Method, name, "");
        builder.add(TreeBuilder::ROOT, frame).unwrap()
    });
    // b comes first because of its time
    builder.add_values(TIME, nodes[1], 9, 4, 2);
    builder.add_values(late, nodes[1], 0, 0, 0);
    builder.add_values(late, nodes[0], 6, 0, 8);
    let tree = builder.finish::<NodeId>(&frames, TIME).tree;
    let columns = |inclusive: [u64; 4], exclusive: [u64; 4], counts: Option<[u32; 4]>| Columns {
        inclusive: inclusive.into(),
        exclusive: exclusive.into(),
        counts: counts.map(|counts| Counts::Narrow(counts.into())),
    };
    assert_eq!(
        *tree.columns(TIME),
        columns([0, 9, 0, 0], [0, 4, 0, 0], Some([0, 2, 0, 0]))
    );
    assert_eq!(
        *tree.columns(late),
        columns([0, 0, 6, 0], [0; 4], Some([0, 0, 8, 0]))
    );
    assert_eq!(*tree.columns(never), columns([0; 4], [0; 4], None));
}

#[test]
fn equal_frames_below_a_caller_share_a_node() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
    let mut known = HashMap::new();
    let mut nodes = vec![TreeBuilder::ROOT];
    // nodes of `add` are not merged with others
    nodes.push(builder.add(TreeBuilder::ROOT, FrameId(1)).unwrap());
    for step in 0..20_000u32 {
        // callers with a few callees and others with hundreds, in random order
        let caller = nodes[(step.wrapping_mul(2_654_435_761) >> 20) as usize % nodes.len().min(40)];
        let frame = FrameId(step.wrapping_mul(40_503) % 300);
        let node = builder.merge(caller, frame).unwrap();
        assert_eq!(*known.entry((caller, frame)).or_insert(node), node);
        if !nodes.contains(&node) && nodes.len() < 40 {
            nodes.push(node);
        }
    }
    assert_eq!(builder.len(), known.len() + 2);
}

#[test]
fn frames_and_metrics_can_be_chosen_at_the_end() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let mut builder = TreeBuilder::new(
        root,
        &[Metric::time("time", None), Metric::time("other", None)],
    );
    let a = builder.merge(TreeBuilder::ROOT, FrameId(77)).unwrap();
    let b = builder.merge(a, FrameId(78)).unwrap();
    builder.add_exclusive(MetricId(1), b, 5);
    assert_eq!(builder.values(MetricId(1), b), (5, 0));
    let nodes: Vec<_> = builder.nodes().collect();
    assert_eq!(
        nodes,
        [(a, TreeBuilder::ROOT, FrameId(77)), (b, a, FrameId(78))]
    );
    let names = [
        frames.intern(FrameKind::Method, "a", ""),
        frames.intern(FrameKind::Method, "b", ""),
    ];
    builder.rename(|_, frame| names[frame.index() - 77]);
    builder.keep_metrics(&[MetricId(1)]);
    let tree = builder.finish::<NodeId>(&frames, TIME).tree;
    assert_eq!(tree.columns(TIME).inclusive, [5, 5, 5]);
    assert_eq!(frames.name(tree.frame(NodeId(2))), "b");
}

#[test]
fn a_deep_chain_is_built_without_recursion() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let deep = frames.intern(FrameKind::Method, "Deep", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
    let leaf = builder
        .push_stack(TreeBuilder::ROOT, std::iter::repeat_n(deep, 200_000))
        .unwrap();
    builder.add_exclusive(TIME, leaf, 3);
    let built = builder.finish::<NodeId>(&frames, TIME);
    assert_eq!(built.node(leaf), NodeId(200_000));
    assert_eq!(built.tree.inclusive(TIME, NodeId(1)), 3);
}
