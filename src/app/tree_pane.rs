//! The call tree pane: the selection and its position on the screen.

use super::{Outline, Sort};
use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::Category;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Deeper levels are hidden on the left, so that this much is left for a name.
const NAME_CELLS: usize = 24;

/// A search of a few milliseconds.
const MAX_VISITED: usize = 50_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneRow {
    pub node: NodeId,
    /// Levels below the root of the outline.
    pub depth: usize,
}

#[derive(Clone, Debug)]
pub struct TreePane {
    pub outline: Outline,
    pub selected: NodeId,
    /// The line of the pane that the selection is on. It stays when rows come and go around it.
    line: usize,
    pub hidden_levels: usize,
    /// The depths of the rows around it follow from it; walking to the root for each would be slow in deep trees.
    selected_depth: usize,
}

impl TreePane {
    pub fn new(view: &View, root: NodeId, measure: Measure, sort: Sort) -> TreePane {
        let outline = Outline::new(view, root, measure, sort);
        TreePane {
            outline,
            selected: root,
            line: 0,
            hidden_levels: 0,
            selected_depth: 0,
        }
    }

    /// The selection stays on its line of the screen, as far as there are rows above. O(depth).
    pub(super) fn with_outline(&self, view: &View, outline: Outline, selected: NodeId) -> TreePane {
        let mut pane = TreePane {
            outline,
            selected,
            selected_depth: 0,
            ..*self
        };
        pane.selected_depth = pane.depth(view, selected);
        pane.settle(view);
        pane
    }

    pub fn root(&self) -> NodeId {
        self.outline.root
    }

    /// O(depth).
    fn depth(&self, view: &View, node: NodeId) -> usize {
        let above = view.tree.ancestors(node);
        above.take_while(|&above| above >= self.root()).count()
    }

    /// Also returns the index of the selected one.
    pub fn screen(&self, view: &View, height: usize) -> (Vec<PaneRow>, usize) {
        let mut row = PaneRow {
            node: self.selected,
            depth: self.selected_depth,
        };
        let mut above = 0;
        while above < self.line.min(height.saturating_sub(1)) {
            let Some(previous) = self.outline.previous(view, row.node) else {
                break;
            };
            let depth = self.depth_before(view, row, previous);
            let node = previous;
            (row, above) = (PaneRow { node, depth }, above + 1);
        }
        let mut rows = Vec::with_capacity(height);
        rows.push(row);
        while rows.len() < height {
            let Some(next) = self.outline.next(view, row.node) else {
                break;
            };
            let depth = self.depth_after(view, row, next);
            row = PaneRow { node: next, depth };
            rows.push(row);
        }
        (rows, above)
    }

    /// Computed from the row below: one less for its caller, or else relative to their common caller.
    fn depth_before(&self, view: &View, row: PaneRow, previous: NodeId) -> usize {
        let caller = view.tree.parent(row.node);
        let caller_depth = row.depth.saturating_sub(1);
        let up = std::iter::successors(Some(previous), |&at| view.tree.parent(at));
        caller_depth + up.take_while(|&at| Some(at) != caller).count()
    }

    /// Computed from the row above: one more for a callee, or else one below their common caller.
    fn depth_after(&self, view: &View, before: PaneRow, next: NodeId) -> usize {
        let (mut depth, mut at) = (before.depth, before.node);
        let parent = view.tree.parent(next);
        while Some(at) != parent && depth > 0 {
            depth -= 1;
            match view.tree.parent(at) {
                Some(above) => at = above,
                None => break,
            }
        }
        depth + 1
    }

    /// Scrolls no more than needed. `is_above` says on which side of the screen a hidden row is.
    pub fn select(&mut self, view: &View, node: NodeId, height: usize, is_above: bool) {
        let (rows, _) = self.screen(view, height);
        self.line = match rows.iter().position(|row| row.node == node) {
            Some(line) => line,
            None if is_above => 0,
            None => height.saturating_sub(1),
        };
        self.set_selected(view, node);
    }

    /// Opens the path to a node; if it was not on the screen, it is centered.
    pub fn go_to(&mut self, view: &View, node: NodeId, height: usize) {
        self.outline.show(view, node);
        let (rows, _) = self.screen(view, height);
        let middle = height.saturating_sub(1) / 2;
        let line = rows.iter().position(|row| row.node == node);
        self.line = line.unwrap_or(middle);
        self.set_selected(view, node);
    }

