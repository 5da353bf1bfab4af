//! Lanes over time: a line of blocks for each thread, marks for what happened.

use super::Canvas;
use crate::app::layout::Area;
use crate::app::panels::{LaneOf, LaneRow, LanesPanel};
use crate::app::{LaneCell, ViewOverTime};
use crate::query::{HEIGHTS, WAITING_CELL};
use crate::text::{fit_end, width};
use crate::ui::canvas::{paint, put_list, put_right, put_text};
use crate::ui::{messages, strip};
use crate::units::thousands;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::text::Span;

/// What is neither known to run nor to wait.
const ELSEWHERE: &str = "░";
pub(super) fn draw(buffer: &mut Buffer, canvas: &Canvas, panel: &LanesPanel) {
    let &Canvas {
        layout,
        at,
        theme,
        explorer,
        ..
    } = canvas;
    let (area, lens) = (layout.rows(at), explorer.lens());
    let scale = lens.scale();
    let value = |row: &LaneRow| match row.of {
        LaneOf::Markers(_) => format!("{}×", thousands(row.value)),
        _ => scale.number(row.value),
    };
    let values = panel.rows.iter().map(|row| width(&value(row))).max();
    let values = values.unwrap_or(0).max(scale.unit().len());
    let strip = explorer.made_strip();
    let counts = explorer.measure().counts_waiting;
    let time = layout.lanes_cells();
    let cells = usize::from(time.width);
    let names = usize::from(area.width - time.width).saturating_sub(values + 5);
    let head = format!("  {:>values$} {:<names$}", scale.unit(), "thread");
    put_text(buffer, layout.header(at), 0, head, theme.dim());
    if let Some(strip) = strip {
        let ruler = Area {
            y: layout.header(at).y,
            ..time
        };
        put_text(buffer, ruler, 0, strip::ruler(strip, cells), theme.dim());
        let below = panel.rows.len() as u16;
        let full = match strip.is_of_time() {
            true => messages::LANE_FULL_OF_TIME,
            false => messages::LANE_FULL,
        };
        if below < area.height {
            put_right(buffer, area, below, vec![Span::styled(full, theme.dim())]);
        }
    }
    let spans = |row: &LaneRow, is_selected: bool| {
        let sign = match row.of {
            LaneOf::Pool(true) => "▾ ",
            LaneOf::Pool(false) => "▸ ",
            _ if row.is_inner => "│ ",
            _ => "",
        };
        let name = fit_end(&format!("{sign}{}", row.name), names);
        let gap = names - width(&name);
        let mut spans = vec![
            Span::raw(if is_selected { "▶ " } else { "  " }),
            Span::raw(format!("{:>values$} ", value(row))),
            Span::raw(format!("{name}{}  ", " ".repeat(gap))),
        ];
        let line = strip.map(|strip| lane(strip, row, counts, cells));
        spans.extend(line.into_iter().flatten().map(|(text, look)| {
            let style = match look {
                LaneLook::Runs => Style::new(),
                LaneLook::Rests => theme.dim(),
                LaneLook::Marks => theme.warning(),
            };
            Span::styled(text, style)
        }));
        spans
    };
    let cursor = (panel.cursor, canvas.is_focused);
    put_list((buffer, area, theme), panel.rows.iter(), cursor, spans);
    if let (Some(strip), Some(at_ns)) = (strip, explorer.follows.time.cursor_ns) {
        let cell = strip.cell_at(at_ns, cells) as u16;
        let column = Area {
            x: time.x + cell,
            width: 1,
            ..area
        };
        let shown = panel.rows.len().saturating_sub(panel.cursor.top) as u16;
        (0..area.height.min(shown)).for_each(|row| paint(buffer, column, row, theme.cursor()));
    }
}

enum LaneLook {
    Runs,
    Rests,
    Marks,
}

/// The cells of a lane.
fn lane(
    strip: &ViewOverTime,
    row: &LaneRow,
    counts_waiting: bool,
    cells: usize,
) -> Vec<(&'static str, LaneLook)> {
    if let LaneOf::Markers(kind) = row.of {
        let lane = strip.markers.iter().find(|lane| lane.kind == kind);
        let cell = |cell| {
            let buckets = ViewOverTime::buckets_of(cell, cells);
            let cell = lane.map_or(" ", |lane| lane.cell(&strip.timeline, buckets));
            (cell, LaneLook::Marks)
        };
        return (0..cells).map(cell).collect();
    }
    let lanes = match &row.part {
        Some(part) => strip.part_cells(part, counts_waiting, cells),
        None => strip.lane_cells((&row.threads, row.rows.len()), counts_waiting, cells),
    };
    let cell = |cell: LaneCell| match cell {
        LaneCell::Runs(height) => (HEIGHTS[height], LaneLook::Runs),
        LaneCell::Waits => (WAITING_CELL, LaneLook::Rests),
        LaneCell::Elsewhere => (ELSEWHERE, LaneLook::Rests),
        LaneCell::Nothing => (" ", LaneLook::Rests),
    };
    lanes.into_iter().map(cell).collect()
}
