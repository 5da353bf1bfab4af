//! What the mouse does in the panes.

use super::super::commands::Action;
use super::super::layout::{Mode, Pane, tab_at};
use super::Explorer;
use std::sync::Arc;

impl Explorer {
    /// The pane at a place of the screen.
    fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL.into_iter().find(|&pane| self.layout.pane(pane).contains(x, y))
    }

    /// A click: goes to the pane, selects the row, orders by the column.
    pub(super) fn click(&mut self, x: u16, y: u16) {
        if self.layout.mode == Mode::Narrow && self.layout.trail.contains(x, y) {
            if let Some(pane) = tab_at(x) {
                self.act(Action::Pane(pane as u8 + 1));
            }
            return;
        }
        let Some(pane) = self.pane_at(x, y) else { return };
        if self.pane != pane {
            self.act(Action::Pane(pane as u8 + 1));
        }
        let rows = self.layout.rows(pane);
        if self.layout.header(pane).contains(x, y) && pane == Pane::Tree {
            let from_left = x - self.layout.header(pane).x;
            let column = self.tree_columns().column_at(from_left);
            self.act(Action::SortBy(column));
        } else if rows.contains(x, y) {
            self.select_line(pane, usize::from(y - rows.y));
        }
    }

    fn select_line(&mut self, pane: Pane, line: usize) {
        let height = usize::from(self.layout.rows(pane).height);
        if pane == Pane::Tree {
            let profile = Arc::clone(&self.profile);
            if let Some(row) = self.tree.screen(&profile, height).0.get(line) {
                self.tree.select(&profile, row.node, height);
            }
        } else {
            let len = self.hot.rows(pane).len();
            let cursor = self.hot.cursor_mut(pane);
            if cursor.top + line < len {
                cursor.select(cursor.top + line, len, height);
            }
        }
    }

    /// A double click: folds a row of the tree, goes to a hotspot's heaviest place.
    pub(super) fn double_click(&mut self, x: u16, y: u16) {
        let Some(pane) = self.pane_at(x, y) else { return };
        if self.layout.rows(pane).contains(x, y) {
            self.click(x, y);
            self.act(if pane == Pane::Tree { Action::Toggle } else { Action::Enter });
        }
    }

    /// The wheel: scrolls the pane under it.
    pub(super) fn wheel(&mut self, x: u16, y: u16, rows: isize) {
        match self.pane_at(x, y) {
            Some(Pane::Tree) => {
                let (profile, height) = (Arc::clone(&self.profile), usize::from(self.layout.rows(Pane::Tree).height));
                self.tree.scroll(&profile, rows, height);
            }
            Some(pane) => {
                let (len, height) = (self.hot.rows(pane).len(), usize::from(self.layout.rows(pane).height));
                self.hot.cursor_mut(pane).scroll(rows, len, height);
            }
            None => {}
        }
    }
}
