//! Rows of frames, callers above callees, and the commands for moving in them.

use super::Reply;
use crate::app::{Action, Area};
use crate::model::NodeId;

/// A frame in its row, in eighths of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBar {
    /// The caller if callees are gathered.
    pub node: NodeId,
    pub is_gathered: bool,
    pub from: usize,
    pub to: usize,
    /// Alternates, so that neighbors can be told apart.
    pub is_odd: bool,
}

pub struct Highlights {
    pub query: String,
    /// One for each frame.
    pub frames: Vec<bool>,
    pub methods: usize,
    /// Recursion is counted once.
    pub value: u64,
}

impl Highlights {
    pub(super) fn new(query: String, frames: Vec<bool>, value: u64) -> Highlights {
        Highlights {
            query,
            methods: frames.iter().filter(|&&is_one| is_one).count(),
            frames,
            value,
        }
    }
}

#[derive(Default)]
pub struct FrameRows {
    /// The rows on the screen.
    pub bars: Vec<Vec<FrameBar>>,
    pub highlights: Option<Highlights>,
    pub top: usize,
    /// The row of the selection.
    pub(in crate::app) mark: usize,
    pub(in crate::app) area: Area,
    /// The first column of the bars, and their number of cells.
    pub(in crate::app) cells: (u16, u16),
    pub(in crate::app) footer_lines: u16,
}

impl FrameRows {
    pub fn chart_area(&self) -> Area {
        Area {
            x: self.cells.0,
            width: self.cells.1,
            height: self.area.height - self.footer().height,
            ..self.area
        }
    }

    pub fn footer(&self) -> Area {
        let above = self.area.height.saturating_sub(self.footer_lines);
        self.area.below(above)
    }

    pub(super) fn height(&self) -> usize {
        usize::from(self.chart_area().height).max(1)
    }

    /// Scrolls as little as needed to show the selection.
    pub(super) fn show_mark(&mut self) {
        let lowest = self.mark.saturating_sub(self.height() - 1);
        self.top = self.top.clamp(lowest, self.mark);
    }

    pub(super) fn set_area(&mut self, area: Area) {
        let before = std::mem::replace(&mut self.area, area);
        if area.height != before.height {
            self.show_mark();
        }
    }

    /// The bar in the middle of a cell or else one that reaches into it, its row, and the eighth in the middle.
    pub(super) fn bar_at(&self, x: u16, y: u16) -> Option<(FrameBar, usize, usize)> {
        let chart = self.chart_area();
        let line = chart.contains(x, y).then(|| usize::from(y - chart.y))?;
        let cell = 8 * usize::from(x - chart.x);
        let bars = self.bars.get(line)?.iter();
        let reaches = |from, to| bars.clone().find(|bar| bar.from < to && bar.to > from);
        let bar = reaches(cell + 4, cell + 5).or_else(|| reaches(cell, cell + 8))?;
        Some((*bar, self.top + line, cell + 4))
    }
}

pub(super) trait MovesInFrames {
    /// Says how frames are sorted.
    const ORDER_MESSAGE: &'static str;

    fn frames(&mut self) -> &mut FrameRows;
    fn go_up(&mut self, times: usize);
    fn go_down(&mut self, times: usize) -> Reply;
    fn go_sideways(&mut self, step: isize);
    fn select_bar(&mut self, bar: FrameBar, row: usize, eighth: usize);
    fn zoom(&self) -> Reply;

    fn act_in_frames(&mut self, action: &Action) -> Reply {
        let half = (self.frames().height() / 2).max(1);
        match *action {
            Action::Rows(rows) | Action::HalfScreens(rows) => {
                let halves = matches!(action, Action::HalfScreens(_));
                let times = rows.unsigned_abs() * if halves { half } else { 1 };
                if rows > 0 {
                    return self.go_down(times);
                }
                self.go_up(times);
            }
            Action::First => self.go_up(usize::MAX),
            // deeper than any tree
            Action::Last => return self.go_down(u32::MAX as usize),
            Action::Sibling(step) => self.go_sideways(step),
            Action::Open => self.go_sideways(1),
            Action::Close => self.go_sideways(-1),
            Action::Parent => self.go_up(1),
            Action::Center => {
                let frames = self.frames();
                frames.top = frames.mark.saturating_sub(frames.height() / 2);
            }
            Action::Wheel(_, _, rows) => {
                let frames = self.frames();
                frames.top = frames.top.saturating_add_signed(rows);
            }
            Action::Click(x, y) | Action::DoubleClick(x, y) => {
                let found = self.frames().bar_at(x, y);
                if let Some((bar, row, eighth)) = found.filter(|(bar, ..)| !bar.is_gathered) {
                    self.select_bar(bar, row, eighth);
                    if matches!(action, Action::DoubleClick(..)) {
                        return self.zoom();
                    }
                }
            }
            Action::Enter => return self.zoom(),
            Action::NextUserCode | Action::NextSplit => return Reply::AskTree,
            Action::NextSort | Action::ReverseSort => {
                return Reply::ShowMessage(Self::ORDER_MESSAGE.into());
            }
            _ => {}
        }
        Reply::Done
    }
}

#[cfg(test)]
mod tests;
