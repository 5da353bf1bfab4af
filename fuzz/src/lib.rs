//! What holds for every profile that is read.

use dotspot::testing::model::{MetricId, NodeId, Recording};

/// Each node is within its caller, and its inclusive values contain its exclusive ones.
pub fn check(recording: Recording) {
    let view = recording.into_view();
    let tree = &view.tree;
    for node in tree.range(NodeId::ROOT).map(NodeId::at) {
        if let Some(caller) = tree.parent(node) {
            let (inner, outer) = (tree.range(node), tree.range(caller));
            assert!(outer.start < inner.start && inner.end <= outer.end);
        }
        for metric in (0..view.recording.metrics.len()).map(MetricId::at) {
            assert!(tree.exclusive(metric, node) <= tree.inclusive(metric, node));
        }
    }
}
