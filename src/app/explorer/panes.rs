//! What keys do in the panes: moving, folding, choosing.

use super::super::commands::Action;
use super::super::layout::Pane;
use super::super::tree_pane::TreePane;
use super::Explorer;
use crate::analysis::compared::sides_of;
use crate::analysis::{HotPathEnd, hot_path};
use crate::app::messages;
use crate::model::NodeId;
use crate::names::Category;
use crate::units::{counted, percent, thousands};
use std::cmp::Reverse;
use std::sync::Arc;

/// A callee with less than this of its caller leaves the rest to others: there the time splits.
const SPLIT_PERCENT: f64 = 90.0;

impl Explorer {
    pub(super) fn act_in_tree(&mut self, action: Action) {
        let view = Arc::clone(&self.view);
        let (height, selected) = (self.height(), self.tree.selected);
        let half = (height / 2).max(1) as isize;
        let is_open = self.tree.outline.is_open(&view, selected);
        match action {
            Action::Rows(rows) => self.tree.move_rows(&view, rows, height),
            Action::HalfScreens(halves) => self.tree.move_rows(&view, halves * half, height),
            Action::First => self.tree.select(&view, self.tree.root(), height, true),
            Action::Last => {
                let last = self.tree.outline.last_within(&view, self.tree.root());
                self.tree.select(&view, last, height, false);
            }
            Action::Sibling(step) => {
                if let Some(sibling) = self.tree.outline.sibling(&view, selected, step) {
                    self.tree.select(&view, sibling, height, step < 0);
                }
            }
            Action::Parent => self.select_caller(),
            Action::Open if is_open => self.tree.move_rows(&view, 1, height),
            Action::Open => self.tree.outline.open(&view, selected),
            Action::Close if is_open => self.tree.outline.close(&view, selected),
            Action::Close => self.select_caller(),
            Action::Toggle if is_open => self.tree.outline.close(&view, selected),
            Action::Toggle => self.tree.outline.open(&view, selected),
            Action::OpenSiblings => self.for_siblings(|tree, node| tree.outline.open(&view, node)),
            Action::CloseSiblings => {
                self.for_siblings(|tree, node| tree.outline.close(&view, node))
            }
            Action::OpenSubtree => self.tree.outline.open_all(&view, selected),
            Action::CloseSubtree => self.tree.outline.close_all(&view, selected),
            Action::Enter => self.open_hot_path(),
            Action::NextOwn => match self.tree.next_own(&view) {
                Some(node) => self.tree.go_to(&view, node, height),
                None => self.say(messages::NO_USER_CODE_BELOW),
            },
            Action::NextSplit => self.go_to_next_split(),
            Action::Center => self.tree.center(&view, height),
            _ => {}
        }
    }

    /// Goes down to where no callee has most of its caller. O(nodes on the way and their callees).
    fn go_to_next_split(&mut self) {
        let (view, measure) = (Arc::clone(&self.view), self.measure());
        let weight = |node| measure.inclusive(&view, node);
        let heaviest = |node| {
            view.tree
                .children(node)
                .max_by_key(|&callee| (weight(callee), Reverse(callee)))
        };
        let (mut at, mut levels) = (self.tree.selected, 0u64);
        while let Some(next) = heaviest(at).filter(|&next| weight(next) > 0) {
            (at, levels) = (next, levels + 1);
            let of_next = heaviest(at).map_or(0, weight);
            if percent(of_next, weight(at)) < SPLIT_PERCENT {
                break;
            }
        }
        if levels == 0 {
            return self.say(messages::NO_SPLIT_BELOW);
        }
        let height = self.height();
        self.tree.go_to(&view, at, height);
        let levels = counted(levels, "level");
        self.say(match heaviest(at) {
            Some(callee) => {
                messages::down_largest_callee(&levels, &percent(weight(callee), weight(at)))
            }
            None => messages::down_to_leaf(&levels),
        });
    }

    fn select_caller(&mut self) {
        let selected = self.tree.selected;
        if selected != self.tree.root()
            && let Some(caller) = self.view.tree.parent(selected)
        {
            let height = self.height();
            self.tree
                .select(&Arc::clone(&self.view), caller, height, true);
        }
    }

