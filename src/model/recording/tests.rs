use crate::model::testing::recording_of;
use crate::model::{RecordedNode, SubtreeRoots};

#[test]
fn threads_of_nodes_are_found_in_any_source_order() {
    // n0 All ▸ n1 B 9 ▸ n2 b; n3 C 5; n4 A 1 ▸ n5 a
    let mut recording = recording_of("A;a 1|B;b 9|C 5");
    let in_the_order_of_the_source = [4, 1, 3].map(RecordedNode).to_vec();
    recording.original.threads = SubtreeRoots::new(in_the_order_of_the_source);
    let rows: Vec<_> = (0..6)
        .map(|node| recording.original.thread_of(RecordedNode(node)))
        .collect();
    assert_eq!(rows, [None, Some(1), Some(1), Some(2), Some(0), Some(0)]);
}

#[test]
fn only_canonical_labels_are_parsed() {
    let recording = recording_of("A;a 1|B;b 9");
    for (label, expect) in [
        ("n0", Some(0)),
        ("n4", Some(4)),
        ("n5", None),
        ("n+4", None),
        ("n4+16", Some(4)),
        ("n4+", None),
        ("n4+1+6", None),
        ("n04", None),
        ("4", None),
        ("", None),
    ] {
        assert_eq!(
            recording.node_labeled(label).map(|found| found.node.0),
            expect,
            "{label}"
        );
    }
}
