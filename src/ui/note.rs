use super::dialog::{Dialog, line_count};
use super::pen::Pen;
use super::{Theme, messages};
use crate::app::{Explorer, Lens, NotePrompt};
use crate::model::{FrameId, NodeId};
use crate::text::{fit_name, visible, width};
use ratatui::prelude::{Span, Style};

/// Next to a mark.
const MIN_NAME: usize = 16;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, prompt: &NotePrompt) -> Option<(u16, u16)> {
    let (text, style) = remark(explorer, prompt, pen.theme);
    let text = explorer.keymap.fill(&text);
    let lines = 2 + line_count(explorer, &text);
    let dialog = Dialog::open(pen, explorer, messages::TITLE_NOTE, lines);
    let name = explorer.lens().list_name(prompt.frame);
    let name = fit_name(&visible(&name), dialog.room());
    let name = Span::styled(name, pen.theme.strong());
    dialog.labeled(pen, 0, "method", vec![name]);
    let cursor = dialog.field(pen, 1, "note", &prompt.field);
    dialog.text(pen, 2, &text, style);
    (!prompt.asks_to_write).then_some(cursor)
}

fn remark(explorer: &Explorer, prompt: &NotePrompt, theme: Theme) -> (String, Style) {
    let file = visible(explorer.from.notes_file.as_deref().unwrap_or_default()).into_owned();
    match (prompt.asks_to_write, explorer.from.are_notes_there) {
        (true, _) => (messages::save_notes_question(&file), theme.warning()),
        _ if file.is_empty() => (messages::NOTE_WITHOUT_FILE.into(), theme.dim()),
        (false, true) => (format!("kept in {file}"), theme.dim()),
        (false, false) => (messages::NOTE_ASKS_FIRST.into(), theme.dim()),
    }
}

pub(super) fn mark(lens: &Lens, frame: FrameId) -> &'static str {
    lens.note_on(frame).map_or("", |_| " ✎")
}

/// With the mark of a note, and of waiting if that leaves at least [`MIN_NAME`] of `room` cells to a method's name.
pub(super) fn name_with_marks(
    lens: &Lens,
    (frame, name): (FrameId, &str),
    waits: String,
    room: usize,
    theme: Theme,
) -> [Span<'static>; 3] {
    let note = mark(lens, frame);
    let room = room.saturating_sub(width(note));
    let min_name = match lens.view.frames.get(frame).kind.is_code() {
        true => width(name).min(MIN_NAME),
        // the number of a thread
        false => width(name),
    };
    let waits = match min_name + width(&waits) <= room {
        true => waits,
        false => String::new(),
    };
    let name = fit_name(name, room.saturating_sub(width(&waits)));
    let category = lens.view.frames.get(frame).category;
    [
        Span::styled(name, theme.name(category)),
        Span::styled(note, theme.accent()),
        Span::styled(waits, theme.dim()),
    ]
}

/// The mark of a row if waiting counts and is most of it.
pub(super) fn waits(lens: &Lens, node: NodeId) -> String {
    let frame = lens.view.frame(node);
    if frame.waits(true) && lens.waits_percent(node).is_some() {
        return messages::ROW_WAITS.into();
    }
    let share = lens.waits_percent(node);
    // a row of a comparison is read as work that has changed
    let spins = lens.is_comparison() && lens.metric_name(lens.metric).starts_with("CPU");
    share.map_or(String::new(), |share| match spins {
        true => messages::row_waits_and_spins(&share),
        false => messages::row_waits(&share),
    })
}
