//! The selected row of a list, and the first one on the screen.

use super::{Action, Area};

/// The value `step` entries later in a list that wraps around; the first if `current` is not listed.
pub(super) fn next_in<T: Copy + PartialEq>(all: &[T], current: T, step: isize) -> T {
    let at = all.iter().position(|&value| value == current);
    let next = at.map_or(0, |at| at as isize + step);
    all[next.rem_euclid(all.len() as isize) as usize]
}

/// `None` after the last one, and the first after `None`.
pub(super) fn next_or_none<T: Copy + PartialEq>(all: &[T], current: Option<T>) -> Option<T> {
    let at = current.and_then(|current| all.iter().position(|&value| value == current));
    all.get(at.map_or(0, |at| at + 1)).copied()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListCursor {
    pub selected: usize,
    pub top: usize,
}

impl ListCursor {
    /// The list has `len` rows, which are drawn in this area. Returns what is left to do: a double click accepts a row.
    pub(super) fn act(&mut self, action: &Action, len: usize, rows: Area) -> Option<Action> {
        let height = usize::from(rows.height).max(1);
        let screen = height.max(2) as isize;
        match *action {
            Action::Rows(rows) | Action::Sibling(rows) => self.move_rows(rows, len, height),
            Action::HalfScreens(halves) => self.move_rows(halves * screen / 2, len, height),
            Action::Wheel(_, _, rows) => self.scroll(rows, len, height),
            Action::First => self.select(0, len, height),
            Action::Last => self.select(len, len, height),
            Action::Click(x, y) | Action::DoubleClick(x, y) => {
                let row = self.top + usize::from(y.saturating_sub(rows.y));
                if rows.contains(x, y) && row < len {
                    self.select(row, len, height);
                    if matches!(action, Action::DoubleClick(..)) {
                        return Some(Action::Accept);
                    }
                }
            }
            _ => return Some(action.clone()),
        }
        None
    }

    pub fn move_rows(&mut self, rows: isize, len: usize, height: usize) {
        self.select(self.selected.saturating_add_signed(rows), len, height);
    }

    /// Selects the last row if there are fewer.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.selected = row.min(len.saturating_sub(1));
        let min_top = (self.selected + 1).saturating_sub(height.max(1));
        self.top = self.top.clamp(min_top, self.selected);
    }

    pub fn scroll(&mut self, rows: isize, len: usize, height: usize) {
        let top = self.top.saturating_add_signed(rows);
        self.top = top.min(len.saturating_sub(height));
        let last = self.top + height.max(1) - 1;
        let selected = self.selected.clamp(self.top, last);
        self.selected = selected.min(len.saturating_sub(1));
    }
}
