//! The call tree of a part, down to what counts.

use super::QueryError;
use super::occurrences::heaviest_occurrence;
use super::selection::metric_named;
use super::values::{MetricName, RangeRow, Value, count_if, diagnostic_records};
use crate::model::diagnostics::DiagnosticRecord;
use crate::model::{CountKind, MetricId, NodeId, View};
use serde::Serialize;
use std::borrow::Cow;

/// Which part of the tree is wanted.
#[derive(Clone, Copy, Debug)]
pub struct TreeRequest<'a> {
    /// The root of the part.
    pub within: NodeId,
    /// The name of the metric, unless it is the profile's first choice.
    pub metric: Option<&'a str>,
    /// A method: its heaviest occurrence is the root.
    pub under: Option<&'a str>,
    /// How many levels there are below the root at most.
    pub depth: Option<usize>,
    /// The least share of the root's inclusive value, 0 to 100.
    pub min_percent: f64,
}

/// What is told of a tree.
pub struct Excerpt {
    /// The metric.
    pub metric: MetricId,
    /// The root of the subtree.
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
/// There is no such metric or method, or the method does not occur there.
pub fn tree(view: &View, request: &TreeRequest) -> Result<Excerpt, QueryError> {
    let metric = metric_named(view, request.metric)?;
    let Some(method) = request.under else { return Ok(select(view, request.within, metric, request)) };
    let heaviest = heaviest_occurrence(view, "--under", method, request.within, metric)?;
    Ok(Excerpt { remark: heaviest.remark, ..select(view, heaviest.node, metric, request) })
}

/// The nodes to print, and how many are left out.
fn select(view: &View, root: NodeId, metric: MetricId, request: &TreeRequest) -> Excerpt {
    let tree = &view.tree;
    let whole = tree.inclusive(metric, root) as f64;
    let least = whole * request.min_percent / 100.0;
    let (mut rows, mut ends, mut at) = (Vec::new(), Vec::<NodeId>::new(), root);
    let end = tree.end(root);
    while at < end {
        while ends.last().is_some_and(|&end| end <= at) {
            ends.pop();
        }
        let depth = ends.len();
        let is_shown = at == root || tree.inclusive(metric, at) as f64 >= least;
        if is_shown {
            rows.push((at, depth));
        }
        let goes_down = is_shown && request.depth.is_none_or(|most| depth < most);
        ends.push(tree.end(at));
        at = if goes_down { NodeId(at.0 + 1) } else { tree.end(at) };
    }
    let left_out = tree.size(root) - rows.len();
    Excerpt { metric, root, rows, left_out, remark: None }
}

/// The document `dotspot.tree/1`: rows in preorder, each with its depth.
#[derive(Debug, Serialize)]
pub struct TreeDocument<'a> {
    schema: &'static str,
    kind: &'static str,
    metric: MetricName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    total: Value,
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
    calls: Option<u64>,
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
}

impl Excerpt {
    /// The document. O(rows).
    pub fn document<'a>(&self, view: &'a View) -> TreeDocument<'a> {
        let &Excerpt { metric: metric_id, root, left_out, .. } = self;
        let (tree, metric) = (&view.tree, view.metric(metric_id));
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
            calls: counted(CountKind::Calls, node),
            samples: counted(CountKind::Samples, node),
            counts: counted(CountKind::Unknown, node),
        });
        TreeDocument {
            schema: "dotspot.tree/1",
            kind: view.source.kind.name(),
            metric: MetricName::new(view, metric_id),
            range: RangeRow::of(view),
            total: Value::new(metric.unit, tree.inclusive(metric_id, root)),
            rows: rows.collect(),
            left_out,
            diagnostics: diagnostic_records(view),
        }
    }
}
