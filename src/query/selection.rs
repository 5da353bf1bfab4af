//! What a question is about: a metric, methods, subtrees.

use super::QueryError;
use super::methods::frames_named;
use super::values::DocumentHead;
use crate::analysis::make::node_labelled;
use crate::analysis::outermost_occurrences;
use crate::model::{Measure, MetricId, NodeId, View};
use crate::query::messages;
use crate::text::quoted;
use crate::units::counted;

/// The metric of this name, or the profile's default metric.
///
/// # Errors
/// There is no such metric: with those there are.
pub fn metric_named(view: &View, name: Option<&str>) -> Result<MetricId, QueryError> {
    let Some(name) = name else {
        return Ok(view.recording.default_metric);
    };
    view.recording.metric_named(name).ok_or_else(|| {
        let names: Vec<&str> = view
            .recording
            .metrics
            .iter()
            .map(|metric| metric.name.as_str())
            .collect();
        let names = names.join(", ");
        QueryError::not_found(messages::no_such_metric(&name)).advice(format!("it has {names}"))
    })
}

/// The node that `option` names by its id.
///
/// # Errors
/// There is no such node.
pub fn node_named(view: &View, option: &str, label: &str) -> Result<NodeId, QueryError> {
    node_labelled(view, label).ok_or_else(|| {
        let error = QueryError::not_found(messages::no_such_node(&option, &label));
        error.advice(messages::TREE_LISTS_THEM)
    })
}

/// The measure of a metric `within` a subtree: waiting counts if `waiting` says so, or as [`View::measure`] has it.
///
/// # Errors
/// As [`metric_named`].
pub fn measure_named(
    view: &View,
    within: NodeId,
    name: Option<&str>,
    waiting: Option<bool>,
) -> Result<Measure, QueryError> {
    let usual = view.measure(metric_named(view, name)?);
    Ok(match waiting {
        Some(counts_waiting) => Measure {
            counts_waiting,
            ..usual
        },
        // in threads that only wait, waiting is what there is to see
        None => usual.below(view, within),
    })
}

/// The options with which a command weighs by a metric, unless it is the default one, and counts waiting as said.
pub fn weighing_flags(metric: Option<&str>, waiting: Option<bool>) -> Vec<String> {
    let metric = metric.map(|metric| ["--metric".to_string(), quoted(metric)]);
    let waiting =
        waiting.map(|counts| if counts { "--waiting" } else { "--no-waiting" }.to_string());
    metric.into_iter().flatten().chain(waiting).collect()
}

/// Disjoint subtrees, in a metric.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The metric, and whether waiting in it counts.
    pub measure: Measure,
    /// The roots of the subtrees, ascending.
    pub roots: Vec<NodeId>,
    /// In words, for the head of a list.
    pub words: String,
}

impl Selection {
    /// All that a method selects `within` a subtree: the sum over all occurrences of the method.
    ///
    /// # Errors
    /// There is no such method, or it does not occur there.
    pub fn new(
        view: &View,
        within: NodeId,
        measure: Measure,
        under: Option<&str>,
    ) -> Result<Selection, QueryError> {
        let range = view.range().map(|range| format!(", {range}"));
        let mut words = format!("{}{}", view.name(within), range.unwrap_or_default());
        let mut roots = vec![within];
        if let Some(method) = under {
            roots = outermost_occurrences(view, within, &frames_named(view, "--under", method)?);
            if roots.is_empty() {
                return Err(QueryError::not_in_part("--under", method));
            }
            let occurrences = counted(roots.len() as u64, "outermost occurrence");
            let name = if method.ends_with(".*") {
                method
            } else {
                view.display_name(roots[0])
            };
            words = format!("{words}, under {name} ({occurrences})");
        }
        Ok(Selection {
            measure,
            roots,
            words,
        })
    }

    pub fn metric(&self) -> MetricId {
        self.measure.metric
    }

    /// The value of all subtrees together, in stored steps.
    pub fn total(&self, view: &View) -> u64 {
        let values = self
            .roots
            .iter()
            .map(|&root| view.tree.inclusive(self.metric(), root));
        values.fold(0, u64::saturating_add)
    }

    /// How much of it is waiting.
    pub fn waiting(&self, view: &View) -> u64 {
        let waiting = view.waiting(self.metric());
        self.roots
            .iter()
            .map(|&root| waiting.within(&view.tree, root))
            .fold(0, u64::saturating_add)
    }

    /// How a document about it begins.
    pub(super) fn head<'a>(&self, schema: &'static str, view: &'a View) -> DocumentHead<'a> {
        DocumentHead::new(
            schema,
            view,
            self.measure,
            (self.total(view), self.waiting(view)),
        )
    }

    /// What counts of the total and is in no method: time that threads have to themselves. O(threads · log roots).
    pub fn outside_methods(&self, view: &View) -> u64 {
        let threads = view.threads.iter().map(|thread| thread.node);
        // the roots are disjoint and ascending
        let last_before =
            |node: NodeId| self.roots[..self.roots.partition_point(|&root| root <= node)].last();
        let own = threads.filter(|&thread| {
            last_before(thread).is_some_and(|&root| view.tree.contains(root, thread))
        });
        own.map(|thread| self.measure.exclusive(view, thread))
            .fold(0, u64::saturating_add)
    }

    /// What percentages are of: the total, without waiting where that does not count.
    pub fn whole(&self, view: &View) -> u64 {
        let left_out = if self.measure.counts_waiting {
            0
        } else {
            self.waiting(view)
        };
        self.total(view).saturating_sub(left_out)
    }
}
