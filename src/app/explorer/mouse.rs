//! What the mouse does in the panes.

use super::super::commands::Action;
use super::super::layout::{BUTTERFLY_TABS, Mode, Pane, TABS, tab_at};
use super::super::{Effect, dialogs::PageKind};
use super::Explorer;
use crate::text::width;
use std::sync::Arc;

/// What stands between the steps of the breadcrumbs.
pub const BREADCRUMB_SEPARATOR: &str = " ▸ ";

impl Explorer {
    /// The pane at a place of the screen.
    pub(super) fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL
            .into_iter()
            .find(|&pane| self.layout.is_shown(pane) && self.layout.pane(pane).contains(x, y))
    }

    /// The names of the steps on the way to what is shown, outermost first.
    pub fn breadcrumb_names(&self) -> Vec<String> {
        self.crumbs().into_iter().map(|(_, name)| name).collect()
    }

    /// A click: goes to the pane, selects the row, orders by the column, goes back along the breadcrumbs, shows the warnings.
    pub(super) fn click(&mut self, x: u16, y: u16) -> Vec<Effect> {
        if self.layout.breadcrumbs.contains(x, y) {
            return self.click_breadcrumbs(x);
        }
        if self.layout.title.contains(x, y)
            && x + 8 >= self.layout.title.width
            && self.view.alerts().next().is_some()
        {
            self.open_page(PageKind::Notes);
        }
        let Some(pane) = self.pane_at(x, y) else {
            return Vec::new();
        };
        self.set_pane(pane);
        let rows = self.layout.rows(pane);
        if self.layout.header(pane).contains(x, y) && pane == Pane::Tree {
            let column = self
                .tree_columns()
                .column_at(x - self.layout.header(pane).x);
            return self.act_in_panes(Action::SortBy(column));
        } else if rows.contains(x, y) {
            self.select_line(pane, usize::from(y - rows.y));
        }
        Vec::new()
    }

    fn click_breadcrumbs(&mut self, x: u16) -> Vec<Effect> {
        if self.layout.mode == Mode::Narrow {
            let tabs = if self.butterfly.is_empty() {
                TABS
            } else {
                BUTTERFLY_TABS
            };
            let has_tabs = self
                .butterfly
                .last()
                .is_none_or(|page| page.callees.is_some());
            if let Some(pane) = tab_at(tabs, x).filter(|_| has_tabs) {
                self.set_pane(pane);
            }
            return Vec::new();
        }
        let mut from = 1;
        let hit = self.crumbs().into_iter().find(|(_, name)| {
            from += width(name) + width(BREADCRUMB_SEPARATOR);
            usize::from(x) < from
        });
        hit.map_or_else(Vec::new, |(crumb, _)| self.go_back_to(crumb))
    }

    fn select_line(&mut self, pane: Pane, line: usize) {
        let height = usize::from(self.layout.rows(pane).height);
        if pane == Pane::Tree {
            let view = Arc::clone(&self.view);
            if let Some(row) = self.tree.screen(&view, height).0.get(line) {
                self.tree.select(&view, row.node, height, false);
            }
        } else {
            let len = self.hot.rows(pane).len();
            let cursor = self.hot.cursor_mut(pane);
            if cursor.top + line < len {
                cursor.select(cursor.top + line, len, height);
            }
        }
    }

    /// A double click: folds a row of the tree, goes to a hotspot's heaviest occurrence; elsewhere it is two clicks.
    pub(super) fn double_click(&mut self, x: u16, y: u16) -> Vec<Effect> {
        let mut effects = self.click(x, y);
        let on_row = self
            .pane_at(x, y)
            .filter(|&pane| self.layout.rows(pane).contains(x, y));
        if let Some(pane) = on_row {
            effects.extend(self.act_in_panes(if pane == Pane::Tree {
                Action::Toggle
            } else {
                Action::Enter
            }));
        }
        effects
    }

    /// The wheel: scrolls the pane under it.
    pub(super) fn wheel(&mut self, x: u16, y: u16, rows: isize) {
        match self.pane_at(x, y) {
            Some(Pane::Tree) => {
                let (view, height) = (
                    Arc::clone(&self.view),
                    usize::from(self.layout.rows(Pane::Tree).height),
                );
                self.tree.scroll(&view, rows, height);
            }
            Some(pane) => {
                let (len, height) = (
                    self.hot.rows(pane).len(),
                    usize::from(self.layout.rows(pane).height),
                );
                self.hot.cursor_mut(pane).scroll(rows, len, height);
            }
            None => {}
        }
    }
}
