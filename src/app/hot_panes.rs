//! The two panes with hotspots: of the selection, or pinned to the whole tree.

use super::commands::Action;
use super::layout::Pane;
use crate::analysis::compared::{AFTER, BEFORE, Sides};
use crate::analysis::{Hotspot, HotspotOrder, hotspots, sort_hotspots};
use crate::model::{Chance, FrameId, Measure, NodeId, Step, View};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// Subtrees of at most this many nodes are summed at once; larger ones go to the worker, so that no key waits for them.
pub const SYNC_NODE_LIMIT: usize = 20_000;

/// The number of rows that every screen has room for.
const MIN_ROWS: usize = 3;

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
    /// In a comparison, the exclusive and the inclusive values of methods before the change; lists are ordered by differences.
    before: HashMap<FrameId, [u64; 2]>,
}

impl HotspotLists {
    /// Sums a subtree. O(nodes of the subtree + frames + methods log methods).
    pub fn new(view: &View, scope: NodeId, measure: Measure) -> HotspotLists {
        if view.recording.is_comparison() {
            return HotspotLists::compared(view, scope, measure);
        }
        let rows = hotspots_below(view, scope, measure);
        let ordered = |order| {
            let mut rows: Vec<Hotspot> = rows
                .iter()
                .copied()
                .filter(|row| row.value(order) > 0)
                .collect();
            sort_hotspots(view, &mut rows, order);
            rows
        };
        HotspotLists {
            scope,
            measure,
            by_exclusive: ordered(HotspotOrder::Exclusive),
            by_inclusive: ordered(HotspotOrder::Inclusive),
            largest_count: rows.iter().filter_map(|row| row.count).max().unwrap_or(0),
            before: HashMap::new(),
        }
    }

    /// The methods that have changed, slower ones first. Those that have vanished are where they were.
    fn compared(view: &View, scope: NodeId, measure: Measure) -> HotspotLists {
        let [before, mut rows] = [BEFORE, AFTER]
            .map(|metric| hotspots_below(view, scope, Measure { metric, ..measure }));
        let places: HashMap<FrameId, NodeId> = before
            .iter()
            .map(|row| (row.frame, row.heaviest_node))
            .collect();
        for row in rows.iter_mut().filter(|row| row.inclusive == 0) {
            row.heaviest_node = places.get(&row.frame).copied().unwrap_or(row.heaviest_node);
        }
        let before = before
            .into_iter()
            .map(|row| (row.frame, [row.exclusive, row.inclusive]))
            .collect();
        let mut lists = HotspotLists {
            scope,
            measure,
            by_exclusive: Vec::new(),
            by_inclusive: Vec::new(),
            largest_count: 0,
            before,
        };
        let ordered = |order| {
            let delta = |row: &Hotspot| lists.sides(row, order).map_or(0, Sides::delta);
            let mut rows: Vec<Hotspot> =
                rows.iter().copied().filter(|row| delta(row) != 0).collect();
            rows.sort_by_cached_key(|row| {
                (
                    Reverse(delta(row)),
                    view.frames.display_name(row.frame).to_string(),
                )
            });
            rows
        };
        (lists.by_exclusive, lists.by_inclusive) = (
            ordered(HotspotOrder::Exclusive),
            ordered(HotspotOrder::Inclusive),
        );
        lists
    }

    /// The values of a row on both sides of a comparison; `None` if it is none.
    pub fn sides(&self, row: &Hotspot, order: HotspotOrder) -> Option<Sides> {
        let before = self.before.get(&row.frame)?;
        Some(Sides {
            before: before[usize::from(order == HotspotOrder::Inclusive)],
            after: row.value(order),
        })
    }

