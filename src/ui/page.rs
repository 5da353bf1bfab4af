//! Text pages: help, notes.

use super::canvas::{open_box, put};
use super::{Theme, messages};
use crate::app::pages::{PageLine, page_lines};
use crate::app::{Area, Explorer, Filter, PageKind, TextPage};
use crate::text::visible;
use ratatui::prelude::{Buffer, Span};

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, page: &TextPage, theme: Theme) {
    let area = explorer.layout.body;
    let inner = area.inner();
    let lines = page_lines(explorer, usize::from(inner.width));
    let title = match &page.kind {
        PageKind::Help(filter) => help_title(filter),
        PageKind::Notes => "Notes and warnings".into(),
        PageKind::CommandLine { .. } => messages::TITLE_COMMAND_LINE.into(),
    };
    let height = usize::from(inner.height);
    let top = page.top.min(lines.len().saturating_sub(height));
    let place = if lines.len() > height {
        format!(
            "{}-{} of {}",
            top + 1,
            (top + height).min(lines.len()),
            lines.len()
        )
    } else {
        String::new()
    };
    open_box(buffer, area, title, place, theme);
    for (row, line) in lines.into_iter().skip(top).take(height).enumerate() {
        put_line(buffer, inner, row as u16, line, theme);
    }
}

fn put_line(buffer: &mut Buffer, area: Area, row: u16, line: PageLine, theme: Theme) {
    let spans = match line {
        PageLine::Heading(text) => vec![Span::styled(text, theme.accent())],
        PageLine::Command(keys, doc) => vec![Span::styled(keys, theme.strong()), Span::raw(doc)],
        PageLine::Text(text) => vec![Span::raw(text)],
        PageLine::Columns(lines, cells) => {
            for (column, line) in lines.into_iter().enumerate() {
                let x = area.x + (column * cells) as u16;
                let width = (cells as u16).min(area.width);
                put_line(buffer, Area { x, width, ..area }, row, line, theme);
            }
            return;
        }
    };
    put(buffer, area, row, spans);
}

fn help_title(filter: &Filter) -> String {
    let caret = if filter.is_typed() { "▏" } else { "" };
    match filter.text() {
        "" => messages::TITLE_KEYS.into(),
        text => format!("Commands with “{}{caret}”", visible(text)),
    }
}
