//! Going to methods, walking through their places, and focusing on subtrees.

use super::super::layout::Pane;
use super::super::tree_pane::TreePane;
use super::{Explorer, Walk};
use crate::analysis::{ByWeight, occurrences_within};
use crate::app::messages;
use crate::model::{FrameId, NodeId};
use crate::units;
use std::sync::Arc;

impl Explorer {
    /// Goes to the heaviest occurrence of a method within a subtree, and starts a walk through its places in the shown tree. If it
    /// has none there, all focuses are left first.
    pub(super) fn go_to_method(&mut self, frame: FrameId, within: NodeId) {
        if !self.butterfly.is_empty() {
            self.butterfly.clear();
            self.set_pane(Pane::Tree);
        }
        if self.view.is_collapsed()
            && occurrences_within(&self.view, NodeId::ROOT, frame).is_empty()
        {
            return self.go_to_folded(frame, within);
        }
        let leaves_focus = !self.breadcrumbs.is_empty()
            && occurrences_within(&self.view, self.tree.root(), frame).is_empty();
        if leaves_focus {
            self.leave_all_focuses();
        }
        let order = ByWeight::new(&self.view, self.tree.root(), frame, self.metric);
        let within = Some(within).filter(|&within| within != self.tree.root());
        let ranked = within
            .and_then(|within| order.first_within(within))
            .map(|node| (node, order.rank(node)));
        let Some((node, at)) = ranked.or_else(|| Some((order.first_within(self.tree.root())?, 0)))
        else {
            return self.say(messages::METHOD_NOT_IN_TREE);
        };
        self.walk = Some(Walk {
            frame,
            node,
            at,
            count: order.count(),
        });
        self.walk_on(0);
        if leaves_focus && let Some(notice) = &mut self.notice {
            notice.text.push_str(messages::METHOD_NOT_IN_FOCUS);
        }
    }

    /// Goes to the row in which the heaviest occurrence of a method is folded.
    fn go_to_folded(&mut self, frame: FrameId, within: NodeId) {
        self.walk = None;
        let uncollapsed = self.view.uncollapsed();
        let order = ByWeight::new(uncollapsed, NodeId::ROOT, frame, self.metric);
        let below = |row| {
            self.view
                .to_uncollapsed(row)
                .into_iter()
                .find_map(|root| order.first_within(root))
        };
        let heaviest = below(within)
            .or_else(|| below(self.tree.root()))
            .or_else(|| order.first_within(NodeId::ROOT));
        let Some(row) = heaviest.and_then(|node| self.view.from_uncollapsed(node)) else {
            return self.say(messages::METHOD_NOT_IN_TREE);
        };
        if !self.view.tree.contains(self.tree.root(), row) {
            self.leave_all_focuses();
        }
        let (view, height) = (Arc::clone(&self.view), self.height());
        self.tree.go_to(&view, row, height);
        self.set_pane(Pane::Tree);
        let name = self.frame_name(frame).to_string();
        self.say(messages::collapsed_here(&name));
    }

    /// Goes to the next place of the walk, to the one before, or again to that where it is; a walk starts with the method that
    /// is looked at.
    pub(super) fn walk_on(&mut self, step: isize) {
        let subject = self.subject();
        let frame = self
            .walk
            .as_ref()
            .map_or_else(|| self.view.tree.frame(subject), |walk| walk.frame);
        let order = ByWeight::new(&self.view, self.tree.root(), frame, self.metric);
        let count = order.count();
        let start = || {
            let node = if self.view.tree.contains(self.tree.root(), subject) {
                subject
            } else {
                order.first_within(self.tree.root())?
            };
            Some(Walk {
                frame,
                node,
                at: order.rank(node),
                count,
            })
        };
        let Some(mut walk) = self.walk.clone().or_else(start) else {
            return self.say(messages::METHOD_NOT_IN_TREE);
        };
        walk.node = match step {
            0 => Some(walk.node),
            1.. => order.next(walk.node),
            _ => order.previous(walk.node),
        }
        .unwrap_or(walk.node);
        walk.at = (walk.at as isize + step.signum()).rem_euclid(count.max(1) as isize) as usize;
        let (node, at) = (walk.node, walk.at + 1);
        self.walk = Some(walk);
        let (view, height) = (Arc::clone(&self.view), self.height());
        self.tree.go_to(&view, node, height);
        self.set_pane(Pane::Tree);
        let name = self.frame_name(frame).to_string();
        let (at, of) = (units::thousands(at as u64), units::thousands(count as u64));
        self.say(format!("occurrence {at} of {of}: {name}"));
    }

    pub(super) fn focus(&mut self, node: NodeId) {
        if node == self.tree.root() {
            return self.say(messages::ALREADY_AT_ROOT);
        }
        if !self.view.tree.contains(self.tree.root(), node) {
            // a hotspot that is pinned to the whole tree
            self.leave_all_focuses();
        }
        let tree = TreePane::new(
            &self.view,
            node,
            self.measure_below(node),
            self.tree.outline.sort(),
        );
        let left = std::mem::replace(&mut self.tree, tree);
        let count = occurrences_within(&self.view, left.root(), self.view.tree.frame(node)).len();
        self.breadcrumbs.push(left);
        self.walk = None;
        self.set_pane(Pane::Tree);
        if count > 1 {
            let (name, label) = (self.node_name(node).to_string(), self.view.node_label(node));
            let occurrences = units::counted(count as u64, "occurrence");
            self.say(messages::one_of(&label, &occurrences, &name));
        }
    }

    pub(super) fn back(&mut self) {
        self.walk = None;
        if let Some(mut tree) = self.breadcrumbs.pop() {
            let measure = self.measure_below(tree.root());
            tree.outline
                .set_order(&self.view, measure, self.tree.outline.sort());
            self.tree = tree;
            let (view, height) = (Arc::clone(&self.view), self.height());
            self.tree.resize(&view, height);
        } else if self.pane != Pane::Tree {
            self.set_pane(Pane::Tree);
        } else if self.hot.is_pinned {
            self.hot.is_pinned = false;
        } else {
            self.say(messages::NOTHING_TO_GO_BACK_TO);
        }
    }

    fn leave_all_focuses(&mut self) {
        while !self.breadcrumbs.is_empty() {
            self.back();
        }
    }
}
