//! Draws the state of the explorer without changing it.

mod ascii;
mod command_prompt;
mod compared;
mod detail;
mod dialog;
mod export;
mod list;
mod message;
pub(crate) mod messages;
mod method_list;
mod note;
mod page;
mod palette;
mod panels;
mod pen;
mod preview;
mod roles;
mod row_facts;
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
use pen::{Pen, scrub};
use ratatui::Frame;
use ratatui::prelude::{Buffer, Widget};
use ratatui::widgets::{Paragraph, Wrap};

pub fn draw(frame: &mut Frame, app: &App, theme: Theme) {
    let cursor = draw_on(frame.buffer_mut(), app, theme);
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
}

/// Returns the position of the cursor.
fn draw_on(buffer: &mut Buffer, app: &App, theme: Theme) -> Option<(u16, u16)> {
    let area = buffer.area;
    let mut cursor = None;
    let pen = &mut Pen { buffer, theme };
    match &app.screen {
        _ if Mode::of(area.width, area.height) == Mode::Tiny => draw_tiny(pen.buffer),
        Screen::Loading(loading) => message::draw_loading(pen, app, loading),
        Screen::Failed(failed) => message::draw_failure(pen, app, failed),
        Screen::Explorer(explorer) => cursor = draw_explorer(pen, app, explorer),
    }
    theme.finish(buffer);
    scrub(buffer);
    if app.keymap.is_ascii {
        ascii::replace(buffer);
    }
    cursor
}

fn draw_explorer(pen: &mut Pen, app: &App, explorer: &Explorer) -> Option<(u16, u16)> {
    title::draw(pen, app, explorer);
    strip::draw(pen, explorer);
    panels::draw(pen, explorer);
    detail::draw(pen, explorer);
    detail::draw_hints(pen, explorer);
    match &explorer.overlay {
        Overlay::None => return None,
        Overlay::Search(search) => return Some(search::draw(pen, explorer, search)),
        Overlay::Command(prompt) => return Some(command_prompt::draw(pen, explorer, prompt)),
        Overlay::Filter(prompt) => return Some(list::draw_filter(pen, explorer, prompt)),
        Overlay::Methods(table) => return method_list::draw(pen, explorer, table),
        Overlay::Note(prompt) => return note::draw(pen, explorer, prompt),
        Overlay::Export(export) => return export::draw(pen, explorer, export),
        Overlay::List(kind, cursor) => list::draw(pen, explorer, *kind, *cursor),
        Overlay::Threads(picker) => threads::draw(pen, explorer, picker),
        Overlay::Page(page) => page::draw(pen, explorer, page),
    }
    None
}

fn draw_tiny(buffer: &mut Buffer) {
    let (width, height) = SMALLEST;
    Paragraph::new(messages::terminal_too_small(&width, &height))
        .wrap(Wrap { trim: true })
        .render(buffer.area, buffer);
}