    fn set_selected(&mut self, view: &View, node: NodeId) {
        if node != self.selected {
            self.selected = node;
            self.selected_depth = self.depth(view, node);
        }
        self.settle(view);
    }

    fn settle(&mut self, view: &View) {
        let up = -(self.line as isize);
        self.line = self.outline.step(view, self.selected, up).1;
    }

    pub fn move_rows(&mut self, view: &View, rows: isize, height: usize) {
        let (to, moved) = self.outline.step(view, self.selected, rows);
        let line = match rows > 0 {
            true => self.line + moved,
            false => self.line.saturating_sub(moved),
        };
        self.line = line.min(height.saturating_sub(1));
        self.set_selected(view, to);
    }

    /// The selection stays where it is, unless it would leave the screen.
    pub fn scroll(&mut self, view: &View, rows: isize, height: usize) {
        let (shown, at) = self.screen(view, height);
        // scrolling stops with the last row at the bottom or the first at the top
        let edge = if rows > 0 {
            shown.last()
        } else {
            shown.first()
        };
        let Some(edge) = edge else { return };
        let can = self.outline.step(view, edge.node, rows).1 as isize;
        let line = at as isize - rows.signum() * can;
        let kept = line.clamp(0, height.saturating_sub(1) as isize);
        self.line = kept as usize;
        let selected = self.outline.step(view, self.selected, kept - line).0;
        self.set_selected(view, selected);
    }

    pub fn center(&mut self, view: &View, height: usize) {
        self.line = height.saturating_sub(1) / 2;
        self.settle(view);
    }

    pub fn is_at_top(&self, view: &View) -> bool {
        self.line == self.outline.row_of(view, self.selected)
    }

    /// Does nothing if the selection would leave the screen.
    pub fn stay_at_top(&mut self, view: &View, height: usize) {
        let row = self.outline.row_of(view, self.selected);
        if row < height {
            self.line = row;
        }
    }

    pub fn resize(&mut self, view: &View, height: usize) {
        self.line = self.line.min(height.saturating_sub(1));
        self.settle(view);
    }

    /// Makes the selected row's name fit into the `width` cells after the numbers.
    pub fn fit_indent(&mut self, width: usize) {
        let depth = self.selected_depth;
        let room = width.saturating_sub(NAME_CELLS).max(4);
        if depth <= room {
            self.hidden_levels = 0;
        } else if depth.saturating_sub(self.hidden_levels) > room {
            self.hidden_levels = depth - room / 2;
        } else if depth <= self.hidden_levels {
            self.hidden_levels = (depth.saturating_sub(room / 2)).min(depth.saturating_sub(1));
        }
        if self.hidden_levels <= 1 {
            // the mark takes as much room as the level
            self.hidden_levels = 0;
        }
    }

    /// The heaviest row of user code below the selection, or else the next one in preorder. O(nodes) at worst.
    pub fn next_user_code(&self, view: &View, measure: Measure) -> Option<NodeId> {
        // a table of bits fits into the processor's cache; the frames themselves would not
        let frames = view.frames.iter();
        let is_own = frames.map(|(_, frame)| frame.category == Category::User);
        let is_own: Vec<bool> = is_own.collect();
        let is_own = |frame: FrameId| is_own[frame.index()];
        let end = view.tree.end(self.root()).index();
        let after = self.selected.index() + 1;
        let below = &view.tree.frames()[after..end];
        let first = below.iter().position(|&frame| is_own(frame))?;
        let first = NodeId::at(after + first);
        let is_below = view.tree.contains(self.selected, first);
        let heaviest = || heaviest_below(view, measure, self.selected, is_own);
        is_below.then(heaviest).flatten().or(Some(first))
    }
}

/// The heaviest match with no other match above it; `None` if it is not found soon.
fn heaviest_below(
    view: &View,
    measure: Measure,
    node: NodeId,
    fits: impl Fn(FrameId) -> bool,
) -> Option<NodeId> {
    // callees weigh no more than their callers, so the first match is the heaviest
    let mut pending = BinaryHeap::from([(u64::MAX, Reverse(node))]);
    let mut visited = 0;
    while let Some((_, Reverse(at))) = pending.pop() {
        if at != node && fits(view.tree.frame(at)) {
            return Some(at);
        }
        for callee in view.tree.children(at) {
            pending.push((measure.inclusive(view, callee), Reverse(callee)));
            visited += 1;
            if visited > MAX_VISITED {
                return None;
            }
        }
    }
    None
}
