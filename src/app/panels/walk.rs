//! Going to methods, stepping through their occurrences, and focusing on subtrees.

use super::TreePanel;
use crate::analysis::{OccurrencesByWeight, occurrences_within};
use crate::app::{TreePane, messages};
use crate::model::{FrameId, NodeId};
use crate::units;
use std::sync::Arc;

/// A walk through the occurrences of a method, heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    pub frame: FrameId,
    pub node: NodeId,
}

impl TreePanel {
    /// The heaviest occurrence within a subtree. If the shown tree has none, focuses are left first. Returns the
    /// message to show.
    pub(in crate::app) fn go_to_method(&mut self, frame: FrameId, within: NodeId) -> String {
        let view = Arc::clone(&self.lens.view);
        if view.is_collapsed() && occurrences_within(&view, NodeId::ROOT, frame).is_empty() {
            return self.go_to_collapsed(frame, within);
        }
        let leaves_focus = !self.outer.is_empty()
            && occurrences_within(&view, self.shown.root(), frame).is_empty();
        if leaves_focus {
            self.leave_all_focuses();
        }
        let root = self.shown.root();
        let order = OccurrencesByWeight::new(&view, root, frame, self.lens.metric);
        let within = Some(within).filter(|&within| within != root);
        let ranked = within.and_then(|within| order.first_within(within));
        let Some(node) = ranked.or_else(|| order.first_within(root)) else {
            return messages::METHOD_NOT_IN_TREE.into();
        };
        self.walk = Some(Walk { frame, node });
        let mut message = self.continue_walk(node, 0);
        if leaves_focus {
            message.push_str(messages::METHOD_NOT_IN_FOCUS);
        }
        message
    }

    /// Goes to the row that hides the heaviest occurrence of a method.
    fn go_to_collapsed(&mut self, frame: FrameId, within: NodeId) -> String {
        self.walk = None;
        let view = Arc::clone(&self.lens.view);
        let order =
            OccurrencesByWeight::new(view.uncollapsed(), NodeId::ROOT, frame, self.lens.metric);
        let below = |row| {
            view.to_uncollapsed(row)
                .into_iter()
                .find_map(|root| order.first_within(root))
        };
        let heaviest = below(within)
            .or_else(|| below(self.shown.root()))
            .or_else(|| order.first_within(NodeId::ROOT));
        let Some(row) = heaviest.and_then(|node| view.from_uncollapsed(node)) else {
            return messages::METHOD_NOT_IN_TREE.into();
        };
        if !view.tree.contains(self.shown.root(), row) {
            self.leave_all_focuses();
        }
        self.go_to(row);
        messages::collapsed_here(&self.lens.frame_name(frame))
    }

    /// Step 0 goes back to the current one; a walk starts with the method of `subject`. Returns the message to show.
    pub(in crate::app) fn continue_walk(&mut self, subject: NodeId, step: isize) -> String {
        let view = Arc::clone(&self.lens.view);
        let walk = self.walk;
        let frame = walk.map_or_else(|| view.tree.frame(subject), |walk| walk.frame);
        let root = self.shown.root();
        let order = OccurrencesByWeight::new(&view, root, frame, self.lens.metric);
        let start = || match view.tree.contains(root, subject) {
            true => Some(subject),
            false => order.first_within(root),
        };
        let Some(node) = walk.map(|walk| walk.node).or_else(start) else {
            return messages::METHOD_NOT_IN_TREE.into();
        };
        let next = match step {
            0 => None,
            1.. => order.next(node),
            _ => order.previous(node),
        };
        let node = next.unwrap_or(node);
        self.walk = Some(Walk { frame, node });
        self.go_to(node);
        let (at, count) = (order.rank(node) + 1, order.count());
        let (at, rows) = (units::thousands(at as u64), units::thousands(count as u64));
        let name = self.lens.frame_name(frame);
        match self.all_occurrences(root, frame) {
            all if all != count => {
                messages::rows_of_occurrences(&at, &rows, &units::thousands(all as u64), &name)
            }
            _ => format!("occurrence {at} of {rows}: {name}"),
        }
    }

    /// Includes those within collapsed rows if it is a method.
    fn all_occurrences(&self, root: NodeId, frame: FrameId) -> usize {
        let view = &self.lens.view;
        // a row of a collapsed tree can stand for several methods
        let has_all = !view.is_collapsed() || !self.lens.is_method(frame);
        match view.to_single_uncollapsed(root).filter(|_| !has_all) {
            Some(root) => occurrences_within(view.uncollapsed(), root, frame).len(),
            None => occurrences_within(view, root, frame).len(),
        }
    }

    /// Shows a subtree as the tree. Returns the message to show, if any.
    pub(in crate::app) fn focus(&mut self, node: NodeId) -> Option<String> {
        let view = Arc::clone(&self.lens.view);
        if !view.tree.contains(self.shown.root(), node) {
            // a hotspot that is pinned to the whole tree
            self.leave_all_focuses();
        }
        let (measure, sort) = (self.lens.measure_below(node), self.shown.outline.sort);
        let left = std::mem::replace(&mut self.shown, TreePane::new(&view, node, measure, sort));
        let count = self.all_occurrences(left.root(), view.tree.frame(node));
        self.outer.push(left);
        self.walk = None;
        let occurrences = units::counted(count as u64, "occurrence");
        let (name, label) = (self.lens.node_name(node), view.node_label(node));
        (count > 1).then(|| messages::one_of(&label, &occurrences, &name))
    }

    /// Leaves the focus. Returns whether there was one.
    pub(in crate::app) fn leave_focus(&mut self) -> bool {
        self.walk = None;
        let Some(mut tree) = self.outer.pop() else {
            return false;
        };
        let measure = self.lens.measure_below(tree.root());
        let sort = self.shown.outline.sort;
        tree.outline.set_order(&self.lens.view, measure, sort);
        self.shown = tree;
        self.shown.resize(&self.lens.view, self.height());
        true
    }

    pub(in crate::app) fn leave_all_focuses(&mut self) {
        while self.leave_focus() {}
    }
}
