use super::QueryError;
use super::methods::{frames_named, is_type_pattern};
use super::values::PartTotal;
use crate::analysis::make::node_labeled;
use crate::analysis::{outermost_occurrences, sum};
use crate::model::{Measure, MetricId, NodeId, View};
use crate::names::paused_method;
use crate::query::messages;
use crate::text::quoted;
use crate::units::counted;

pub fn metric_named(view: &View, name: Option<&str>) -> Result<MetricId, QueryError> {
    let Some(name) = name else {
        return Ok(view.recording.default_metric);
    };
    view.recording.metric_named(name).ok_or_else(|| {
        let names = view.recording.metrics.iter().map(|metric| &*metric.name);
        let names = names.collect::<Vec<_>>().join(", ");
        QueryError::usage(messages::no_such_metric(&name)).advice(format!("it has {names}"))
    })
}

pub fn node_named(view: &View, option: &str, label: &str) -> Result<NodeId, QueryError> {
    node_labeled(view, label).ok_or_else(|| {
        let error = QueryError::usage(messages::no_such_node(&option, &label));
        error.advice(messages::TREE_LISTS_THEM)
    })
}

#[derive(Clone, Copy, Debug, Default)]
pub struct PartRequest<'a> {
    pub within: NodeId,
    pub metric: Option<&'a str>,
    /// Whether waiting counts; by default as in [`View::measure`].
    pub waiting: Option<bool>,
}

impl PartRequest<'_> {
    pub fn measure(&self, view: &View) -> Result<Measure, QueryError> {
        let measure = view.measure(metric_named(view, self.metric)?);
        Ok(self.below(view, self.within, measure))
    }

    pub(super) fn below(&self, view: &View, node: NodeId, measure: Measure) -> Measure {
        match self.waiting {
            Some(counts_waiting) => Measure {
                counts_waiting,
                ..measure
            },
            // in threads that only wait, waiting is all there is to see
            None => measure.below(view, node),
        }
    }
}

/// The options that select this metric and count waiting this way.
pub fn measure_flags(metric: Option<&str>, waiting: Option<bool>) -> Vec<String> {
    let metric = metric.map(|metric| ["--metric".to_string(), quoted(metric)]);
    let waiting =
        waiting.map(|counts| if counts { "--waiting" } else { "--no-waiting" }.to_string());
    metric.into_iter().flatten().chain(waiting).collect()
}

#[derive(Clone, Debug)]
pub struct Selection {
    pub part: PartTotal,
    /// Ascending.
    pub roots: Vec<NodeId>,
    pub words: String,
}

impl Selection {
    pub fn new(
        view: &View,
        request: &PartRequest,
        under: Option<&str>,
    ) -> Result<Selection, QueryError> {
        let (measure, within) = (request.measure(view)?, request.within);
        let range = view.range().map(|range| format!(", {range}"));
        let threads = &view.steps.scope.threads;
        let name = match within == NodeId::ROOT && !threads.has_all() {
            // the root's name doesn't include the process
            true => threads.words(&view.recording),
            false => view.name(within).to_string(),
        };
        let mut words = format!("{name}{}", range.unwrap_or_default());
        let mut roots = vec![within];
        if let Some(method) = under {
            let frames = frames_named(view, "--under", method)?;
            roots = outermost_occurrences(view, within, &frames);
            if roots.is_empty() {
                return Err(QueryError::not_in_part("--under", method));
            }
            let occurrences = counted(roots.len() as u64, "outermost occurrence");
            // a method and its state machine are one
            let mut names = frames.iter().map(|&frame| view.frames.display_name(frame));
            let method_name = names.find(|name| paused_method(name).is_none());
            let name = match is_type_pattern(method) {
                true => method,
                false => method_name.unwrap_or(view.display_name(roots[0])),
            };
            words = format!("{words}, under {name} ({occurrences})");
        }
        let roots_of = || roots.iter().copied();
        let total = sum(roots_of().map(|root| view.tree.inclusive(measure.metric, root)));
        let waiting = view.waiting(measure.metric);
        let waiting = sum(roots_of().map(|root| waiting.within(&view.tree, root)));
        let part = PartTotal::new(view, measure, total, waiting);
        Ok(Selection { part, roots, words })
    }

    pub fn outside_methods(&self, view: &View, measure: Measure) -> u64 {
        let threads = view.threads.iter().map(|thread| thread.node);
        // the roots are disjoint and ascending
        let last_before =
            |node: NodeId| self.roots[..self.roots.partition_point(|&root| root <= node)].last();
        let selected = threads.filter(|&thread| {
            last_before(thread).is_some_and(|&root| view.tree.contains(root, thread))
        });
        sum(selected.map(|thread| measure.exclusive(view, thread)))
    }
}
