//! Lanes over time: a line of blocks for each thread, marks for what happened.

use super::PanelView;
use crate::app::{Area, CellsOverTime, LaneCell, LaneKind, LaneRow, LanesPanel, ViewOverTime};
use crate::query::{HEIGHTS, WAITING_CELL};
use crate::text::{fit_end, width};
use crate::ui::pen::Pen;
use crate::ui::{Theme, messages, strip};
use crate::units::thousands;
use ratatui::prelude::{Span, Style};

/// Neither running nor waiting, as far as is known.
const UNKNOWN_CELL: &str = "░";

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &LanesPanel) {
    let (explorer, area) = (view.explorer, view.rows);
    let scale = explorer.lens().scale();
    let value = |row: &LaneRow| match row.kind {
        LaneKind::Markers(_) => format!("{}×", thousands(row.value)),
        _ => scale.number(row.value),
    };
    // the largest values are the widest; there may be ten thousand threads
    let is_marker = |row: &LaneRow| matches!(row.kind, LaneKind::Markers(_));
    let largest = |are_markers| {
        let rows = panel.rows.iter();
        let rows = rows.filter(|row| is_marker(row) == are_markers);
        rows.max_by_key(|row| row.value)
    };
    let largest = [true, false].into_iter().filter_map(largest);
    let value_cells = largest.map(|row| width(&value(row))).max();
    let value_cells = value_cells.unwrap_or(0).max(scale.unit.len());
    let labels = Area {
        width: area.width - explorer.layout.lane_cells().width,
        ..area
    };
    let names = usize::from(labels.width).saturating_sub(value_cells + 5);
    let head = format!("  {:>value_cells$} {:<names$}", scale.unit, "thread");
    pen.put_dim(view.header, 0, head);
    let spans = |row: &LaneRow, is_selected: bool| {
        let prefix = match row.kind {
            LaneKind::Pool(true) => "▾ ",
            LaneKind::Pool(false) => "▸ ",
            _ if row.is_inner => "│ ",
            _ => "",
        };
        let name = fit_end(&format!("{prefix}{}", row.name), names);
        let mark = if is_selected { "▶" } else { " " };
        vec![Span::raw(format!(
            "{mark} {:>value_cells$} {name}",
            value(row)
        ))]
    };
    let cursor = (panel.cursor, view.is_focused);
    pen.put_list(labels, panel.rows.iter(), cursor, spans);
    if let Some(strip) = explorer.computed_strip() {
        draw_cells(pen, view, panel, strip);
    }
}

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
        let running = match view.is_focused && row == panel.cursor.selected {
            true => theme.accent(),
            false => Style::new(),
        };
        let spans = lane_spans(cells, lane, full, running, theme);
        pen.put(time, line, spans);
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
        let full = match strip.as_thread_count(full) {
            Some(threads) => messages::lane_full(&threads),
            None => messages::LANE_FULL.into(),
        };
        pen.put_right(area, shown, Span::styled(full, theme.dim()));
    }
}

fn lane_spans(
    cells: CellsOverTime,
    row: &LaneRow,
    full: u64,
    running: Style,
    theme: Theme,
) -> Vec<Span<'static>> {
    if let LaneKind::Markers(kind) = row.kind {
        let strip = cells.strip;
        let lane = strip.markers.iter().find(|lane| lane.kind == kind);
        let cell = |cell| {
            let buckets = cells.buckets(cell);
            let mark = lane.map_or(" ", |lane| lane.cell(&strip.timeline, buckets));
            Span::styled(mark, theme.warning())
        };
        return (0..cells.count).map(cell).collect();
    }
    let cell = |cell: LaneCell| match cell {
        LaneCell::Runs(height) => Span::styled(HEIGHTS[height], running),
        LaneCell::Waits => Span::styled(WAITING_CELL, theme.dim()),
        LaneCell::Unknown => Span::styled(UNKNOWN_CELL, theme.dim()),
        LaneCell::Nothing => Span::raw(" "),
    };
    cells.row_cells(row, full).into_iter().map(cell).collect()
}
