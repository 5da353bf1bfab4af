use super::messages;
use super::pen::Pen;
use crate::app::pages::{PageLine, page_lines};
use crate::app::{Area, Explorer, Filter, PageKind, TextPage};
use crate::text::visible;
use ratatui::prelude::Span;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, page: &TextPage) {
    let area = explorer.layout.body;
    let inner = area.inner();
    let lines = page_lines(explorer, usize::from(inner.width));
    let title = match &page.kind {
        PageKind::Help(filter) => help_title(filter),
        PageKind::Notes(_) => "Notes and warnings".into(),
        PageKind::CommandLine { .. } => messages::TITLE_COMMAND_LINE.into(),
    };
    let height = usize::from(inner.height);
    let top = page.top.min(lines.len().saturating_sub(height));
    pen.open_box(area, &title, &scroll_position(top, height, lines.len()));
    for (row, line) in lines.into_iter().skip(top).take(height).enumerate() {
        put_line(pen, inner, row as u16, line);
    }
}

/// `1-20 of 65`; empty if all lines are on the screen.
pub(super) fn scroll_position(top: usize, height: usize, lines: usize) -> String {
    match lines > height {
        true => format!("{}-{} of {lines}", top + 1, (top + height).min(lines)),
        false => String::new(),
    }
}

fn put_line(pen: &mut Pen, area: Area, row: u16, line: PageLine) {
    let theme = pen.theme;
    match line {
        PageLine::Heading(text) => pen.put(area, row, Span::styled(text, theme.accent())),
        PageLine::Command(keys, doc) => {
            let keys = Span::styled(keys, theme.strong());
            pen.put(area, row, vec![keys, Span::raw(doc)]);
        }
        PageLine::Text(text) => pen.put(area, row, text),
        PageLine::Columns(lines, cells) => {
            for (column, line) in lines.into_iter().enumerate() {
                let x = area.x + (column * cells) as u16;
                let width = (cells as u16).min(area.width);
                put_line(pen, Area { x, width, ..area }, row, line);
            }
        }
    }
}

fn help_title(filter: &Filter) -> String {
    let caret = if filter.is_typed { "▏" } else { "" };
    match filter.text() {
        "" => messages::TITLE_KEYS.into(),
        text => format!("Commands with “{}{caret}”", visible(text)),
    }
}
