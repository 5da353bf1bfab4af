use super::super::inverted::Extent;
use super::super::outline::preorder;
use super::super::values::{MetricName, Value};
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
    pub path: PathPresence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPresence {
    Both,
    /// It exists on one side only, and so does its method.
    Method(Presence),
    /// It exists on one side only, but its method on both.
    Elided(Presence),
}

impl PathPresence {
    pub fn name(self) -> &'static str {
        match self {
            PathPresence::Method(Presence::New) => "new",
            PathPresence::Method(Presence::Vanished) => "vanished",
            PathPresence::Elided(Presence::New) => "new path",
            PathPresence::Elided(Presence::Vanished) => "path gone",
            PathPresence::Both | PathPresence::Method(_) | PathPresence::Elided(_) => "",
        }
    }
}

/// Rows of a merged tree in preorder, callees with the largest differences first.
#[derive(Clone, Debug)]
pub struct ComparedTree {
    pub rows: Vec<ComparedNode>,
    pub left_out: usize,
}

impl Comparison {
    /// The nodes that changed by at least `min_percent`, with those above them.
    pub fn tree(&self, request: Extent) -> ComparedTree {
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
        let nodes = preorder(view.root, request.depth, |node| {
            let callees = view.tree.children(node).filter(has_changed);
            let mut callees: Vec<NodeId> = callees.collect();
            callees.sort_by_key(|&callee| (Reverse(size(callee)), callee));
            callees
        });
        let rows = nodes.into_iter();
        ComparedTree {
            left_out: view.tree.size(view.root) - rows.len(),
            rows: rows.map(|(node, depth)| self.node(node, depth)).collect(),
        }
    }

    fn node(&self, node: NodeId, depth: usize) -> ComparedNode {
        let tree = &self.view.tree;
        let has_value =
            |metric| tree.inclusive(metric, node) > 0 || tree.count(metric, node) > Some(0);
        let one_sided = match (has_value(BEFORE), has_value(AFTER)) {
            (true, false) => Some(Presence::Vanished),
            (false, true) => Some(Presence::New),
            _ => None,
        };
        let path = match (one_sided, self.compared.presence(tree.frame(node))) {
            (None, _) => PathPresence::Both,
            (Some(side), Presence::Both) => PathPresence::Elided(side),
            (Some(_), method) => PathPresence::Method(method),
        };
        ComparedNode {
            node,
            depth,
            inclusive: sides_of(&self.view, node),
            exclusive: Sides::of(|metric| tree.exclusive(metric, node)),
            path,
        }
    }

    pub fn tree_document(&self, tree: &ComparedTree) -> impl Serialize {
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
                path: if_any(row.path.name()),
            }
        };
        object! {
            schema: "dotspot.compare-tree/1",
            metric: self.metrics().map(MetricName::new),
            rows: tree.rows.iter().map(row).collect::<Vec<_>>(),
            left_out: tree.left_out,
        }
    }
}
