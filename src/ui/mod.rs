//! Draws the state of the explorer: reads it and changes nothing. One file per pane, one theme.

mod detail;
mod export;
mod hints;
mod hotspots;
mod message;
mod page;
mod search;
pub mod text;
mod theme;
mod threads;
mod title;
mod tree;

pub use theme::Theme;

use crate::app::layout::{Area, Layout, Mode, Pane, SMALLEST};
use crate::app::{App, Explorer, Overlay, Screen};
use crate::model::text::is_hostile;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Widget, Wrap};

/// Draws the app on the whole screen.
pub fn draw(frame: &mut Frame, app: &App, theme: Theme) {
    let area = frame.area();
    let layout = Layout::new(area.width, area.height, Pane::Tree);
    let buffer = frame.buffer_mut();
    let mut cursor = None;
    match &app.screen {
        _ if layout.mode == Mode::Tiny => draw_tiny(buffer, area),
        Screen::Loading(loading) => message::draw_loading(buffer, &app.name, loading, theme),
        Screen::Failed(failed) => message::draw_failure(buffer, &app.name, failed, theme),
        Screen::Explorer(explorer) => cursor = draw_explorer(buffer, app, explorer, theme),
    }
    scrub(buffer);
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
}

fn draw_explorer(buffer: &mut Buffer, app: &App, explorer: &Explorer, theme: Theme) -> Option<(u16, u16)> {
    title::draw(buffer, app, explorer, theme);
    tree::draw(buffer, explorer, theme);
    hotspots::draw(buffer, explorer, Pane::Exclusive, theme);
    hotspots::draw(buffer, explorer, Pane::Inclusive, theme);
    detail::draw(buffer, explorer, theme);
    detail::draw_hints(buffer, explorer, theme);
    match &explorer.overlay {
        Overlay::None => None,
        Overlay::Search(search) => search::draw(buffer, explorer, search, theme),
        Overlay::Export(export) => export::draw(buffer, explorer, export, theme),
        Overlay::Threads(picker) => {
            threads::draw(buffer, explorer, picker, theme);
            None
        }
        Overlay::Page(kind, top) => {
            page::draw(buffer, explorer, *kind, *top, theme);
            None
        }
    }
}

/// A screen too small for anything: one sentence.
fn draw_tiny(buffer: &mut Buffer, area: Rect) {
    let (width, height) = SMALLEST;
    let text = format!("dotspot needs {width} x {height}. Try: dotspot hotspots FILE");
    Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
}

/// The part of an area that the screen has. The terminal may have shrunk since the layout was made, and nothing may be drawn
/// where no cell is.
fn rect(buffer: &Buffer, area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height).intersection(buffer.area)
}

/// A row of an area, as far as the screen has it.
fn row_rect(buffer: &Buffer, area: Area, row: u16) -> Option<Rect> {
    let line = rect(buffer, area.below(row)).intersection(Rect::new(0, area.y + row, u16::MAX, 1));
    (line.area() > 0).then_some(line)
}

/// Draws a line of spans at a row of an area.
fn put(buffer: &mut Buffer, area: Area, row: u16, spans: Vec<Span<'static>>) {
    if let Some(place) = row_rect(buffer, area, row) {
        buffer.set_line(place.x, place.y, &Line::from(spans), place.width);
    }
}

/// Draws a line flush right at a row of an area.
fn put_right(buffer: &mut Buffer, area: Area, row: u16, spans: Vec<Span<'static>>) {
    let line = Line::from(spans);
    if let Some(place) = row_rect(buffer, area, row) {
        let width = (line.width() as u16).min(place.width);
        buffer.set_line(place.x + place.width - width, place.y, &line, width);
    }
}

/// Gives a row of an area a style on top of what is drawn there.
fn paint(buffer: &mut Buffer, area: Area, row: u16, style: Style) {
    if let Some(place) = row_rect(buffer, area, row) {
        buffer.set_style(place, style);
    }
}

/// The border of a pane, with a title on the left and one on the right.
fn frame_pane(buffer: &mut Buffer, area: Area, left: String, right: String, style: Style, theme: Theme) {
    let room = usize::from(area.width).saturating_sub(4);
    let left = text::fit_end(&left, room);
    let right = text::fit_end(&right, room.saturating_sub(text::width(&left) + 2));
    let mut block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(style)
        .title_top(Line::styled(format!(" {left} "), style));
    if !right.is_empty() {
        block = block.title_top(Line::styled(format!(" {right} "), theme.dim()).right_aligned());
    }
    block.render(rect(buffer, area), buffer);
}

/// An empty box over the panes.
fn clear(buffer: &mut Buffer, area: Area) {
    Clear.render(rect(buffer, area), buffer);
}

/// The last word on what reaches the terminal: no cell holds a control character or one that reorders or hides text,
/// wherever it came from.
fn scrub(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().len() > 1 || !cell.symbol().is_ascii() || cell.symbol().bytes().any(|b| b.is_ascii_control()) {
            let symbol = cell.symbol();
            if symbol.chars().any(|c| is_hostile(c) && c != '\u{200d}') {
                let clean: String = symbol.chars().filter(|&c| !is_hostile(c)).collect();
                cell.set_symbol(if clean.is_empty() { "·" } else { &clean });
            }
        }
    }
}
