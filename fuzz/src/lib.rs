//! What holds for every profile that is read.

use dotspot::testing::model::{MetricId, NodeId, Recording};

/// Subtrees span the tree without overlaps, callees know their caller, and inclusive values contain exclusive ones.
pub fn check(recording: Recording) {
    let view = recording.into_view();
    let tree = &view.tree;
    assert_eq!(tree.size(NodeId::ROOT), tree.len());
    for node in tree.nodes() {
        for callee in tree.children(node) {
            assert_eq!(tree.parent(callee), Some(node));
            assert!(callee < tree.end(callee) && tree.end(callee) <= tree.end(node));
        }
        for metric in (0..view.recording.metrics.len()).map(MetricId::at) {
            assert!(tree.exclusive(metric, node) <= tree.inclusive(metric, node));
        }
    }
}
