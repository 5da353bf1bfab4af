//! Going to methods, walking through their places, and focusing on subtrees.

use super::super::layout::Pane;
use super::super::tree_pane::TreePane;
use super::{Explorer, Walk};
use crate::analysis::places_by_weight;
use crate::model::{FrameId, NodeId, format};
use std::sync::Arc;

impl Explorer {
    /// Goes to the heaviest place of a method within a subtree, and starts a walk through its places in the shown tree. If it
    /// has none there, all focuses are left first.
    pub(super) fn go_to_method(&mut self, frame: FrameId, within: NodeId) {
        let mut places = places_by_weight(&self.profile, self.tree.root(), frame, self.metric);
        let leaves_focus = places.is_empty() && !self.trail.is_empty();
        if leaves_focus {
            self.leave_all_focuses();
            places = places_by_weight(&self.profile, NodeId::ROOT, frame, self.metric);
        }
        let at = places.iter().position(|&place| self.profile.tree.contains(within, place)).unwrap_or(0);
        self.start_walk(frame, places, at);
        if leaves_focus && let Some(notice) = &mut self.notice {
            notice.text.push_str("; left the focus, which does not have it");
        }
    }

    pub(super) fn start_walk(&mut self, frame: FrameId, places: Vec<NodeId>, at: usize) {
        if places.is_empty() {
            return self.say("the method has no place in this tree");
        }
        self.walk = Some(Walk { frame, places, at });
        self.set_pane(Pane::Tree);
        self.walk_on(0);
    }

    pub(super) fn walk_on(&mut self, step: isize) {
        if self.walk.is_none() {
            let frame = self.profile.tree.frame(self.subject());
            let places = places_by_weight(&self.profile, self.tree.root(), frame, self.metric);
            let at = places.iter().position(|&node| node == self.subject()).unwrap_or(0);
            if places.is_empty() {
                return self.say("the method has no place in this tree");
            }
            self.walk = Some(Walk { frame, places, at });
        }
        let Some(walk) = &mut self.walk else { return };
        walk.at = (walk.at as isize + step).rem_euclid(walk.places.len() as isize) as usize;
        let (node, at, of, frame) = (walk.places[walk.at], walk.at + 1, walk.places.len(), walk.frame);
        let (profile, height) = (Arc::clone(&self.profile), self.height());
        self.tree.go_to(&profile, node, height);
        self.set_pane(Pane::Tree);
        let name = self.frame_name(frame).to_string();
        let (at, of) = (format::thousands(at as u64), format::thousands(of as u64));
        self.say(format!("place {at} of {of}: {name}"));
    }

    pub(super) fn focus(&mut self, node: NodeId) {
        if node == self.tree.root() {
            return self.say("this is the tree's root already");
        }
        if !self.profile.tree.contains(self.tree.root(), node) {
            // a hotspot that is pinned to the whole tree
            self.leave_all_focuses();
        }
        let tree = TreePane::new(&self.profile, node, self.metric, self.tree.outline.sort());
        self.trail.push(std::mem::replace(&mut self.tree, tree));
        self.walk = None;
        self.set_pane(Pane::Tree);
    }

    pub(super) fn back(&mut self) {
        self.walk = None;
        if let Some(mut tree) = self.trail.pop() {
            tree.outline.set_order(&self.profile, self.metric, self.tree.outline.sort());
            self.tree = tree;
            let (profile, height) = (Arc::clone(&self.profile), self.height());
            self.tree.resize(&profile, height);
        } else if self.pane != Pane::Tree {
            self.set_pane(Pane::Tree);
        } else if self.hot.is_pinned {
            self.hot.is_pinned = false;
        } else {
            self.say("nothing to go back from; q quits");
        }
    }

    fn leave_all_focuses(&mut self) {
        while !self.trail.is_empty() {
            self.back();
        }
    }
}
