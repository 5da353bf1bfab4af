//! The call tree of a part, limited to its heaviest rows.

use super::QueryError;
use super::inverted::{Extent, inverted};
use super::occurrences::heaviest_occurrence;
use super::outline::QueryOutline;
use super::selection::{measure_named, node_named};
use super::values::{
    DocumentHead, StandardError, Value, WaitingPart, count_if, diagnostic_records,
};
use crate::analysis::samples;
use crate::diagnostics::DiagnosticRecord;
use crate::model::{CountKind, Measure, MetricId, NodeId, View};
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;

/// Which part of the tree is wanted.
#[derive(Clone, Copy, Debug)]
pub struct TreeRequest<'a> {
    pub within: NodeId,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<&'a str>,
    /// Whether waiting counts, unless it is as [`View::measure`] has it.
    pub waiting: Option<bool>,
    /// A method: its heaviest occurrence is the root.
    pub under: Option<&'a str>,
    /// The id of a node that is the root.
    pub node: Option<&'a str>,
    /// Whether it is inverted: methods by what they have of their own, and below each its callers.
    pub is_inverted: bool,
    /// How many levels there are below the root at most; of an inverted tree 2 unless it is said.
    pub depth: Option<usize>,
    /// The least share of the root's inclusive value, 0 to 100.
    pub min_percent: f64,
}

/// Remarks about a tree.
#[derive(Clone)]
pub struct Excerpt {
    /// The view that the tree is of, if it is not the one that was asked: an inverted one.
    pub inverted: Option<View>,
    /// The metric, and whether waiting in it counts.
    pub measure: Measure,
    pub root: NodeId,
    /// Nodes with their depths, in preorder.
    pub rows: Vec<(NodeId, usize)>,
    /// How many nodes of the subtree are not among them.
    pub left_out: usize,
    /// What else there is to say, a sentence without its capital letter and full stop.
    pub remark: Option<String>,
}

/// Finds the nodes that are wanted. O(nodes that are looked at).
///
/// # Errors
/// There is no such metric, node or method, or the method does not occur there.
pub fn tree(view: &View, request: &TreeRequest) -> Result<Excerpt, QueryError> {
    let measure = measure_named(view, request.within, request.metric, request.waiting)?;
    let (root, remark) = match (request.node, request.under) {
        (Some(label), _) => (node_named(view, "--node", label)?, None),
        (None, Some(method)) => {
            let heaviest =
                heaviest_occurrence(view, "--under", method, request.within, measure.metric)?;
            (heaviest.node, heaviest.remark)
        }
        (None, None) => (request.within, None),
    };
    if !request.is_inverted {
        return Ok(Excerpt {
            remark,
            ..select(view, root, measure, request)
        });
    }
    let measure = if request.waiting.is_none() {
        measure.below(view, root)
    } else {
        measure
    };
    let extent = Extent {
        depth: request.depth,
        min_percent: request.min_percent,
    };
    let inverted = inverted(view, root, measure, extent)?;
    let selected = select(&inverted, NodeId::ROOT, measure, request);
    Ok(Excerpt {
        remark,
        inverted: Some(inverted),
        ..selected
    })
}

/// The nodes to print, callees in the order of what counts of their inclusive values, and how many are left out.
fn select(view: &View, root: NodeId, measure: Measure, request: &TreeRequest) -> Excerpt {
    let tree = &view.tree;
    let measure = if request.waiting.is_none() {
        measure.below(view, root)
    } else {
        measure
    };
    let least = measure.inclusive(view, root) as f64 * request.min_percent / 100.0;
    let is_stored_order =
        measure.metric == view.recording.default_metric && measure.left_out(view).is_none();
    let mut rows = Vec::new();
    // what is still to come, the next one last
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        rows.push((node, depth));
        if request.depth.is_some_and(|most| depth >= most) {
            continue;
        }
        let first = open.len();
        let callees = tree
            .children(node)
            .filter(|&callee| measure.inclusive(view, callee) as f64 >= least);
        open.extend(callees.map(|callee| (callee, depth + 1)));
        if !is_stored_order {
            open[first..].sort_by_key(|&(callee, _)| Reverse(weights(view, measure, callee)));
        }
        open[first..].reverse();
    }
    let left_out = tree.size(root) - rows.len();
    Excerpt {
        inverted: None,
        measure,
        root,
        rows,
        left_out,
        remark: None,
    }
}

/// By what siblings are ordered: what counts of their values, then their values.
fn weights(view: &View, measure: Measure, node: NodeId) -> (u64, u64) {
    (
        measure.inclusive(view, node),
        view.tree.inclusive(measure.metric, node),
    )
}

