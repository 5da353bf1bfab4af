//! The columns of the tree's rows: which there are and how wide, so that numbers stand in fixed places.

use super::explorer::{Explorer, Half};
use super::layout::Pane;
use super::outline::SortColumn;
use crate::model::CountKind;
use crate::model::format::{Scale, thousands};

/// The narrowest pane that has room for bars.
const WITH_BARS: u16 = 58;
/// The cells of a bar with a blank before it that tells 28 from 24 %: four cells in eighths are 3 % a step.
const BAR: u16 = 5;
/// Those where names would have less than half of the pane with such a bar.
const SHORT_BAR: u16 = 2;
/// The narrowest pane that has room for samples.
const WITH_SAMPLES: u16 = 72;
/// The narrowest pane that has room for calls, which are worth more: they are exact, and no time is read rightly without them.
const WITH_CALLS: u16 = 60;

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
        Scale::for_values(self.view.metric(self.metric).unit, self.largest().0)
    }

    /// How values of the shown metric are written beside one that may be larger than all on the screen.
    pub fn scale_of(&self, largest: u64) -> Scale {
        Scale::for_values(self.view.metric(self.metric).unit, largest.max(self.largest().0))
    }

    /// The cells that the widest value of the shown metric takes.
    pub fn value_cells(&self) -> usize {
        self.scale().number(self.largest().0).len()
    }

    /// The cells for counts with blanks before them in a pane of this width; 0 if there are none or no room.
    pub fn count_cells(&self, width: u16, largest: u64) -> u16 {
        let Some(kind) = self.view.metric(self.metric).counts else { return 0 };
        let least = if kind == CountKind::Calls { WITH_CALLS } else { WITH_SAMPLES };
        if width >= least { 2 + thousands(largest).len().max(kind.name().len()) as u16 } else { 0 }
    }

    /// The columns of the tree pane.
    pub fn tree_columns(&self) -> TreeColumns {
        let (largest_count, scale) = (self.largest().1, self.scale());
        let width = self.layout.content(Pane::Tree).width;
        // wide enough for the head too: `excl ms`
        let value = self.value_cells().max("excl ".len() + scale.unit().chars().count()) as u16;
        let is_ordered_by_count = self.tree.outline.sort().column == SortColumn::Count;
        // what the tree is ordered by is always to be seen
        let count = self.count_cells(if is_ordered_by_count { u16::MAX } else { width }, largest_count);
        // upward, what a row has of its own is what ends with it
        let is_upward = matches!(self.half, Some(Half::Callers | Half::Inverted));
        let exclusive = if is_upward { 0 } else { value + 2 };
        let columns = TreeColumns { scale, mark: 2, inclusive: value, percent: 6, bar: BAR, exclusive, count };
        let bar = match width {
            ..WITH_BARS => 0,
            _ if columns.name_from() * 2 > width => SHORT_BAR,
            _ => BAR,
        };
        TreeColumns { bar, ..columns }
    }
}
