use super::*;
use crate::model::testing::profile_of;

const TIME: MetricId = MetricId(0);

#[test]
fn what_is_not_there_is_stated() {
    // of their own m has 15, of which x calls 9 and 2, y 3 and z 1; a has 4, b 2, the thread 3
    let view = profile_of("T;x;m 9|U;x;m 2|T;y;m 3|T;z;m 1|T;a 4|T;b 2|T 3");
    let mut caller_tree = CallerTree::inverted(&view, NodeId::ROOT);
    caller_tree.open(CallerTree::TOP).unwrap();
    let m = caller_tree.find(&view.frames.find("m")).unwrap();
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
