//! The columns of the tree's rows: which there are and how wide, so that numbers stand in fixed places.

use super::explorer::Explorer;
use super::layout::Pane;
use super::outline::SortColumn;
use crate::model::format::{Scale, thousands};

/// The narrowest pane that has room for bars.
const WITH_BARS: u16 = 58;
/// The narrowest pane that has room for counts.
const WITH_COUNTS: u16 = 72;

/// The columns of the tree pane, from left to right: a mark, inclusive, percent, bar, exclusive, count, name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeColumns {
    /// How times are written.
    pub scale: Scale,
    /// Cells for the mark of the selected row.
    pub mark: u16,
    /// Cells for inclusive values, right-aligned.
    pub inclusive: u16,
    /// Cells for the percentage with a blank before it.
    pub percent: u16,
    /// Cells for the bar with a blank before it; 0 if there is no room.
    pub bar: u16,
    /// Cells for exclusive values with blanks before them.
    pub exclusive: u16,
    /// Cells for calls or samples with blanks before them; 0 if there are none or no room.
    pub count: u16,
}

impl TreeColumns {
    /// The cell at which names begin.
    pub fn name_from(&self) -> u16 {
        self.mark + self.inclusive + self.percent + self.bar + self.exclusive + self.count + 1
    }

    /// The column whose head is at this cell of the pane.
    pub fn column_at(&self, x: u16) -> SortColumn {
        let inclusive_to = self.mark + self.inclusive + self.percent + self.bar;
        let exclusive_to = inclusive_to + self.exclusive;
        match x {
            x if x < inclusive_to => SortColumn::Inclusive,
            x if x < exclusive_to => SortColumn::Exclusive,
            x if x < exclusive_to + self.count => SortColumn::Count,
            _ => SortColumn::Name,
        }
    }
}

impl Explorer {
    /// How values of the shown metric are written on this screen: by the largest there is, so that a focus changes
    /// nothing.
    pub fn scale(&self) -> Scale {
        Scale::for_values(self.profile.metric(self.metric).unit, self.largest().0)
    }

    /// The cells that the widest value of the shown metric takes.
    pub fn value_cells(&self) -> usize {
        self.scale().number(self.largest().0).len()
    }

    /// The columns of the tree pane.
    pub fn tree_columns(&self) -> TreeColumns {
        let (largest_count, scale) = (self.largest().1, self.scale());
        let width = self.layout.content(Pane::Tree).width;
        // wide enough for the head too: `excl ms`
        let value = self.value_cells().max("excl ".len() + scale.unit().len()) as u16;
        let has_counts = self.profile.metric(self.metric).counts.is_some();
        let count = match has_counts && width >= WITH_COUNTS {
            true => 2 + thousands(largest_count).len().max("samples".len()) as u16,
            false => 0,
        };
        let bar = if width >= WITH_BARS { 2 } else { 0 };
        TreeColumns { scale, mark: 2, inclusive: value, percent: 6, bar, exclusive: value + 2, count }
    }
}
