//! Measures: the value that rows are ordered by and percentages are of.

use super::{MetricId, NodeId, View, Waiting};
use crate::diagnostics::Diagnostic;

/// How rows are weighed: by a metric, with the waiting in it or without. What a row's value is does not depend on it; of
/// what percentages are, and how rows are ordered, does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    pub metric: MetricId,
    pub counts_waiting: bool,
}

impl From<MetricId> for Measure {
    /// By all of a metric.
    fn from(metric: MetricId) -> Measure {
        Measure {
            metric,
            counts_waiting: true,
        }
    }
}

impl Measure {
    /// The waiting that it leaves out, if there is any.
    pub fn left_out(self, view: &View) -> Option<&Waiting> {
        Some(view.waiting(self.metric)).filter(|waiting| !self.counts_waiting && !waiting.is_none())
    }

    /// What counts of a node's inclusive value. O(log nodes that wait).
    pub fn inclusive(self, view: &View, node: NodeId) -> u64 {
        let value = view.tree.inclusive(self.metric, node);
        self.left_out(view).map_or(value, |waiting| {
            value.saturating_sub(waiting.within(&view.tree, node))
        })
    }

    /// What counts of a node's exclusive value. O(log nodes that wait).
    pub fn exclusive(self, view: &View, node: NodeId) -> u64 {
        let value = view.tree.exclusive(self.metric, node);
        self.left_out(view)
            .map_or(value, |waiting| value.saturating_sub(waiting.own(node)))
    }

    /// The measure for what is below a node: in a thread that does nothing but wait, waiting is what there is to look at.
    /// O(log threads).
    pub fn below(self, view: &View, node: NodeId) -> Measure {
        let is_idle = || {
            let thread = view.thread_of(node).map(|thread| thread.node);
            thread.is_some_and(|thread| view.waiting(self.metric).is_idle(thread))
        };
        Measure {
            counts_waiting: self.counts_waiting || is_idle(),
            ..self
        }
    }

    /// The diagnostics that affect how a view's numbers are read; those about waiting only if it does not count.
    pub fn alerts(self, view: &View) -> impl Iterator<Item = &Diagnostic> {
        let name = &view.metric(self.metric).name;
        view.alerts().filter(move |alert| {
            alert.concerns(name) && !(self.counts_waiting && alert.is_about_waiting())
        })
    }
}

impl View {
    /// The waiting in all of the tree in a metric.
    pub fn waiting_total(&self, metric: MetricId) -> u64 {
        self.waiting(metric).within(&self.tree, NodeId::ROOT)
    }

    /// The measure of a metric that is taken unless another one is asked for: without waiting where some threads do nothing
    /// else and others work, for else the first percentages would be those of waiting.
    pub fn measure(&self, metric: MetricId) -> Measure {
        let (idle, threads) = self.idle_threads(metric);
        let works = self.tree.inclusive(metric, NodeId::ROOT) > self.waiting_total(metric);
        Measure {
            metric,
            counts_waiting: idle == 0 || idle == threads || !works,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::model::testing::recording_of;
    use crate::model::{Recording, Source};

    const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    const TIME: MetricId = MetricId(0);

    /// A recording in wall time: `S` in the stacks stands for a method that sleeps.
    fn recording(stacks: &str) -> Recording {
        let mut recording = recording_of(&stacks.replace('S', SLEEP));
        recording.metrics[0].name = "wall".into();
        recording
    }

    #[test]
    fn waiting_is_summed_over_subtrees() {
        // n0 All ▸ n1 B 60 ▸ n2 S 60; n3 A 40 ▸ n4 m 40 (4 of its own) ▸ n5 S 26, n6 f 10
        let view = recording("A;m 4|A;m;f 10|A;m;S 26|B;S 60").into_view();
        let waiting = view.waiting(TIME);
        let within: Vec<u64> = view
            .tree
            .nodes()
            .map(|node| waiting.within(&view.tree, node))
            .collect();
        assert_eq!(
            within,
            [86, 60, 60, 26, 26, 26, 0].map(|steps| steps * 1_000_000)
        );
        let own: Vec<u64> = view.tree.nodes().map(|node| waiting.own(node)).collect();
        assert_eq!(own, [0, 0, 60, 0, 0, 26, 0].map(|steps| steps * 1_000_000));
        assert_eq!(waiting.idle_threads(), [NodeId(1)]);
        let work = view.measure(TIME);
        assert!(!work.counts_waiting && view.waiting_total(TIME) == 86_000_000);
        let inclusive: Vec<u64> = view
            .tree
            .nodes()
            .map(|node| work.inclusive(&view, node))
            .collect();
        assert_eq!(
            inclusive,
            [14, 0, 0, 14, 14, 0, 10].map(|steps| steps * 1_000_000)
        );
        assert!(
            work.below(&view, NodeId(2)).counts_waiting
                && !work.below(&view, NodeId(4)).counts_waiting
        );
    }

    #[test]
    fn waiting_is_left_out_where_some_threads_only_wait_and_others_work() {
        #[track_caller]
        fn check(stacks: &str, name: &str, leaves_out: bool) {
            let mut recording = recording(stacks);
            recording.metrics[0].name = name.into();
            assert_eq!(
                !recording.into_view().measure(TIME).counts_waiting,
                leaves_out,
                "{stacks} {name}"
            );
        }
        check("A;m 4|B;S 96|B;m 4", "wall", true);
        check("A;m 4|B;S 96|B;m 4", "time", true);
        check("A;m 4|B;S 96|B;m 4", "CPU", false);
        // 95 % is not more than 95 %
        check("A;m 4|B;S 95|B;m 5", "wall", false);
        check("A;S 4|B;S 96", "wall", false);
        check("A;m 4|B;m 96", "wall", false);
    }

    #[test]
    fn the_time_of_dottraces_threads_is_waiting_unless_a_method_has_it() {
        let mut recording = recording("A;m 4|A 1|B 90|C;m 5");
        recording.source.format = Source::DTP.into();
        let view = recording.into_view();
        let root = view.tree.range(NodeId::ROOT).map(NodeId::at);
        let waits: Vec<u64> = root
            .map(|node| view.waiting(TIME).own(node) / 1_000_000)
            .collect();
        // n0 All ▸ n1 B 90; n2 A 5 ▸ n3 m; n4 C 5 ▸ n5 m
        assert_eq!(waits, [0, 90, 1, 0, 0, 0]);
    }
}
