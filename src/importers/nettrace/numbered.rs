//! Maps ids to values. Ids are mostly consecutive, so most are rows of a table, which costs less than hashing.

use std::collections::HashMap;

#[derive(Default)]
pub(super) struct IdMap<T> {
    first: u32,
    rows: Vec<Option<T>>,
    /// Ids before the rows or far beyond them.
    others: HashMap<u32, T, foldhash::fast::RandomState>,
}

impl<T> IdMap<T> {
    /// How many ids of a gap may be unused.
    const MAX_GAP: usize = 256;

    pub(super) fn insert(&mut self, number: u32, value: T) {
        if self.rows.is_empty() {
            self.first = number;
        }
        let row = self.row(number);
        if row >= self.rows.len() + Self::MAX_GAP {
            self.others.insert(number, value);
            return;
        }
        if row >= self.rows.len() {
            self.rows.resize_with(row + 1, || None);
        }
        self.rows[row] = Some(value);
    }

    /// Rows take precedence over `others`, whose ids they may have come to include.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        match self.rows.get(self.row(number)) {
            Some(Some(value)) => Some(value),
            _ => self.others.get(&number),
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.others.clear();
    }

    /// Ids before the first one wrap to rows that no table has.
    fn row(&self, number: u32) -> usize {
        number.wrapping_sub(self.first) as usize
    }
}

#[cfg(test)]
mod tests;