    /// Whether the difference of a row may be chance, if these are the methods of a whole comparison: of parts of it nobody knows.
    pub fn verdict(&self, view: &View, row: &Hotspot, order: HotspotOrder) -> Option<Chance> {
        let is_whole =
            self.scope == NodeId::ROOT && view.steps.transforms.iter().all(Step::is_display);
        let verdicts = view.recording.verdicts.as_ref().filter(|_| is_whole)?;
        verdicts.of(row.frame, order == HotspotOrder::Inclusive)
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

/// The hotspots of a subtree. Where runs of frames are one row, methods are still listed by their own names: they are those of the
/// tree below, and their heaviest nodes are the rows that these went into. O(nodes of the subtree + frames).
pub fn hotspots_below(view: &View, scope: NodeId, measure: Measure) -> Vec<Hotspot> {
    if !view.is_collapsed() {
        return hotspots(view, &[scope], measure);
    }
    let mut rows = hotspots(view.uncollapsed(), &view.to_uncollapsed(scope), measure);
    for row in &mut rows {
        row.heaviest_node = view.from_uncollapsed(row.heaviest_node).unwrap_or(scope);
    }
    rows
}

/// Whether [`hotspots_below`] has few nodes to sum: a row can stand for any number of them.
fn is_small(view: &View, scope: NodeId) -> bool {
    let size_of = |root: NodeId| view.uncollapsed().tree.size(root);
    view.tree.size(scope) <= SYNC_NODE_LIMIT
        && (!view.is_collapsed()
            || view
                .to_uncollapsed(scope)
                .into_iter()
                .map(size_of)
                .sum::<usize>()
                <= SYNC_NODE_LIMIT)
}

/// What a list of hotspots is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HotColumn {
    /// The value that the pane is about.
    #[default]
    Value,
    Calls,
    Name,
}

/// The order of a list of hotspots: the largest first or, of names, the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HotSort {
    pub column: HotColumn,
    /// Whether it goes the other way round.
    pub reversed: bool,
}

