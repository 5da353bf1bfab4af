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
    /// The same of the view that steps began with.
    #[must_use]
    pub fn in_base(self, view: &View) -> Measure {
        Measure {
            counts_waiting: self.counts_waiting,
            ..view.base().measure(self.metric)
        }
    }

    /// The waiting that it leaves out, if there is any.
    pub fn left_out(self, view: &View) -> Option<&Waiting> {
        Some(view.waiting(self.metric)).filter(|waiting| !self.counts_waiting && !waiting.is_none())
    }

    /// This measure if it is of a metric, else all of the metric.
    #[must_use]
    pub fn or_all_of(self, metric: MetricId) -> Measure {
        match self.metric == metric {
            true => self,
            false => metric.into(),
        }
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

    /// What counts of a node's calls or samples: those of waiting only if that does. O(log nodes that wait).
    pub fn count(self, view: &View, node: NodeId) -> Option<u64> {
        let count = view.tree.count(self.metric, node)?;
        Some(self.left_out(view).map_or(count, |waiting| {
            count.saturating_sub(waiting.all_within(&view.tree, node).samples)
        }))
    }

    /// The same of a node itself. O(callees + log nodes that wait).
    pub fn own_count(self, view: &View, node: NodeId) -> u64 {
        let count = view.own_count(self.metric, node);
        self.left_out(view).map_or(count, |waiting| {
            count.saturating_sub(waiting.all_own(node).samples)
        })
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

    /// The diagnostics that affect how a view's numbers are read; those about waiting only if it does not count, and those about
    /// waits and spins not where these were left out on request.
    pub fn alerts(self, view: &View) -> impl Iterator<Item = &Diagnostic> {
        let name = &view.recording.metric(self.metric).name;
        let hides_spins = !self.counts_waiting && view.measure(self.metric).counts_waiting;
        view.alerts().filter(move |alert| {
            alert.concerns(name)
                && !(self.counts_waiting && alert.is_about_waiting())
                && !(hides_spins && alert.is_about_spins())
        })
    }
}

impl View {
    /// The waiting in all of the tree in a metric.
    pub fn waiting_total(&self, metric: MetricId) -> u64 {
        self.waiting(metric).within(&self.tree, NodeId::ROOT)
    }

    /// The measure of a metric that is taken unless another one is asked for: without waiting where some threads do nothing
    /// else and others work, for else the first percentages would be those of waiting. CPU time counts whatever it is spent in.
    pub fn measure(&self, metric: MetricId) -> Measure {
        let runs = !self.recording.metric(metric).may_wait();
        let (idle, threads) = self.idle_threads(metric);
        let works = self.tree.inclusive(metric, NodeId::ROOT) > self.waiting_total(metric);
        Measure {
            metric,
            counts_waiting: runs || idle == 0 || idle == threads || !works,
        }
    }
}

#[cfg(test)]
mod tests;
