//! The columns of the tree and their widths, chosen so that numbers don't jump while scrolling.

use super::{Lens, SortColumn, TreePanel};
use crate::analysis::compared::{AFTER, BEFORE};
use crate::model::CountKind;
use crate::units::{Scale, thousands};

const MIN_WIDTH_WITH_BARS: u16 = 58;
const MARK: u16 = 2;
/// Cells of a bar with a space before it: the minimum that distinguishes 28% from 24%, and the maximum.
const BAR: u16 = 5;
const LONG_BAR: u16 = 31;
const NAMES: u16 = 40;
/// The bar if a longer one would leave names less than half of the pane.
const SHORT_BAR: u16 = 2;
const MIN_WIDTH_WITH_SAMPLES: u16 = 76;
/// Calls matter more than samples: they are exact, and times mean little without them.
const MIN_WIDTH_WITH_CALLS: u16 = 60;

const MIN_WIDTH_WITH_WAITING: u16 = 100;

const MIN_WIDTH_WITH_BUSY: u16 = 60;

/// Cells for a factor with spaces before it: `×1,000`, or the words `new path`.
const RATIO: u16 = 8;
const SIDE_BAR: u16 = 8;
const NAME: u16 = 26;
const INDENT: u16 = 8;

/// The columns of the tree pane from left to right, in cells with the spaces before them; 0 without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeColumns {
    pub scale: Scale,
    pub mark: u16,
    pub inclusive: u16,
    pub waiting: u16,
    pub percent: u16,
    pub bar: u16,
    pub exclusive: u16,
    /// Calls or samples.
    pub count: u16,
    /// The columns of a comparison replace all but the mark and the name.
    pub sides: Option<SideColumns>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideColumns {
    pub scale: Scale,
    pub before: u16,
    pub after: u16,
    pub delta: u16,
    pub ratio: u16,
    pub bar: u16,
}

impl SideColumns {
    /// The columns that fit; names get half of the cells, and at least [`NAME`].
    fn within(scale: Scale, value: u16, cells: u16) -> SideColumns {
        let columns = |before, ratio, bar| SideColumns {
            scale,
            before,
            after: value + 2,
            delta: value + 3,
            ratio,
            bar,
        };
        let candidates = [(RATIO, SIDE_BAR), (RATIO, SIDE_BAR / 2), (RATIO, 0), (0, 0)];
        let candidates = candidates.into_iter();
        let mut candidates = candidates.map(|(ratio, bar)| columns(value + 1, ratio, bar));
        let fitting = candidates.find(|columns| columns.cells() + NAME <= cells);
        fitting.unwrap_or(columns(0, 0, 0))
    }

    pub fn cells(&self) -> u16 {
        let bar = if self.bar > 0 { 2 * self.bar + 2 } else { 0 };
        self.before + self.after + self.delta + self.ratio + bar
    }
}

impl TreeColumns {
    pub fn name_from(&self) -> u16 {
        if let Some(sides) = &self.sides {
            return self.mark + sides.cells() + 1;
        }
        let values = self.inclusive + self.waiting + self.percent + self.bar;
        self.mark + values + self.exclusive + self.count + 1
    }

    pub fn column_at(&self, x: u16) -> SortColumn {
        if let Some(sides) = &self.sides {
            let before_to = self.mark + sides.before;
            return match x {
                x if x < before_to => SortColumn::Before,
                x if x < before_to + sides.after => SortColumn::Inclusive,
                x if x < self.mark + sides.cells() => SortColumn::Delta,
                _ => SortColumn::Name,
            };
        }
        let inclusive_to = self.mark + self.inclusive + self.waiting + self.percent + self.bar;
        let exclusive_to = inclusive_to + self.exclusive;
        match x {
            x if x < inclusive_to => SortColumn::Inclusive,
            x if x < exclusive_to => SortColumn::Exclusive,
            x if x < exclusive_to + self.count => SortColumn::Count,
            _ => SortColumn::Name,
        }
    }
}

impl Lens {
    pub fn count_cells(&self, width: u16, largest: u64) -> u16 {
        let Some(kind) = self.counts() else {
            return 0;
        };
        let min_width = match kind {
            CountKind::Calls => MIN_WIDTH_WITH_CALLS,
            _ => MIN_WIDTH_WITH_SAMPLES,
        };
        match width >= min_width {
            true => 2 + thousands(largest).len().max(kind.name().len()) as u16,
            false => 0,
        }
    }

    pub fn side_columns(&self, cells: u16) -> Option<SideColumns> {
        if !self.is_comparison() {
            return None;
        }
        let largest = self.view.largest(BEFORE).0.max(self.view.largest(AFTER).0);
        let scale = self.scale_in(self.view.recording.metric(AFTER).unit, largest);
        let head = "before ".len() + scale.unit.chars().count();
        let value = scale.number(largest).len().max(head) as u16;
        Some(SideColumns::within(scale, value, cells))
    }
}

impl TreePanel {
    pub fn columns(&self) -> TreeColumns {
        let (lens, width) = (&self.lens, self.content.width);
        let (largest_count, scale) = (lens.largest().1, lens.scale());
        let sides = lens.side_columns(width.saturating_sub(MARK + INDENT));
        let head = "excl ".len() + scale.unit.chars().count();
        let value = lens.value_cells().max(head) as u16;
        // the column that the tree is sorted by is always visible
        let sorted_by = self.shown.outline.sort.column;
        let for_count = match lens.hidden.count {
            _ if sorted_by == SortColumn::Count => u16::MAX,
            true => 0,
            false => width,
        };
        let count = lens.count_cells(for_count, largest_count);
        // in a caller tree, a row's own value is what ends with it
        let hidden = lens.hidden;
        let is_wanted = !hidden.exclusive || sorted_by == SortColumn::Exclusive;
        let exclusive = match is_wanted && !self.kind.is_upward() {
            true => value + 2,
            false => 0,
        };
        let min_width = match self.measure().left_out(&lens.view) {
            Some(_) => MIN_WIDTH_WITH_BUSY,
            None => MIN_WIDTH_WITH_WAITING,
        };
        let waits =
            !hidden.waiting && width >= min_width && lens.view.waiting_total(lens.metric) > 0;
        let mut columns = TreeColumns {
            scale,
            mark: MARK,
            inclusive: value,
            waiting: if waits { value + 1 } else { 0 },
            percent: 6,
            bar: BAR,
            exclusive,
            count,
            sides,
        };
        if waits && sorted_by != SortColumn::Count && columns.name_from() * 2 > width {
            columns.count = 0;
        }
        let bar = match width {
            _ if hidden.bar => 0,
            ..MIN_WIDTH_WITH_BARS => 0,
            _ if columns.name_from() * 2 > width => SHORT_BAR,
            _ => {
                // wide screens show when rows ran, after the names
                let when = match width {
                    0..79 => 0,
                    79..114 => 17,
                    _ => 33,
                };
                let room = width.saturating_sub(columns.name_from() + NAMES + when);
                (BAR + room / 2).min(LONG_BAR)
            }
        };
        TreeColumns { bar, ..columns }
    }
}
