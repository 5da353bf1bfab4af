//! Draws the state of the explorer without changing it. One file per pane, one theme.

mod ascii;
mod canvas;
mod command_prompt;
mod compared;
mod detail;
mod dialog;
mod export;
mod hints;
mod list;
mod marked;
mod message;
pub(crate) mod messages;
mod method_list;
mod note;
mod page;
mod palette;
mod panels;
mod preview;
mod roles;
mod search;
mod strip;
pub mod text;
mod theme;
mod threads;
mod title;

pub use ascii::in_ascii;
pub use palette::{Palette, THEMES};
pub use preview::colored_rows;
pub use roles::{Background, Role};
pub use theme::Theme;

use crate::app::layout::SMALLEST;
use crate::app::{App, Explorer, Mode, Overlay, Screen};
use canvas::scrub;
use ratatui::Frame;
use ratatui::prelude::{Buffer, Rect, Widget};
use ratatui::widgets::{Paragraph, Wrap};

/// Draws the app on the whole screen.
pub fn draw(frame: &mut Frame, app: &App, theme: Theme) {
    let cursor = draw_on(frame.buffer_mut(), app, theme);
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
}

/// Draws the app into a buffer. Returns the position of the cursor.
fn draw_on(buffer: &mut Buffer, app: &App, theme: Theme) -> Option<(u16, u16)> {
    let area = buffer.area;
    let mut cursor = None;
    match &app.screen {
        _ if Mode::of(area.width, area.height) == Mode::Tiny => draw_tiny(buffer, area),
        Screen::Loading(loading) => message::draw_loading(buffer, app, loading, theme),
        Screen::Failed(failed) => message::draw_failure(buffer, app, failed, theme),
        Screen::Explorer(explorer) => cursor = draw_explorer(buffer, app, explorer, theme),
    }
    theme.finish(buffer);
    scrub(buffer);
    if app.keymap.is_ascii() {
        ascii::replace(buffer);
    }
    cursor
}

fn draw_explorer(
    buffer: &mut Buffer,
    app: &App,
    explorer: &Explorer,
    theme: Theme,
) -> Option<(u16, u16)> {
    title::draw(buffer, app, explorer, theme);
    strip::draw(buffer, explorer, theme);
    panels::draw(buffer, explorer, theme);
    detail::draw(buffer, explorer, theme);
    detail::draw_hints(buffer, explorer, theme);
    match &explorer.overlay {
        Overlay::None => None,
        Overlay::Search(search) => search::draw(buffer, explorer, search, theme),
        Overlay::Methods(table) => method_list::draw(buffer, explorer, table, theme),
        Overlay::Command(prompt) => command_prompt::draw(buffer, explorer, prompt, theme),
        Overlay::Note(prompt) => note::draw(buffer, explorer, prompt, theme),
        Overlay::Filter(prompt) => list::draw_filter(buffer, explorer, prompt, theme),
        Overlay::List(kind, cursor) => {
            list::draw(buffer, explorer, *kind, *cursor, theme);
            None
        }
        Overlay::Export(export) => export::draw(buffer, explorer, export, theme),
        Overlay::Threads(picker) => {
            threads::draw(buffer, explorer, picker, theme);
            None
        }
        Overlay::Page(page) => {
            page::draw(buffer, explorer, page, theme);
            None
        }
    }
}

/// A screen too small for anything: a single sentence.
fn draw_tiny(buffer: &mut Buffer, area: Rect) {
    let (width, height) = SMALLEST;
    let text = messages::terminal_too_small(&width, &height);
    Paragraph::new(text)
        .wrap(Wrap { trim: true })
        .render(area, buffer);
}
