use super::*;
use crate::model::testing::{profile_of, recording_of};
use crate::model::{Measure, MetricId};

const TIME: MetricId = MetricId(0);

#[test]
fn rows_left_out_are_summed_up() {
    // exclusive: m has 15 (9 and 2 called by x, 3 by y, 1 by z), a 4, b 2, the thread 3
    let view = profile_of("T;x;m 9|U;x;m 2|T;y;m 3|T;z;m 1|T;a 4|T;b 2|T 3");
    let mut caller_tree = CallerTree::inverted(&view, NodeId::ROOT, false);
    caller_tree.open(CallerTree::TOP).unwrap();
    let mut rows = caller_tree.callers_of(CallerTree::TOP);
    let m = rows.find(|&row| caller_tree.frame(row) == view.frames.find("m")[0]);
    let m = m.unwrap();
    caller_tree.open(m).unwrap();
    let cut = cut(&caller_tree, |row| {
        caller_tree.sums(row, TIME).inclusive >= 4_000_000
    })
    .unwrap();
    let tree = &cut.tree;
    assert_eq!(tree.check(), Ok(()));
    let row = |node: NodeId| {
        let values =
            [tree.inclusive(TIME, node), tree.exclusive(TIME, node)].map(|value| value / 1_000_000);
        format!(
            "{}{} {}/{}",
            ".".repeat(tree.ancestors(node).count()),
            cut.name(node),
            values[0],
            values[1]
        )
    };
    let expect = [
        "All threads 24/3",
        ".m 15/0",
        "..x 11/0",
        "...[more callers] 11/11",
        "..[2 more callers] 4/4",
        ".a 4/0",
        "..[more callers] 4/4",
        ".[1 more method] 2/2",
    ];
    assert_eq!(tree.nodes().map(row).collect::<Vec<_>>(), expect);
    let own: u64 = tree.nodes().map(|node| tree.exclusive(TIME, node)).sum();
    assert_eq!(own, view.tree.inclusive(TIME, NodeId::ROOT));
}

/// Calls of m below the outer a that go through the inner one continue: 37 ms, 30 of them waiting. The 10 ms that end there are waiting, too.
#[test]
fn unopened_rows_keep_their_own_waiting_and_samples() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let mut recording = recording_of(&format!("T;a;m;{sleep} 10|T;a;a;m;{sleep} 30|T;a;a;m 7"));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let outer = view.occurrences.of(view.frames.find("a")[0])[0];
    let mut caller_tree = CallerTree::callers(&view, outer, &view.frames.find("m"), false).unwrap();
    caller_tree.open(CallerTree::TOP).unwrap();
    let cut = cut(&caller_tree, |_| true).unwrap();
    let busy = Measure {
        metric: TIME,
        counts_waiting: false,
    };
    let row = |node: NodeId| {
        let value = cut.tree.inclusive(TIME, node) / 1_000_000;
        let weight = busy.inclusive(&cut, node) / 1_000_000;
        let counts = [cut.tree.count(TIME, node), busy.count(&cut, node)];
        let [all, busy] = counts.map(|count| count.unwrap());
        format!("{} {value} {weight} {all} {busy}", cut.name(node))
    };
    let expect = ["m 47 7 3 1", "a 47 7 3 1", "[more callers] 37 7 2 1"];
    assert_eq!(cut.tree.nodes().map(row).collect::<Vec<_>>(), expect);
}
