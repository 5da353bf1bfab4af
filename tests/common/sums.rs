//! Sums over a tree, computed by a plain loop for comparison.

use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::names::FrameKind;
use std::collections::HashMap;

pub const TIME: MetricId = MetricId(0);

/// Asserts that repair preserved exclusive values by frame, totals and counts, overall and per thread,
/// and the threads themselves.
#[track_caller]
pub fn check_repair(repaired: &View) {
    if repaired.recording.repaired.is_none() {
        return;
    }
    let original = &repaired.original();
    let forms = [repaired, original];
    for metric in (0..repaired.recording.metrics.len()).map(MetricId::at) {
        let [repaired, original] = forms.map(|view| {
            let mut own: HashMap<_, u64> = HashMap::new();
            for node in view.tree.nodes() {
                let sum = own.entry(view.tree.frame(node)).or_default();
                *sum = sum.saturating_add(view.tree.exclusive(metric, node));
            }
            own.retain(|_, sum| *sum > 0);
            own
        });
        assert_eq!(repaired, original, "exclusive values of {metric:?}");
        let [repaired, original] = forms.map(|view| -> Vec<_> {
            let (tree, threads) = (&view.tree, view.threads.iter());
            let threads = threads.map(|thread| thread.node);
            let value = |node| (tree.inclusive(metric, node), tree.count(metric, node));
            let row = |node| (tree.frame(node), value(node));
            [NodeId::ROOT].into_iter().chain(threads).map(row).collect()
        });
        assert_eq!(repaired, original, "totals of {metric:?}");
    }
}

/// The sums of a function over a subtree, in stored units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub exclusive: u64,
    /// With recursion counted once.
    pub inclusive: u64,
    /// With recursion counted each time.
    pub inclusive_each: u64,
    pub count: u64,
    pub nodes: u64,
}

/// The sums for each name and signature below `scope`, without `scope` itself and threads.
pub fn sums(profile: &View, scope: NodeId) -> HashMap<(String, String), Sums> {
    let tree = &profile.tree;
    let mut sums: HashMap<(String, String), Sums> = HashMap::new();
    // the end of the subtree of the outermost open occurrence
    let mut open_until = HashMap::new();
    for node in tree.range(scope).skip(1).map(NodeId::at) {
        let frame = tree.frame(node);
        if profile.frames.get(frame).kind == FrameKind::Thread {
            continue;
        }
        let (name, signature) = (profile.name(node), profile.frames.signature(frame));
        let sum = sums.entry((name.into(), signature.into())).or_default();
        sum.exclusive += tree.exclusive(TIME, node);
        let each = sum.inclusive_each;
        sum.inclusive_each = each.saturating_add(tree.inclusive(TIME, node));
        sum.count += tree.count(TIME, node).unwrap();
        sum.nodes += 1;
        if open_until.get(&frame).is_none_or(|&until| node >= until) {
            sum.inclusive += tree.inclusive(TIME, node);
            open_until.insert(frame, tree.end(node));
        }
    }
    sums
}
