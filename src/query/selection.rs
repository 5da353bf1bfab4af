//! What a question is about: a metric, methods, subtrees.

use super::QueryError;
use super::methods::frames_named;
use crate::analysis::fold::node_labelled;
use crate::analysis::outermost_occurrences;
use crate::model::format::counted;
use crate::model::{MetricId, NodeId, View};

/// The metric of this name, or the profile's first choice.
///
/// # Errors
/// There is no such metric: with those there are.
pub fn metric_named(view: &View, name: Option<&str>) -> Result<MetricId, QueryError> {
    let Some(name) = name else { return Ok(view.default_metric) };
    view.metric_named(name).ok_or_else(|| {
        let names: Vec<&str> = view.metrics.iter().map(|metric| metric.name.as_str()).collect();
        let names = names.join(", ");
        QueryError::not_found(format!("--metric {name}: this profile has no such metric; it has {names}"))
    })
}

/// The node that `option` names by its id.
///
/// # Errors
/// There is no such node.
pub fn node_named(view: &View, option: &str, label: &str) -> Result<NodeId, QueryError> {
    node_labelled(view, label).ok_or_else(|| {
        let sentence = format!("{option} {label}: this profile has no such node; `dotspot tree --json` lists them");
        QueryError::not_found(sentence)
    })
}

/// Disjoint subtrees, in a metric.
pub struct Selection {
    /// The metric.
    pub metric: MetricId,
    /// The roots of the subtrees, ascending.
    pub roots: Vec<NodeId>,
    /// In words, for the head of a list.
    pub words: String,
}

impl Selection {
    /// All that a metric and a method select `within` a subtree: the sum over all occurrences of the method.
    ///
    /// # Errors
    /// There is no such metric or method, or the method does not occur there.
    pub fn new(
        view: &View,
        within: NodeId,
        metric: Option<&str>,
        under: Option<&str>,
    ) -> Result<Selection, QueryError> {
        let metric = metric_named(view, metric)?;
        let range = view.range().map(|range| format!(", {range}"));
        let mut words = format!("{}{}", view.name(within), range.unwrap_or_default());
        let mut roots = vec![within];
        if let Some(method) = under {
            roots = outermost_occurrences(view, within, &frames_named(view, "--under", method)?);
            if roots.is_empty() {
                let sentence = format!("--under {method}: the method does not occur in this part");
                return Err(QueryError::not_found(sentence));
            }
            let occurrences = counted(roots.len() as u64, "outermost occurrence");
            let first = view.display_name(roots[0]);
            let is_one = roots.iter().all(|&root| view.display_name(root) == first);
            words = format!("{words}, under {} ({occurrences})", if is_one { first } else { method });
        }
        Ok(Selection { metric, roots, words })
    }

    /// The value of all subtrees together, in stored steps.
    pub fn total(&self, view: &View) -> u64 {
        let values = self.roots.iter().map(|&root| view.tree.inclusive(self.metric, root));
        values.fold(0, u64::saturating_add)
    }
}
