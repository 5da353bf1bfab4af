//! The dialog for a note on a method.

use super::Theme;
use super::canvas::{clear, frame_pane, put};
use crate::app::layout::Area;
use crate::app::{Explorer, NotePrompt};
use crate::model::FrameId;
use crate::model::text::visible;
use crate::text::{fit_end, fit_name, fit_start, width, wrap};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// The cells of the labels, with a blank before them.
const LABEL: usize = 9;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, prompt: &NotePrompt, theme: Theme) -> Option<(u16, u16)> {
    let body = explorer.layout.overlay();
    let (height, box_width) = (body.height.min(6), body.width.min(90));
    let area = Area::new((body.width - box_width) / 2, body.y + (body.height - height) / 2, box_width, height);
    clear(buffer, area);
    frame_pane(buffer, area, "Note on a method".into(), String::new(), theme.accent(), theme);
    let inner = area.inner();
    let room = usize::from(inner.width).saturating_sub(LABEL + 1);
    let label = |text: &'static str| Span::styled(format!(" {text:<8}"), theme.dim());
    let name = fit_name(&visible(&explorer.list_name(prompt.frame)), room);
    put(buffer, inner, 0, vec![label("method"), Span::styled(name, theme.strong())]);
    let (before, behind) = prompt.field.parts();
    let before = fit_start(&visible(before), room);
    let cursor = (inner.x + (LABEL + width(&before)) as u16, inner.y + 1);
    let behind = fit_end(&visible(behind), room.saturating_sub(width(&before)));
    put(buffer, inner, 1, vec![label("note"), Span::styled(format!("{before}{behind}"), theme.strong())]);
    let file = visible(explorer.notes.file.as_deref().unwrap_or_default()).into_owned();
    let (text, style) = match (prompt.asks_to_write, explorer.notes.may_write) {
        (true, _) => (format!("Notes are kept in {file} beside the profile. Write it? y / n"), theme.warning()),
        (false, Some(true)) => (format!("kept in {file}"), theme.dim()),
        (false, _) if file.is_empty() => ("kept until dotspot ends, and in exports".into(), theme.dim()),
        (false, None) => ("⏎ keeps it, and asks first whether it may be written".into(), theme.dim()),
        (false, Some(false)) => ("kept until dotspot ends, and in exports; nothing is written".into(), theme.dim()),
    };
    let lines = wrap(&text, usize::from(inner.width).saturating_sub(2));
    for (line, text) in lines.into_iter().enumerate() {
        put(buffer, inner, 2 + line as u16, vec![Span::styled(format!(" {text}"), style)]);
    }
    (!prompt.asks_to_write).then_some(cursor)
}

/// What stands behind the name of a method on which there is a note.
pub(super) fn mark(explorer: &Explorer, frame: FrameId) -> &'static str {
    if explorer.note_on(frame).is_some() { " ✎" } else { "" }
}
