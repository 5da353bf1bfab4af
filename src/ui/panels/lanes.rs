//! Lanes over time: a line of blocks for each thread, marks for what happened.

use super::PanelView;
use crate::app::{Area, CellsOverTime, LaneCell, LaneKind, LaneRow, LanesPanel, ViewOverTime};
use crate::query::{HEIGHTS, WAITING_CELL};
use crate::text::{fit_end, width};
use crate::ui::pen::Pen;
use crate::ui::{messages, strip};
use crate::units::thousands;
use ratatui::prelude::{Line, Span, Style};

/// Neither known to run nor to wait.
const UNKNOWN_CELL: &str = "░";

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &LanesPanel) {
    let (explorer, area) = (view.explorer, view.rows);
    let scale = explorer.lens().scale();
    let value = |row: &LaneRow| match row.kind {
        LaneKind::Markers(_) => format!("{}×", thousands(row.value)),
        _ => scale.number(row.value),
    };
    // the largest value of each unit is the widest, even with ten thousand threads
    let is_marker = |row: &LaneRow| matches!(row.kind, LaneKind::Markers(_));
    let largest = |of_markers| {
        let rows = panel.rows.iter();
        let rows = rows.filter(|row| is_marker(row) == of_markers);
        rows.max_by_key(|row| row.value)
    };
    let largest = [true, false].into_iter().filter_map(largest);
    let values = largest.map(|row| width(&value(row))).max();
    let values = values.unwrap_or(0).max(scale.unit().len());
    let labels = Area {
        width: area.width - explorer.layout.lane_cells().width,
        ..area
    };
    let names = usize::from(labels.width).saturating_sub(values + 5);
    let head = format!("  {:>values$} {:<names$}", scale.unit(), "thread");
    pen.put_dim(view.header, 0, head);
    let spans = |row: &LaneRow, is_selected: bool| {
        let sign = match row.kind {
            LaneKind::Pool(true) => "▾ ",
            LaneKind::Pool(false) => "▸ ",
            _ if row.is_inner => "│ ",
            _ => "",
        };
        let name = fit_end(&format!("{sign}{}", row.name), names);
        let mark = if is_selected { "▶" } else { " " };
        vec![Span::raw(format!("{mark} {:>values$} {name}", value(row)))]
    };
    let cursor = (panel.cursor, view.is_focused);
    pen.put_list(labels, panel.rows.iter(), cursor, spans);
    if let Some(strip) = explorer.computed_strip() {
        draw_cells(pen, view, panel, strip);
    }
}

/// The ruler, lanes, the cursor, and the legend of a full cell.
fn draw_cells(pen: &mut Pen, view: &PanelView, panel: &LanesPanel, strip: &ViewOverTime) {
    let (explorer, area, theme) = (view.explorer, view.rows, pen.theme);
    let time = explorer.layout.lane_cells();
    let counts_waiting = explorer.measure().counts_waiting;
    let cells = strip.in_cells(usize::from(time.width), counts_waiting);
    let ruler = Area {
        y: view.header.y,
        ..time
    };
    pen.put_dim(ruler, 0, strip::ruler(cells));
    let several = panel.rows.iter().filter(|row| row.rows.len() > 1);
    let several = several.map(|row| &row.threads);
    let full = cells.full_of_lanes(several);
    let shown = panel.rows.iter().enumerate().skip(panel.cursor.top);
    for (line, (row, lane)) in (0..area.height).zip(shown) {
        // blocks that rise from the baseline would look upside down in a ribbon
        let is_selected = view.is_focused && row == panel.cursor.selected;
        let style = |look| match look {
            LaneLook::Runs if is_selected => theme.accent(),
            LaneLook::Runs => Style::new(),
            LaneLook::Rests => theme.dim(),
            LaneLook::Marks => theme.warning(),
        };
        let texts = lane_cells(cells, lane, full).into_iter();
        let spans = texts.map(|(text, look)| Span::styled(text, style(look)));
        pen.put(time, line, spans.collect::<Line>());
    }
    let shown = panel.rows.len().saturating_sub(panel.cursor.top);
    let shown = shown.min(usize::from(area.height)) as u16;
    if let Some(at_ns) = explorer.time.cursor_ns {
        let column = Area {
            x: time.x + cells.cell_at(at_ns) as u16,
            width: 1,
            ..area
        };
        (0..area.height.min(shown)).for_each(|row| pen.paint(column, row, theme.cursor()));
    }
    if shown < area.height {
        let full = match strip.in_threads(full) {
            Some(threads) => messages::lane_full(&threads),
            None => messages::LANE_FULL.into(),
        };
        pen.put_right(area, shown, Span::styled(full, theme.dim()));
    }
}

enum LaneLook {
    Runs,
    Rests,
    Marks,
}

fn lane_cells(cells: CellsOverTime, row: &LaneRow, full: u64) -> Vec<(&'static str, LaneLook)> {
    if let LaneKind::Markers(kind) = row.kind {
        let strip = cells.strip;
        let lane = strip.markers.iter().find(|lane| lane.kind == kind);
        let cell = |cell| {
            let buckets = cells.buckets(cell);
            let cell = lane.map_or(" ", |lane| lane.cell(&strip.timeline, buckets));
            (cell, LaneLook::Marks)
        };
        return (0..cells.count).map(cell).collect();
    }
    let lanes = match &row.part {
        Some(part) => cells.part_cells(part, full),
        None => cells.thread_cells(&row.threads, full),
    };
    let cell = |cell: LaneCell| match cell {
        LaneCell::Runs(height) => (HEIGHTS[height], LaneLook::Runs),
        LaneCell::Waits => (WAITING_CELL, LaneLook::Rests),
        LaneCell::Elsewhere => (UNKNOWN_CELL, LaneLook::Rests),
        LaneCell::Nothing => (" ", LaneLook::Rests),
    };
    lanes.into_iter().map(cell).collect()
}
