use super::*;
use crate::analysis::make::make;
use crate::model::testing::recording_of;
use crate::model::{Collapsible, Scope, ViewSpec};

/// A row that stands for many nodes is as much work as they are.
#[test]
fn rows_that_stand_for_many_nodes_are_left_to_the_worker() {
    let pair = "System.Private.CoreLib!System.Threading.Thread.StartCallback();\
            System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch();";
    for (pairs, asks_worker) in [(10, false), (SYNC_NODE_LIMIT / 2, true)] {
        let recording = Arc::new(recording_of(&format!("T;{}a 1", pair.repeat(pairs))));
        let step = Step::Collapse {
            frames: Collapsible::Plumbing,
            opened: Vec::new(),
        };
        let view = make(
            &recording,
            &ViewSpec {
                scope: Scope::all(&recording),
                transforms: vec![step],
            },
        )
        .unwrap();
        assert!(
            view.is_collapsed() && view.tree.len() < 10,
            "{} rows",
            view.tree.len()
        );
        for row in [NodeId::ROOT, NodeId(1), NodeId(2)] {
            let measure = view.measure(view.recording.default_metric);
            assert_eq!(
                HotspotSums::default().show(&view, row, measure),
                asks_worker,
                "{row:?} of {pairs}"
            );
        }
    }
}
