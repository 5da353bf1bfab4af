use super::QueryError;
use super::inverted::{Extent, inverted};
use super::occurrences::heaviest_occurrence;
use super::outline::{QueryOutline, preorder};
use super::selection::{PartRequest, node_named};
use super::values::{PartTotal, Value, counts, diagnostic_records, standard_error};
use crate::analysis::samples;
use crate::model::{Measure, NodeId, View};
use crate::object::{All, if_any, object};
use serde::Serialize;
use std::cmp::Reverse;

#[derive(Clone, Copy, Debug)]
pub struct TreeRequest<'a> {
    pub part: PartRequest<'a>,
    /// A method: its heaviest occurrence is the root.
    pub under: Option<&'a str>,
    pub node: Option<&'a str>,
    pub is_inverted: bool,
    /// Levels below the root; 2 by default if inverted.
    pub depth: Option<usize>,
    /// In percent of the root's inclusive value.
    pub min_percent: f64,
}

#[derive(Clone)]
pub struct Excerpt {
    /// `None` if the rows belong to the queried view.
    pub inverted: Option<View>,
    pub part: PartTotal,
    pub root: NodeId,
    /// With depths, in preorder.
    pub rows: Vec<(NodeId, usize)>,
    /// A sentence without a leading capital or a full stop.
    pub remark: Option<String>,
}

pub fn tree(view: &View, request: &TreeRequest) -> Result<Excerpt, QueryError> {
    let part = &request.part;
    let measure = part.measure(view)?;
    let (root, remark) = match (request.node, request.under) {
        (Some(label), _) => (node_named(view, "--node", label)?, None),
        (None, Some(method)) => {
            heaviest_occurrence(view, "--under", method, part.within, measure.metric)?
        }
        (None, None) => (part.within, None),
    };
    let measure = part.below(view, root, measure);
    if !request.is_inverted {
        let excerpt = select(view, root, measure, request);
        return Ok(Excerpt { remark, ..excerpt });
    }
    let extent = Extent {
        depth: request.depth,
        min_percent: request.min_percent,
    };
    let inverted = inverted(view, root, measure, extent)?;
    let excerpt = select(&inverted, NodeId::ROOT, measure, request);
    Ok(Excerpt {
        inverted: Some(inverted),
        remark,
        ..excerpt
    })
}

fn select(view: &View, root: NodeId, measure: Measure, request: &TreeRequest) -> Excerpt {
    let tree = &view.tree;
    let part = PartTotal::of(view, measure, root);
    let min_value = part.whole() as f64 * request.min_percent / 100.0;
    let is_stored_order =
        measure.metric == view.recording.default_metric && measure.left_out(view).is_none();
    let is_large = |&node: &NodeId| measure.inclusive(view, node) as f64 >= min_value;
    let rows = preorder(root, request.depth, |node| {
        let mut callees: Vec<NodeId> = tree.children(node).filter(is_large).collect();
        if !is_stored_order {
            callees.sort_by_key(|&node| {
                let value = tree.inclusive(measure.metric, node);
                Reverse((measure.inclusive(view, node), value))
            });
        }
        callees
    });
    Excerpt {
        inverted: None,
        part,
        root,
        rows,
        remark: None,
    }
}

impl Excerpt {
    #[must_use]
    pub fn heaviest(&self, view: &View, rows: usize) -> Excerpt {
        let shown = self.shown(view);
        let chosen = self.outline(shown).shown(rows);
        let rows = self.rows.iter().zip(&chosen.is_shown);
        let kept = rows.filter_map(|(row, is_shown)| is_shown.then_some(*row));
        let kept: Vec<(NodeId, usize)> = kept.collect();
        Excerpt {
            rows: kept,
            ..self.clone()
        }
    }

    /// `view` is the queried one.
    pub fn shown<'a>(&'a self, view: &'a View) -> &'a View {
        self.inverted.as_ref().unwrap_or(view)
    }

    /// `view` is the tree's own.
    pub fn left_out(&self, view: &View) -> usize {
        view.tree.size(self.root) - self.rows.len()
    }

    /// Whether callers of a node were not built.
    pub fn has_more(&self, node: NodeId) -> bool {
        self.inverted
            .as_ref()
            .is_some_and(|inverted| inverted.has_more(node))
    }

    /// `view` is the tree's own.
    pub fn outline(&self, view: &View) -> QueryOutline {
        let measure = self.part.measure;
        let weight = |&(node, depth): &(NodeId, usize)| (depth, measure.inclusive(view, node));
        QueryOutline::new(self.rows.iter().map(weight).collect())
    }

    pub fn document<'a>(&'a self, view: &'a View) -> impl Serialize + use<'a> {
        let shown = self.shown(view);
        let (tree, id) = (&shown.tree, self.part.metric());
        let metric = shown.recording.metric(id);
        let value = |stored| Value::new(metric.unit, stored);
        let row = |&(node, depth): &(NodeId, usize)| {
            let frame = tree.frame(node);
            object! {
                node: shown.node_label(node),
                depth,
                name: shown.name(node),
                display: shown.frames.list_name(frame),
                kind: shown.frames.get(frame).kind.name(),
                location: if_any(shown.frames.location(frame)),
                inclusive: value(tree.inclusive(id, node)),
                exclusive: value(tree.exclusive(id, node)),
                waiting: value(shown.waiting(id).within(tree, node)),
                counts: All(counts(metric, tree.count(id, node))),
                standard_error: standard_error(metric, samples(shown, self.part.measure, node)),
                goes_on: if_any(self.has_more(node)),
            }
        };
        object! {
            head: All(self.part.head("dotspot.tree/1", view)),
            inverted: if_any(self.inverted.is_some()),
            rows: self.rows.iter().map(row).collect::<Vec<_>>(),
            left_out: self.left_out(shown),
            diagnostics: diagnostic_records(shown),
        }
    }
}
