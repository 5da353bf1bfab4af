//! Drawing on the screen's cells: lines, styles, borders. Nothing is drawn outside of the screen.

use super::Theme;
use crate::app::{Area, ListCursor};
use crate::text::{fit_end, is_hostile, width};
use ratatui::prelude::{Buffer, Line, Rect, Span, Style, Widget};
use ratatui::widgets::{Block, BorderType, Clear};
use std::borrow::Cow;

/// The part of an area that is on the screen. The terminal may have shrunk since the layout was computed, and nothing may be drawn
/// outside.
fn rect(buffer: &Buffer, area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height).intersection(buffer.area)
}

/// The part of an area's row that is on the screen.
fn row_rect(buffer: &Buffer, area: Area, row: u16) -> Option<Rect> {
    let line = rect(buffer, area.below(row)).intersection(Rect::new(0, area.y + row, u16::MAX, 1));
    (line.area() > 0).then_some(line)
}

/// Draws spans on a row of an area.
pub(super) fn put(buffer: &mut Buffer, area: Area, row: u16, spans: Vec<Span<'static>>) {
    if let Some(place) = row_rect(buffer, area, row) {
        buffer.set_line(place.x, place.y, &Line::from(spans), place.width);
    }
}

/// Draws text on a row of an area.
pub(super) fn put_text(
    buffer: &mut Buffer,
    area: Area,
    row: u16,
    text: impl Into<Cow<'static, str>>,
    style: Style,
) {
    put(buffer, area, row, vec![Span::styled(text, style)]);
}

/// Draws as many rows of a list as fit in an area, starting with the cursor's first row; the selected row is highlighted, more strongly if the list
/// `is_focused`.
pub(super) fn put_list<T>(
    (buffer, area, theme): (&mut Buffer, Area, Theme),
    rows: impl Iterator<Item = T>,
    (cursor, is_focused): (ListCursor, bool),
    spans: impl Fn(T, bool) -> Vec<Span<'static>>,
) {
    let shown = rows.skip(cursor.top).take(usize::from(area.height));
    for (line, row) in shown.enumerate() {
        let is_selected = is_focused && cursor.top + line == cursor.selected;
        put(buffer, area, line as u16, spans(row, is_selected));
        if is_selected {
            select(buffer, area, line as u16, theme, true);
        }
    }
}

/// Draws a right-aligned line on a row of an area.
pub(super) fn put_right(buffer: &mut Buffer, area: Area, row: u16, spans: Vec<Span<'static>>) {
    let line = Line::from(spans);
    if let Some(place) = row_rect(buffer, area, row) {
        let width = (line.width() as u16).min(place.width);
        buffer.set_line(place.x + place.width - width, place.y, &line, width);
    }
}

/// Highlights a row of an area as selected, in the panel with the focus or elsewhere.
pub(super) fn select(buffer: &mut Buffer, area: Area, row: u16, theme: Theme, is_focused: bool) {
    if let Some(place) = row_rect(buffer, area, row) {
        let cells = place.positions();
        cells.for_each(|at| theme.select(&mut buffer[at], is_focused));
    }
}

/// Applies a style to a row of an area on top of what is drawn there.
pub(super) fn paint(buffer: &mut Buffer, area: Area, row: u16, style: Style) {
    if let Some(place) = row_rect(buffer, area, row) {
        buffer.set_style(place, style);
    }
}

/// The border of a pane, with a title on the left and one on the right.
pub(super) fn frame_pane(
    buffer: &mut Buffer,
    area: Area,
    left: String,
    right: String,
    style: Style,
    theme: Theme,
) {
    let room = usize::from(area.width).saturating_sub(4);
    let left = fit_end(&left, room);
    let right = fit_end(&right, room.saturating_sub(width(&left) + 2));
    let mut block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(style)
        .title_top(Line::styled(format!(" {left} "), style));
    if !right.is_empty() {
        block = block.title_top(Line::styled(format!(" {right} "), theme.dim()).right_aligned());
    }
    block.render(rect(buffer, area), buffer);
}

/// Draws an empty box over the page, with a title on the left and one on the right; returns the area inside its border.
pub(super) fn open_box(
    buffer: &mut Buffer,
    area: Area,
    left: impl Into<String>,
    right: String,
    theme: Theme,
) -> Area {
    clear(buffer, area);
    frame_pane(buffer, area, left.into(), right, theme.accent(), theme);
    area.inner()
}

/// An empty cell.
pub(super) fn clear(buffer: &mut Buffer, area: Area) {
    Clear.render(rect(buffer, area), buffer);
}

/// The last safeguard before the terminal: no cell holds a control character or one that reorders or hides text,
/// wherever it came from.
pub(super) fn scrub(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().len() > 1
            || !cell.symbol().is_ascii()
            || cell.symbol().bytes().any(|b| b.is_ascii_control())
        {
            let symbol = cell.symbol();
            if symbol.chars().any(|c| is_hostile(c) && c != '\u{200d}') {
                let clean: String = symbol.chars().filter(|&c| !is_hostile(c)).collect();
                cell.set_symbol(if clean.is_empty() { "·" } else { &clean });
            }
        }
    }
}
