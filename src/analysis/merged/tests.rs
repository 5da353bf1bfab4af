use super::*;
use crate::analysis::outermost_occurrences;
use crate::model::MetricId;
use crate::model::testing::{profile_of, view_with};

const TIME: MetricId = MetricId(0);

/// The merged tree of all occurrences of these methods: indented names with inclusive and exclusive values.
#[track_caller]
fn check(stacks: &str, methods: &[&str], expect: &[&str]) {
    let view = profile_of(stacks);
    let frames: Vec<_> = methods
        .iter()
        .flat_map(|method| view.frames.find(method))
        .collect();
    let merged = merged(&view, &outermost_occurrences(&view, NodeId::ROOT, &frames)).unwrap();
    assert_eq!(merged.tree.check(), Ok(()));
    let tree = &merged.tree;
    let row = |node: NodeId| {
        let indent = ".".repeat(tree.ancestors(node).count());
        let values =
            [tree.inclusive(TIME, node), tree.exclusive(TIME, node)].map(|value| value / 1_000_000);
        format!(
            "{indent}{} {}/{} {}",
            merged.name(node),
            values[0],
            values[1],
            merged.node_label(node)
        )
    };
    assert_eq!(tree.nodes().map(row).collect::<Vec<_>>(), expect);
}

#[test]
fn equal_stacks_below_a_method_are_merged() {
    // n1 T 13 ▸ n2 x 9 ▸ n3 m 9 ▸ n4 a 7; n5 y 4 ▸ n6 m 4 ▸ (n7 b 2, n8 a 1)
    let stacks = "T;x;m;a 7|T;x;m 2|T;y;m;a 1|T;y;m;b 2|T;y;m 1";
    check(stacks, &["m"], &["m 13/3 n3", ".a 8/8 n4", ".b 2/2 n7"]);
    check(stacks, &["a"], &["a 8/8 n4"]);
}

#[test]
fn recursion_is_counted_once() {
    // the inner m stays below the outer one
    check(
        "T;m;a;m;a 5|T;m 1|U;m;a 3",
        &["m"],
        &["m 9/1 n2", ".a 8/3 n3", "..m 5/0 n4", "...a 5/5 n5"],
    );
    check(
        "T;m;m;m 5",
        &["m"],
        &["m 5/0 n2", ".m 5/0 n3", "..m 5/5 n4"],
    );
}

#[test]
fn several_methods_share_a_root() {
    check(
        "T;m;a 5|T;k;m 2|T;k 1|U;x;k 4",
        &["m", "k"],
        &[
            "All threads 12/0 n0",
            ".k 7/5 n4",
            "..m 2/2 n5",
            ".m 5/0 n2",
            "..a 5/5 n3",
        ],
    );
}

#[test]
fn recording_facts_are_preserved() {
    let mut view = profile_of("T;m 1|U;m 2");
    view.diagnostics = vec![crate::diagnostics::Diagnostic::kept(
        "half of it is lost".into(),
    )];
    let merged = merged(&view, &[NodeId(2), NodeId(4)]).unwrap();
    assert_eq!(merged.diagnostics, view.diagnostics);
    assert!(merged.threads.is_empty());
    assert_eq!(merged.tree.count(TIME, NodeId::ROOT), Some(2));
}

#[test]
fn deep_chains_are_merged() {
    let two = profile_of("A;a 1|B;a 1");
    let mut builder = TreeBuilder::new(two.tree.frame(NodeId(0)), &two.recording.metrics);
    for _ in 0..2 {
        let thread = builder
            .add(TreeBuilder::ROOT, two.tree.frame(NodeId(1)))
            .unwrap();
        let stack = std::iter::repeat_n(two.tree.frame(NodeId(2)), 100_000);
        let leaf = builder.push_stack(thread, stack).unwrap();
        builder.add_exclusive(TIME, leaf, 3);
    }
    let tree = builder.finish(&two.frames, TIME).tree;
    let view = view_with(two, tree);
    let merged = merged(&view, &[NodeId(2), NodeId(100_003)]).unwrap();
    assert_eq!(
        (
            merged.tree.len(),
            merged.tree.inclusive(TIME, NodeId(99_999))
        ),
        (100_000, 6)
    );
}
