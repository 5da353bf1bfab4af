//! The layout of a flame graph, row by row from the root down. A caller is exactly as wide as its callees plus its own
//! value. If siblings are stored in the order of the measure, only callees that fill a cell are visited: the cost
//! depends on the cells of the screen, not on the number of nodes.

use crate::model::{Measure, NodeId, View};
use std::cmp::Reverse;

const CACHED_EVERY_ROWS: usize = 64;

/// The most callees narrower than a cell that are counted.
pub const MAX_COUNTED: usize = 100_000;

/// A frame, or the gathered callees of a frame that are narrower than a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlameBar {
    /// The caller if callees are gathered.
    pub node: NodeId,
    pub is_gathered: bool,
    pub start: u64,
    pub end: u64,
    /// Alternates, so that neighbors can be told apart.
    pub is_odd: bool,
}

#[derive(Clone, Copy)]
pub struct FlameLayout<'a> {
    view: &'a View,
    measure: Measure,
    root: NodeId,
    /// The width of the root in cells.
    width: u16,
    total: u64,
}

impl<'a> FlameLayout<'a> {
    pub fn new(view: &'a View, measure: Measure, root: NodeId, width: u16) -> FlameLayout<'a> {
        FlameLayout {
            view,
            measure,
            root,
            width,
            total: measure.inclusive(view, root),
        }
    }

    pub fn eighth(&self, position: u64) -> usize {
        let eighths = u128::from(position) * 8 * u128::from(self.width);
        (eighths / u128::from(self.total.max(1))) as usize
    }

    fn has_cell(&self, value: u64) -> bool {
        u128::from(value) * u128::from(self.width) >= u128::from(self.total.max(1))
    }

    pub fn is_drawn(&self, node: NodeId) -> bool {
        node == self.root || self.has_cell(self.measure.inclusive(self.view, node))
    }

    /// The callees that fill a cell, heaviest first, and whether there are others.
    pub fn callees(&self, node: NodeId) -> (Vec<(u64, NodeId)>, bool) {
        let (view, measure) = (self.view, self.measure);
        let is_ordered =
            measure.metric == view.recording.default_metric && measure.left_out(view).is_none();
        let inclusive = measure.inclusive(view, node);
        let mut remaining = inclusive.saturating_sub(measure.exclusive(view, node));
        let (mut drawn, mut has_others) = (Vec::new(), false);
        for callee in view.tree.children(node) {
            // all remaining callees together don't fill a cell
            if !self.has_cell(remaining) {
                has_others = true;
                break;
            }
            let value = measure.inclusive(view, callee);
            if self.has_cell(value) {
                drawn.push((value, callee));
                remaining = remaining.saturating_sub(value);
                continue;
            }
            has_others = true;
            if is_ordered {
                break;
            }
            remaining = remaining.saturating_sub(value);
        }
        if !is_ordered {
            drawn.sort_unstable_by_key(|&(value, callee)| (Reverse(value), callee));
        }
        (drawn, has_others)
    }

    /// How many callees have a value but don't fill a cell, up to [`MAX_COUNTED`].
    pub fn narrow_callees(&self, node: NodeId) -> usize {
        let values = self.view.tree.children(node);
        let values = values.map(|callee| self.measure.inclusive(self.view, callee));
        let narrow = values.filter(|&value| value > 0 && !self.has_cell(value));
        narrow.take(MAX_COUNTED).count()
    }

    fn make_below(&self, row: &[FlameBar], below: &mut Vec<FlameBar>) {
        below.clear();
        let mut is_odd = row.first().is_some_and(|bar| !bar.is_odd);
        let is_caller = |bar: &&FlameBar| !bar.is_gathered && bar.end > bar.start;
        for caller in row.iter().filter(is_caller) {
            let (drawn, has_others) = self.callees(caller.node);
            let mut start = caller.start;
            let mut push = |node, is_gathered, value: u64| {
                let end = start.saturating_add(value).min(caller.end);
                // inclusive values that contradict the sum of the nodes may exceed the caller
                if end > start {
                    below.push(FlameBar {
                        node,
                        is_gathered,
                        start,
                        end,
                        is_odd,
                    });
                    (start, is_odd) = (end, !is_odd);
                }
            };
            let exclusive = self.measure.exclusive(self.view, caller.node);
            let mut remaining = (caller.end - caller.start).saturating_sub(exclusive);
            for (value, callee) in drawn {
                push(callee, false, value);
                remaining = remaining.saturating_sub(value);
            }
            if has_others {
                push(caller.node, true, remaining);
            }
        }
    }
}

#[derive(Default)]
pub(super) struct FlameRows {
    cached: Vec<Vec<FlameBar>>,
}

impl FlameRows {
    /// O(cells · (`count` + [`CACHED_EVERY_ROWS`])) once the rows above were computed.
    pub fn rows(&mut self, layout: &FlameLayout, top: usize, count: usize) -> Vec<Vec<FlameBar>> {
        if self.cached.is_empty() {
            self.cached.push(vec![FlameBar {
                node: layout.root,
                is_gathered: false,
                start: 0,
                end: layout.total,
                is_odd: false,
            }]);
        }
        let block = top / CACHED_EVERY_ROWS;
        let at = block.min(self.cached.len() - 1);
        let (mut row, mut below) = (self.cached[at].clone(), Vec::new());
        let mut rows = Vec::new();
        for depth in at * CACHED_EVERY_ROWS.. {
            if row.is_empty() || rows.len() == count {
                break;
            }
            if depth == self.cached.len() * CACHED_EVERY_ROWS {
                self.cached.push(row.clone());
            }
            if depth >= top {
                rows.push(row.clone());
            }
            layout.make_below(&row, &mut below);
            std::mem::swap(&mut row, &mut below);
        }
        rows
    }
}

#[cfg(test)]
mod tests;
