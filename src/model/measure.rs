use super::{MetricId, NodeId, View, Waiting};
use crate::diagnostics::Diagnostic;

/// How rows are weighed, which decides their order and what percentages refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    pub metric: MetricId,
    pub counts_waiting: bool,
}

impl From<MetricId> for Measure {
    fn from(metric: MetricId) -> Measure {
        Measure {
            metric,
            counts_waiting: true,
        }
    }
}

impl Measure {
    #[inline]
    pub fn left_out(self, view: &View) -> Option<&Waiting> {
        Some(view.waiting(self.metric)).filter(|waiting| !self.counts_waiting && !waiting.is_none())
    }

    #[must_use]
    pub fn or_all_of(self, metric: MetricId) -> Measure {
        match self.metric == metric {
            true => self,
            false => metric.into(),
        }
    }

    fn without_left_out(self, view: &View, value: u64, part: impl Fn(&Waiting) -> u64) -> u64 {
        let waiting = self.left_out(view);
        waiting.map_or(value, |waiting| value.saturating_sub(part(waiting)))
    }

    /// Leaves out waiting if the measure does. O(log nodes that wait).
    pub fn inclusive(self, view: &View, node: NodeId) -> u64 {
        let value = view.tree.inclusive(self.metric, node);
        self.without_left_out(view, value, |waiting| waiting.within(&view.tree, node))
    }

    pub fn exclusive(self, view: &View, node: NodeId) -> u64 {
        let value = view.tree.exclusive(self.metric, node);
        self.without_left_out(view, value, |waiting| waiting.own(node))
    }

    /// Calls or samples, like [`Measure::inclusive`].
    pub fn count(self, view: &View, node: NodeId) -> Option<u64> {
        let count = view.tree.count(self.metric, node)?;
        let samples = |waiting: &Waiting| waiting.amount_within(&view.tree, node).samples;
        Some(self.without_left_out(view, count, samples))
    }

    /// Like [`Measure::count`], without callees. O(callees + log nodes that wait).
    pub fn own_count(self, view: &View, node: NodeId) -> u64 {
        let count = view.own_count(self.metric, node);
        self.without_left_out(view, count, |waiting| waiting.own_amount(node).samples)
    }

    /// The measure for callees of a node: waiting counts in threads that only wait. O(log threads).
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

    /// The diagnostics that matter for a view's numbers: about waiting only if it is excluded, and about waits and
    /// spins unless the user excluded these.
    pub fn alerts(self, view: &View) -> impl Iterator<Item = &Diagnostic> {
        let name = &view.recording.metric(self.metric).name;
        let hides_spins = !self.counts_waiting && view.measure(self.metric).counts_waiting;
        let is_excluded = move |alert: &Diagnostic| match alert {
            Diagnostic::ThreadsWait { .. } => self.counts_waiting,
            Diagnostic::WaitsOnCpu { .. } => hides_spins,
            _ => false,
        };
        let alerts = view.alerts().filter(|alert| alert.concerns(name));
        alerts.filter(move |alert| !is_excluded(alert))
    }
}

impl View {
    pub fn waiting_total(&self, metric: MetricId) -> u64 {
        self.waiting(metric).within(&self.tree, NodeId::ROOT)
    }

    /// Excludes waiting, which would dominate, if some threads only wait while others work.
    pub fn measure(&self, metric: MetricId) -> Measure {
        let may_wait = self.recording.metric(metric).may_wait();
        let (idle, threads) = self.idle_threads(metric);
        let works = self.tree.inclusive(metric, NodeId::ROOT) > self.waiting_total(metric);
        Measure {
            metric,
            counts_waiting: !may_wait || idle == 0 || idle == threads || !works,
        }
    }
}

#[cfg(test)]
mod tests;