    fn for_siblings(&mut self, change: impl Fn(&mut TreePane, NodeId)) {
        let selected = self.tree.selected;
        let siblings: Vec<NodeId> = match self.view.tree.parent(selected) {
            Some(parent) if selected != self.tree.root() => {
                self.view.tree.children(parent).collect()
            }
            _ => vec![selected],
        };
        for node in siblings {
            change(&mut self.tree, node);
        }
    }

    fn open_hot_path(&mut self) {
        if self.view.recording.is_comparison() {
            return self.open_path_of_change();
        }
        let view = Arc::clone(&self.view);
        let path = hot_path(&view, self.measure(), self.tree.selected);
        match path.nodes.last() {
            Some(&last) => {
                let height = self.height();
                self.tree.go_to(&view, last, height);
                let levels = counted(path.nodes.len() as u64, "level");
                let end = match &path.end {
                    HotPathEnd::Leaf => " to a leaf".into(),
                    end => format!(", where {}", end_words(end)),
                };
                self.say(messages::hot_path_down(&levels, &end));
            }
            None => {
                self.tree.outline.open(&view, self.tree.selected);
                self.say(messages::no_hot_path(&end_words(&path.end)));
            }
        }
    }

    /// Goes down as long as a callee has at least half of its caller's difference. O(nodes on the way and their callees).
    fn open_path_of_change(&mut self) {
        let view = Arc::clone(&self.view);
        let change = |node| sides_of(&view, node).delta().unsigned_abs();
        let (mut at, mut levels) = (self.tree.selected, 0u64);
        while let Some(next) = view
            .tree
            .children(at)
            .max_by_key(|&callee| (change(callee), Reverse(callee)))
        {
            if change(next) == 0 || 2 * change(next) < change(at) {
                break;
            }
            (at, levels) = (next, levels + 1);
        }
        if levels == 0 {
            self.tree.outline.open(&view, at);
            return self.say(messages::DIFFERENCE_SPREADS_OUT);
        }
        let height = self.height();
        self.tree.go_to(&view, at, height);
        let end = if view.is_leaf(at) {
            "to a leaf"
        } else {
            messages::TO_WHERE_DIFFERENCE_SPREADS_OUT
        };
        self.say(format!("{} down, {end}", counted(levels, "level")));
    }

    pub(super) fn act_in_hotspots(&mut self, pane: Pane, action: Action) {
        let (len, height) = (
            self.hot.rows(pane).len(),
            usize::from(self.layout.rows(pane).height).max(1),
        );
        let cursor = self.hot.cursor_mut(pane);
        match action {
            _ if cursor.act(&action, len, height) => {}
            Action::Sibling(rows) => cursor.move_rows(rows, len, height),
            Action::Enter | Action::Open => {
                if let (Some(&hotspot), Some(lists)) = (self.hot.selected(pane), &self.hot.lists) {
                    let within = lists.scope;
                    self.go_to_method(hotspot.frame, within);
                }
            }
            Action::Close | Action::Parent => self.set_pane(Pane::Tree),
            Action::NextOwn => {
                let next = (self.hot.cursor(pane).selected + 1..len).find(|&row| {
                    let frame = self.hot.rows(pane)[row].frame;
                    self.view.frames.get(frame).category == Category::User
                });
                if let Some(row) = next {
                    self.hot.cursor_mut(pane).select(row, len, height);
                }
            }
            _ => {}
        }
    }
}

/// Why a hot path ends: `it splits into 3: 28 %, 24 %, 21 %`.
fn end_words(end: &HotPathEnd) -> String {
    match end {
        HotPathEnd::Leaf => messages::IS_LEAF.into(),
        HotPathEnd::Own(share) => messages::own_share(&share),
        HotPathEnd::Split { callees, shares } => {
            let named: Vec<String> = shares.iter().map(|share| format!("{share:.0} %")).collect();
            let more = if *callees > shares.len() { " …" } else { "" };
            messages::splits_into(&thousands(*callees as u64), &named.join(", "), &more)
        }
        HotPathEnd::Waits => messages::ALL_WAITING.into(),
        HotPathEnd::Nothing => messages::NOTHING_MEASURED_HERE.into(),
    }
}
