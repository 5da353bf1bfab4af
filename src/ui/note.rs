//! The dialog for a note on a method.

use super::Theme;
use super::canvas::{clear, frame_pane, put};
use crate::app::layout::Area;
use crate::app::{Explorer, NotePrompt};
use crate::model::FrameId;
use crate::model::text::visible;
use crate::text::{fit_end, fit_name, fit_start, width, wrap};
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::text::Span;

/// The cells of the labels, with a blank before them.
const LABEL: usize = 9;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, prompt: &NotePrompt, theme: Theme) -> Option<(u16, u16)> {
    let body = explorer.layout.overlay();
    let box_width = body.width.min(90);
    let (text, style) = remark(explorer, prompt, theme);
    let lines = wrap(&text, usize::from(box_width).saturating_sub(4));
    // two lines of fields, and the border
    let height = body.height.min(4 + lines.len() as u16);
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
    for (line, text) in lines.into_iter().enumerate() {
        put(buffer, inner, 2 + line as u16, vec![Span::styled(format!(" {text}"), style)]);
    }
    (!prompt.asks_to_write).then_some(cursor)
}

/// What becomes of the note, or the question about that.
fn remark(explorer: &Explorer, prompt: &NotePrompt, theme: Theme) -> (String, Style) {
    let file = visible(explorer.notes.file.as_deref().unwrap_or_default()).into_owned();
    match (prompt.asks_to_write, explorer.notes.may_write) {
        (true, _) => (format!("Save notes beside the profile? y / n ({file})"), theme.warning()),
        _ if file.is_empty() => ("kept until dotspot ends, and in exports".into(), theme.dim()),
        (false, true) => (format!("kept in {file}"), theme.dim()),
        (false, false) => ("⏎ keeps it, and asks before anything is written".into(), theme.dim()),
    }
}

/// What stands behind the name of a method on which there is a note.
pub(super) fn mark(explorer: &Explorer, frame: FrameId) -> &'static str {
    if explorer.note_on(frame).is_some() { " ✎" } else { "" }
}
