//! Draws the timeline strip: the tree and the selected row over time, and markers.

use super::messages;
use super::pen::Pen;
use crate::analysis::BucketValues;
use crate::app::{Area, CellsOverTime, Explorer, ViewOverTime};
use crate::model::{FrameId, MarkerKind, NodeId, View};
use crate::query::{HEIGHTS, MARKED_CELL, round_times};
use crate::text::{fit_end, width};
use crate::units::seconds_rounded;
use ratatui::prelude::Span;
use std::sync::Arc;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer) {
    let (area, theme) = (explorer.layout.strip, pen.theme);
    let Some(strip) = explorer.computed_strip().filter(|_| area.height > 0) else {
        return;
    };
    let cells_area = explorer.layout.strip_cells();
    let counts_waiting = explorer.measure().counts_waiting;
    let cells = strip.in_cells(usize::from(cells_area.width), counts_waiting);
    pen.put_dim(cells_area, 0, line(cells.heights(&strip.all)));
    if let Some(values) = explorer.time.selected() {
        let selected = line(cells.heights(values));
        pen.put(cells_area, 1, Span::styled(selected, theme.accent()));
    }
    draw_labels(pen, explorer, cells);
    if area.height > 2 {
        let marks = Span::styled(marks(cells), theme.warning());
        pen.put(cells_area, 2, marks);
    }
    let column = |at_ns| cells.cell_at(at_ns) as u16;
    let time = &explorer.time;
    let chosen = time.drawn_range().or(time.cursor_ns.map(|at| [at, at]));
    if let Some([first, last]) = chosen.map(|ends| ends.map(column)) {
        let drawn = Area::new(cells_area.x + first, area.y, last - first + 1, area.height);
        (0..area.height).for_each(|row| pen.paint(drawn, row, theme.cursor()));
    }
}

fn draw_labels(pen: &mut Pen, explorer: &Explorer, cells: CellsOverTime) {
    let (area, cells_area) = (explorer.layout.strip, explorer.layout.strip_cells());
    let range = cells.strip.timeline.range;
    let full = cells.strip.as_thread_count(cells.full());
    let full = full.map_or(String::new(), |threads| {
        match (threads - threads.round()).abs() < 0.05 {
            true => messages::strip_full(&threads.round()),
            false => format!("█ {threads:.1}"),
        }
    });
    let [first, last] = match explorer.has_lanes() {
        true if full.is_empty() => [messages::STRIP_ALL.into(), String::new()],
        true => [messages::strip_all(&full), String::new()],
        false => [range.from_ns, range.to_ns].map(time),
    };
    let width = cells_area.x - area.x;
    let left = Area { width, ..area };
    let room = usize::from(width) - 1;
    let end = cells_area.x + cells_area.width;
    let right = Area::new(end, area.y, area.x + area.width - end, area.height);
    let labels = [&first, messages::STRIP_SELECTED, messages::STRIP_EVENTS];
    for (row, label) in (0..area.height).zip(labels) {
        let label = fit_end(label, room);
        pen.put_dim(left, row, format!("{label:>room$}"));
    }
    pen.put_dim(right, 0, format!(" {last}"));
    pen.put_dim(right, 1, format!(" {full}"));
}

/// Heights are in eighths.
fn line(heights: Vec<usize>) -> String {
    heights.into_iter().map(|height| HEIGHTS[height]).collect()
}

/// The minimum width of the screen, and the column's cells.
const WHEN_COLUMN: [(u16, usize); 2] = [(200, 32), (140, 16)];

pub(super) struct WhenColumn<'a> {
    explorer: &'a Explorer,
    strip: &'a ViewOverTime,
    cells: usize,
}

impl<'a> WhenColumn<'a> {
    /// If it fits and the values are known.
    pub(super) fn of(
        explorer: &'a Explorer,
        view: &Arc<View>,
        room: u16,
    ) -> Option<WhenColumn<'a>> {
        let width = explorer.layout.screen.width;
        // names need most of the room
        let fits = |(min_width, cells): &(u16, usize)| {
            width >= *min_width && cells * 10 <= usize::from(room) * 3
        };
        let (_, cells) = WHEN_COLUMN.into_iter().find(fits)?;
        let strip = explorer.time.of(view, explorer.lens().metric)?;
        Some(WhenColumn {
            explorer,
            strip,
            cells,
        })
    }

    pub(super) fn remaining_area(when: Option<&WhenColumn>, area: Area) -> Area {
        let used = when.map_or(0, |when| when.cells + 1);
        let width = area.width.saturating_sub(used as u16);
        Area { width, ..area }
    }

    pub(super) fn draw_head(&self, pen: &mut Pen, area: Area) {
        let head = match self.strip.measures_time() {
            true => messages::COLUMN_WHEN_OF_TIME,
            false => messages::COLUMN_WHEN,
        };
        pen.put_dim(self.column_area(area), 0, head);
    }

    pub(super) fn draw(&self, pen: &mut Pen, area: Area, row: u16, subtrees: &[NodeId]) {
        let values = self.strip.timeline.of(&self.strip.view, subtrees);
        self.draw_values(pen, area, row, &values);
    }

    /// `methods` starts with the first one on the screen.
    pub(super) fn draw_methods(
        &self,
        pen: &mut Pen,
        area: Area,
        within: NodeId,
        methods: impl Iterator<Item = FrameId>,
    ) {
        let roots = self.strip.roots_of(within);
        for (row, frame) in methods.take(usize::from(area.height)).enumerate() {
            let values = self.strip.of_method(&roots, frame);
            self.draw_values(pen, area, row as u16, &values.unwrap_or_default());
        }
    }

    fn draw_values(&self, pen: &mut Pen, area: Area, row: u16, values: &BucketValues) {
        let counts_waiting = self.explorer.measure().counts_waiting;
        let cells = self.strip.in_cells(self.cells, counts_waiting);
        let line = line(cells.heights_of_one_thread(values));
        pen.put(self.column_area(area), row, line);
    }

    fn column_area(&self, area: Area) -> Area {
        let width = area.width.min(self.cells as u16);
        Area {
            x: area.x + area.width - width,
            width,
            ..area
        }
    }
}

fn time(at_ns: u64) -> String {
    match at_ns / 1_000_000_000 {
        ..1_000 => seconds_rounded(at_ns),
        seconds => format!("{seconds} s"),
    }
}

pub(super) fn ruler(cells: CellsOverTime) -> String {
    let range = cells.strip.timeline.range;
    let span = range.to_ns.saturating_sub(range.from_ns);
    let has_room = |step: u64, last: &str| {
        u128::from(step) * cells.count as u128 >= (width(last) as u128 + 5) * u128::from(span)
    };
    let mut line = String::new();
    for (at, label) in round_times(range, has_room) {
        let (cell, mark) = (cells.cell_at(at), format!("╷{label}"));
        line.extend(std::iter::repeat_n(' ', cell.saturating_sub(width(&line))));
        if width(&line) + width(&mark) <= cells.count {
            line.push_str(&mark);
        }
    }
    line
}

fn marks(cells: CellsOverTime) -> String {
    let has_any = |cell| cells.has_markers(MarkerKind::is_notable, cell);
    let mark = |cell| if has_any(cell) { MARKED_CELL } else { " " };
    (0..cells.count).map(mark).collect()
}
