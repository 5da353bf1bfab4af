//! Pages of text: help, notes.

use super::Theme;
use super::canvas::{clear, frame_pane, put};
use crate::app::Explorer;
use crate::app::dialogs::PageKind;
use crate::app::pages::{PageLine, page_lines};
use crate::model::text::visible;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, kind: PageKind, top: usize, theme: Theme) {
    let area = explorer.layout.overlay();
    clear(buffer, area);
    let inner = area.inner();
    let lines = page_lines(explorer, kind, usize::from(inner.width));
    let title = match kind {
        PageKind::Help => "Commands",
        PageKind::Notes => "Notes and warnings",
        PageKind::CommandLine => "The command that prints this",
    };
    let height = usize::from(inner.height);
    let top = top.min(lines.len().saturating_sub(height));
    let place = if lines.len() > height {
        format!("{}-{} of {}", top + 1, (top + height).min(lines.len()), lines.len())
    } else {
        String::new()
    };
    let typed = visible(explorer.help_filter.text());
    let has_filter = kind == PageKind::Help && (explorer.is_filtering_help || !typed.is_empty());
    let caret = if explorer.is_filtering_help { "▏" } else { "" };
    let title = if has_filter { format!("Commands with “{typed}{caret}”") } else { title.into() };
    frame_pane(buffer, area, title, place, theme.accent(), theme);
    for (row, line) in lines.into_iter().skip(top).take(height).enumerate() {
        let spans = match line {
            PageLine::Heading(text) => vec![Span::styled(text, theme.accent())],
            PageLine::Command(keys, doc) => vec![Span::styled(keys, theme.strong()), Span::raw(doc)],
            PageLine::Text(text) => vec![Span::raw(text)],
        };
        put(buffer, inner, row as u16, spans);
    }
}
