//! The two panes with hotspots: of the selection, or pinned to the whole tree.

use super::layout::Pane;
use crate::analysis::{Hotspot, HotspotOrder, hotspots, sort_hotspots};
use crate::model::{FrameId, Measure, NodeId, View};
use std::sync::Arc;

/// Subtrees of at most this many nodes are summed at once; larger ones go to the worker, so that no key waits for them.
pub const AT_ONCE_NODES: usize = 20_000;

/// How many lists of large subtrees are remembered.
const REMEMBERED: usize = 16;

/// The hotspots of one subtree in both orders.
#[derive(Clone, Debug)]
pub struct HotspotLists {
    /// The subtree.
    pub scope: NodeId,
    /// What they are ordered by and percentages are of.
    pub measure: Measure,
    /// By exclusive value; those with none are left out.
    pub by_exclusive: Vec<Hotspot>,
    /// By inclusive value; those with none are left out.
    pub by_inclusive: Vec<Hotspot>,
    /// The largest count of all rows, by which their column is sized.
    pub largest_count: u64,
}

impl HotspotLists {
    /// Sums a subtree. O(nodes of the subtree + frames + methods log methods).
    pub fn new(view: &View, scope: NodeId, measure: Measure) -> HotspotLists {
        let rows = hotspots(view, &[scope], measure);
        let ordered = |order| {
            let mut rows: Vec<Hotspot> = rows.iter().copied().filter(|row| row.value(order) > 0).collect();
            sort_hotspots(view, &mut rows, order);
            rows
        };
        HotspotLists {
            scope,
            measure,
            by_exclusive: ordered(HotspotOrder::Exclusive),
            by_inclusive: ordered(HotspotOrder::Inclusive),
            largest_count: rows.iter().filter_map(|row| row.count).max().unwrap_or(0),
        }
    }

    /// The rows of a pane; the tree has none.
    pub fn rows(&self, pane: Pane) -> &[Hotspot] {
        match pane {
            Pane::Tree => &[],
            Pane::Exclusive => &self.by_exclusive,
            Pane::Inclusive => &self.by_inclusive,
        }
    }
}

/// A list's selection and the first row on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    /// The selected row.
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl ListCursor {
    /// Moves the selection by rows in a list of `len` rows of which `height` are on the screen.
    pub fn move_rows(&mut self, rows: isize, len: usize, height: usize) {
        self.select(self.selected.saturating_add_signed(rows), len, height);
    }

    /// Selects a row, or the last one if there are fewer.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.selected = row.min(len.saturating_sub(1));
        self.top = self.top.clamp((self.selected + 1).saturating_sub(height.max(1)), self.selected);
    }

    /// Scrolls by rows; the selection stays on the screen.
    pub fn scroll(&mut self, rows: isize, len: usize, height: usize) {
        self.top = self.top.saturating_add_signed(rows).min(len.saturating_sub(height));
        self.selected = self.selected.clamp(self.top, self.top + height.max(1) - 1).min(len.saturating_sub(1));
    }
}

/// The state of both panes.
#[derive(Clone, Debug, Default)]
pub struct HotPanes {
    /// What is shown; `None` until the first answer.
    pub lists: Option<Arc<HotspotLists>>,
    /// The subtree and measure that were asked for, while their answer is awaited.
    pub awaited: Option<(NodeId, Measure)>,
    /// Whether the panes stay with the whole tree.
    pub is_pinned: bool,
    /// Where each list stands.
    pub cursors: [ListCursor; 2],
    /// The methods to select in the next lists, which are of another profile.
    wanted: [Option<FrameId>; 2],
    remembered: Vec<Arc<HotspotLists>>,
}

impl HotPanes {
    /// Shows the hotspots of a subtree, or says that the worker must sum them first.
    #[must_use]
    pub fn show(&mut self, view: &View, scope: NodeId, measure: Measure) -> bool {
        let fits = |lists: &Arc<HotspotLists>| lists.scope == scope && lists.measure == measure;
        if self.lists.as_ref().is_some_and(fits) {
            self.awaited = None;
            return false;
        }
        if let Some(known) = self.remembered.iter().find(|lists| fits(lists)) {
            self.set(Arc::clone(known));
        } else if view.tree.size(scope) <= AT_ONCE_NODES {
            self.set(Arc::new(HotspotLists::new(view, scope, measure)));
        } else if self.awaited != Some((scope, measure)) {
            self.awaited = Some((scope, measure));
            return true;
        }
        false
    }

    /// Takes the worker's answer; one that is no longer wanted is only remembered.
    pub fn receive(&mut self, lists: Arc<HotspotLists>) {
        if self.remembered.len() == REMEMBERED {
            self.remembered.remove(0);
        }
        self.remembered.push(Arc::clone(&lists));
        if self.awaited == Some((lists.scope, lists.measure)) {
            self.set(lists);
        }
    }

    fn set(&mut self, lists: Arc<HotspotLists>) {
        let (wanted, before) = (std::mem::take(&mut self.wanted), self.cursors);
        self.cursors = [Pane::Exclusive, Pane::Inclusive].map(|pane| {
            let at = usize::from(pane == Pane::Inclusive);
            let found = wanted[at].and_then(|frame| lists.rows(pane).iter().position(|row| row.frame == frame));
            // on the line on which it stood, as far as there are rows above
            let line = before[at].selected.saturating_sub(before[at].top);
            found.map_or_else(ListCursor::default, |row| ListCursor { selected: row, top: row.saturating_sub(line) })
        });
        self.lists = Some(lists);
        self.awaited = None;
    }

    /// Forgets all lists, which are of a profile that is no longer shown. The selected methods stay so where `frame_of` says
    /// what they are in the new one.
    pub fn renew(&mut self, mut frame_of: impl FnMut(FrameId) -> Option<FrameId>) {
        let kept = [Pane::Exclusive, Pane::Inclusive].map(|pane| self.selected(pane).map(|row| row.frame));
        self.wanted = match &self.lists {
            Some(_) => kept.map(|frame| frame.and_then(&mut frame_of)),
            // the profile changes again before the last one was summed
            None => self.wanted.map(|frame| frame.and_then(&mut frame_of)),
        };
        (self.lists, self.awaited) = (None, None);
        self.remembered.clear();
    }

    /// The rows of a pane.
    pub fn rows(&self, pane: Pane) -> &[Hotspot] {
        self.lists.as_ref().map_or(&[], |lists| lists.rows(pane))
    }

    /// The cursor of a pane of hotspots; the tree's own is elsewhere.
    pub fn cursor(&self, pane: Pane) -> ListCursor {
        self.cursors[usize::from(pane == Pane::Inclusive)]
    }

    /// The same, to be moved.
    pub fn cursor_mut(&mut self, pane: Pane) -> &mut ListCursor {
        &mut self.cursors[usize::from(pane == Pane::Inclusive)]
    }

    /// The selected row of a pane; the tree has none here.
    pub fn selected(&self, pane: Pane) -> Option<&Hotspot> {
        self.rows(pane).get(self.cursor(pane).selected)
    }
}