impl Excerpt {
    /// The same with so many rows at most: the heaviest ones, with the rows above them; `view` is the one that was asked.
    /// O(rows · log rows).
    #[must_use]
    pub fn heaviest(&self, view: &View, rows: usize) -> Excerpt {
        let shown = self.shown(view);
        let weight =
            |&(node, depth): &(NodeId, usize)| (depth, self.measure.inclusive(shown, node));
        let chosen = QueryOutline::new(self.rows.iter().map(weight).collect()).shown(rows);
        let kept = self
            .rows
            .iter()
            .zip(&chosen.is_shown)
            .filter(|(_, is_shown)| **is_shown);
        let kept: Vec<(NodeId, usize)> = kept.map(|(row, _)| *row).collect();
        let left_out = self.left_out + self.rows.len() - kept.len();
        Excerpt {
            rows: kept,
            left_out,
            ..self.clone()
        }
    }

    /// The view that the tree is of; `view` is the one that was asked.
    pub fn shown<'a>(&'a self, view: &'a View) -> &'a View {
        self.inverted.as_ref().unwrap_or(view)
    }

    /// Whether a row has callers that were not made.
    pub fn goes_on(&self, node: NodeId) -> bool {
        self.inverted
            .as_ref()
            .is_some_and(|inverted| inverted.has_more(node))
    }

    pub fn metric(&self) -> MetricId {
        self.measure.metric
    }

    /// How much of the root's inclusive value is waiting.
    pub fn waiting(&self, view: &View) -> u64 {
        let view = self.shown(view);
        view.waiting(self.metric()).within(&view.tree, self.root)
    }
}

/// The document `dotspot.tree/1`: rows in preorder, each with its depth.
#[derive(Debug, Serialize)]
pub struct TreeDocument<'a> {
    #[serde(flatten)]
    head: DocumentHead<'a>,
    /// whether rows have callers below them, and exclusive times of methods as their inclusive values
    #[serde(skip_serializing_if = "is_false")]
    inverted: bool,
    rows: Vec<TreeRow<'a>>,
    left_out: usize,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct TreeRow<'a> {
    node: String,
    depth: usize,
    name: &'a str,
    display: Cow<'a, str>,
    kind: &'static str,
    /// `file:line` or `file`, where the profile says it.
    #[serde(skip_serializing_if = "str::is_empty")]
    location: &'a str,
    inclusive: Value,
    exclusive: Value,
    /// how much of the inclusive value is waiting
    waiting: Value,
    calls: Option<u64>,
    samples: Option<u64>,
    /// `null` where counts are no samples
    standard_error: Option<StandardError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    /// whether there are callers past the last level
    #[serde(skip_serializing_if = "is_false")]
    goes_on: bool,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

impl Excerpt {
    /// The document; `view` is the one that was asked. O(rows).
    pub fn document<'a>(&'a self, view: &'a View) -> TreeDocument<'a> {
        let &Excerpt {
            measure,
            root,
            left_out,
            ..
        } = self;
        let metric_id = measure.metric;
        let asked = view;
        let view = self.shown(asked);
        let (tree, metric, waiting) = (
            &view.tree,
            view.recording.metric(metric_id),
            self.waiting(asked),
        );
        let counted = |kind, node| count_if(view, metric_id, kind, tree.count(metric_id, node));
        let rows = self.rows.iter().map(|&(node, depth)| TreeRow {
            node: view.node_label(node),
            depth,
            name: view.name(node),
            display: view.frames.list_name(view.tree.frame(node)),
            kind: view.frames.get(tree.frame(node)).kind.name(),
            location: view.frames.location(tree.frame(node)),
            inclusive: Value::new(metric.unit, tree.inclusive(metric_id, node)),
            exclusive: Value::new(metric.unit, tree.exclusive(metric_id, node)),
            waiting: Value::new(metric.unit, view.waiting(metric_id).within(tree, node)),
            calls: counted(CountKind::Calls, node),
            samples: counted(CountKind::Samples, node),
            standard_error: StandardError::new(view, metric_id, samples(view, measure, node)),
            counts: counted(CountKind::Unknown, node),
            goes_on: self.goes_on(node),
        });
        TreeDocument {
            head: DocumentHead::new(
                "dotspot.tree/1",
                asked,
                measure,
                (tree.inclusive(metric_id, root), waiting),
            )
            .with_waiting(WaitingPart::new(view, measure, waiting)),
            inverted: self.inverted.is_some(),
            rows: rows.collect(),
            left_out,
            diagnostics: diagnostic_records(view),
        }
    }
}