/// A list's selection and the first row on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl ListCursor {
    /// Handles the actions that move in lists; `false` for any other action.
    pub(super) fn act(&mut self, action: &Action, len: usize, height: usize) -> bool {
        let screen = height.max(2) as isize;
        match *action {
            Action::Rows(rows) => self.move_rows(rows, len, height),
            Action::HalfScreens(halves) => self.move_rows(halves * screen / 2, len, height),
            Action::Wheel(_, _, rows) => self.scroll(rows, len, height),
            Action::First => self.select(0, len, height),
            Action::Last => self.select(len, len, height),
            _ => return false,
        }
        true
    }

    /// Moves the selection by rows in a list of `len` rows of which `height` are on the screen.
    pub fn move_rows(&mut self, rows: isize, len: usize, height: usize) {
        self.select(self.selected.saturating_add_signed(rows), len, height);
    }

    /// Selects a row, or the last one if there are fewer.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.selected = row.min(len.saturating_sub(1));
        self.top = self.top.clamp(
            (self.selected + 1).saturating_sub(height.max(1)),
            self.selected,
        );
    }

    /// Scrolls by rows; the selection stays on the screen.
    pub fn scroll(&mut self, rows: isize, len: usize, height: usize) {
        self.top = self
            .top
            .saturating_add_signed(rows)
            .min(len.saturating_sub(height));
        self.selected = self
            .selected
            .clamp(self.top, self.top + height.max(1) - 1)
            .min(len.saturating_sub(1));
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
    /// The cursor of each list.
    pub cursors: [ListCursor; 2],
    /// The methods to select in the next lists, which are of another profile.
    wanted: [Option<FrameId>; 2],
    sorts: [HotSort; 2],
    /// the rows of each list in the order that was asked for, if it is not that of the list
    sorted: [Option<Vec<Hotspot>>; 2],
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
            let known = Arc::clone(known);
            self.set(view, known);
        } else if is_small(view, scope) {
            self.set(view, Arc::new(HotspotLists::new(view, scope, measure)));
        } else if self.awaited != Some((scope, measure)) {
            self.awaited = Some((scope, measure));
            return true;
        }
        false
    }

    /// Takes the worker's answer; one that is no longer wanted is only remembered.
    pub fn receive(&mut self, view: &View, lists: Arc<HotspotLists>) {
        if self.remembered.len() == REMEMBERED {
            self.remembered.remove(0);
        }
        self.remembered.push(Arc::clone(&lists));
        if self.awaited == Some((lists.scope, lists.measure)) {
            self.set(view, lists);
        }
    }

    /// What a list is ordered by.
    pub fn sort(&self, pane: Pane) -> HotSort {
        self.sorts[usize::from(pane == Pane::Inclusive)]
    }

    /// Orders a list, and selects its first row. O(rows log rows).
    pub fn set_sort(&mut self, view: &View, pane: Pane, sort: HotSort) {
        self.sorts[usize::from(pane == Pane::Inclusive)] = sort;
        self.order(view, pane);
        *self.cursor_mut(pane) = ListCursor::default();
    }

    fn order(&mut self, view: &View, pane: Pane) {
        let (sort, at) = (self.sort(pane), usize::from(pane == Pane::Inclusive));
        self.sorted[at] = match &self.lists {
            Some(lists) if sort != HotSort::default() => {
                Some(in_order(view, lists.rows(pane), sort))
            }
            _ => None,
        };
    }

    fn set(&mut self, view: &View, lists: Arc<HotspotLists>) {
        let (wanted, before) = (std::mem::take(&mut self.wanted), self.cursors);
        self.lists = Some(lists);
        [Pane::Exclusive, Pane::Inclusive]
            .into_iter()
            .for_each(|pane| self.order(view, pane));
        self.cursors = [Pane::Exclusive, Pane::Inclusive].map(|pane| {
            let at = usize::from(pane == Pane::Inclusive);
            let found = wanted[at]
                .and_then(|frame| self.rows(pane).iter().position(|row| row.frame == frame));
            // on the line on which it stood, as far as there are rows above
            let line = before[at].selected.saturating_sub(before[at].top);
            // if the first row was on the screen, stay at the top: there may be new, hotter rows
            let is_at_top = before[at].top == 0 && found.is_some_and(|row| row < MIN_ROWS);
            let top = |row: usize| {
                if is_at_top {
                    0
                } else {
                    row.saturating_sub(line)
                }
            };
            found.map_or_else(ListCursor::default, |row| ListCursor {
                selected: row,
                top: top(row),
            })
        });
        self.awaited = None;
    }

    /// Drops all lists, as their profile is no longer shown. The selected methods stay selected where `frame_of` says
    /// what they are in the new one, of which lists may be known.
    pub fn renew(
        &mut self,
        mut frame_of: impl FnMut(FrameId) -> Option<FrameId>,
        lists: Option<Arc<HotspotLists>>,
    ) {
        let kept =
            [Pane::Exclusive, Pane::Inclusive].map(|pane| self.selected(pane).map(|row| row.frame));
        self.wanted = match &self.lists {
            Some(_) => kept.map(|frame| frame.and_then(&mut frame_of)),
            // the profile changes again before the last one was summed
            None => self.wanted.map(|frame| frame.and_then(&mut frame_of)),
        };
        (self.lists, self.awaited) = (None, None);
        self.sorted = Default::default();
        self.remembered.clear();
        self.remembered.extend(lists);
    }

    pub fn rows(&self, pane: Pane) -> &[Hotspot] {
        let sorted = self.sorted[usize::from(pane == Pane::Inclusive)]
            .as_deref()
            .filter(|_| pane != Pane::Tree);
        sorted
            .or_else(|| self.lists.as_ref().map(|lists| lists.rows(pane)))
            .unwrap_or_default()
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

/// Rows in another order than the list's own, which decides between equals.
fn in_order(view: &View, rows: &[Hotspot], sort: HotSort) -> Vec<Hotspot> {
    let mut rows = rows.to_vec();
    match sort.column {
        HotColumn::Value => {}
        HotColumn::Calls => rows.sort_by_key(|row| Reverse(row.count)),
        HotColumn::Name => {
            rows.sort_by(|a, b| {
                view.frames
                    .display_name(a.frame)
                    .cmp(view.frames.display_name(b.frame))
            });
        }
    }
    if sort.reversed {
        rows.reverse();
    }
    rows
}

#[cfg(test)]
mod tests;
