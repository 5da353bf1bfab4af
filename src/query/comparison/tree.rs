use super::super::inverted::Extent;
use super::super::outline::preorder;
use super::super::values::{Value, metric_name};
use super::Comparison;
use crate::analysis::compared::{AFTER, BEFORE, Presence, Sides, sides_of};
use crate::model::NodeId;
use crate::object::{if_any, object};
use serde::Serialize;
use std::cmp::Reverse;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedNode {
    pub node: NodeId,
    pub depth: usize,
    pub inclusive: Sides,
    pub exclusive: Sides,
    /// `new` and `vanished` if its method is on one side only; `new path` and `path gone` if only the path to it is.
    pub path: &'static str,
}

impl Comparison {
    /// The nodes that changed by at least `min_percent`, with those above them, in preorder, callees with the largest
    /// differences first.
    pub fn tree(&self, request: Extent) -> Vec<ComparedNode> {
        let view = &self.view;
        let total = self.total.sides;
        let min_change = total.larger() as f64 * request.min_percent / 100.0;
        let size = |node: NodeId| sides_of(view, node).delta().unsigned_abs();
        // the largest difference at or below a node, because slower and faster parts may cancel out
        let mut largest: Vec<u128> = view.tree.nodes().map(size).collect();
        for node in (0..view.tree.len()).rev().map(NodeId::at) {
            if let Some(caller) = view.tree.parent(node) {
                largest[caller.index()] = largest[caller.index()].max(largest[node.index()]);
            }
        }
        let has_changed = |node: &NodeId| {
            let change = largest[node.index()];
            change > 0 && change as f64 >= min_change
        };
        let nodes = preorder(NodeId::ROOT, request.depth, |node| {
            let callees = view.tree.children(node).filter(has_changed);
            let mut callees: Vec<NodeId> = callees.collect();
            callees.sort_by_key(|&callee| (Reverse(size(callee)), callee));
            callees
        });
        let rows = nodes.into_iter();
        rows.map(|(node, depth)| self.node(node, depth)).collect()
    }

    fn node(&self, node: NodeId, depth: usize) -> ComparedNode {
        let tree = &self.view.tree;
        let has_value =
            |metric| tree.inclusive(metric, node) > 0 || tree.count(metric, node) > Some(0);
        let has_method = self.compared.presence(tree.frame(node)) == Presence::Both;
        let path = match (has_value(BEFORE), has_value(AFTER)) {
            (true, false) if has_method => "path gone",
            (true, false) => Presence::Vanished.name(),
            (false, true) if has_method => "new path",
            (false, true) => Presence::New.name(),
            _ => "",
        };
        ComparedNode {
            node,
            depth,
            inclusive: sides_of(&self.view, node),
            exclusive: Sides::of(|metric| tree.exclusive(metric, node)),
            path,
        }
    }

    pub fn tree_document(&self, rows: &[ComparedNode]) -> impl Serialize {
        let unit = self.unit();
        let values = |sides: Sides| sides.pair().map(|value| Value::new(unit, value));
        let row = |row: &ComparedNode| {
            object! {
                node: self.view.node_label(row.node),
                depth: row.depth,
                name: self.view.name(row.node),
                display: self.view.frames.list_name(self.view.tree.frame(row.node)),
                inclusive: values(row.inclusive),
                exclusive: values(row.exclusive),
                delta: row.inclusive.delta() as f64 / unit.stored_per_unit() as f64,
                path: if_any(row.path),
            }
        };
        object! {
            schema: "dotspot.compare-tree/1",
            metric: self.metrics().map(metric_name),
            rows: rows.iter().map(row).collect::<Vec<_>>(),
            left_out: self.view.tree.len() - rows.len(),
        }
    }
}
