//! Lists over the panels: views, the steps that led here; and the pattern dialog.

use super::canvas::{open_box, put_list};
use super::dialog::Dialog;
use super::{Theme, messages};
use crate::app::{Area, Explorer, FilterPrompt, ListCursor, ListKind, ListRow};
use crate::model::FilterAction;
use crate::text::{fit_end, visible, width};
use crate::units::counted;
use ratatui::prelude::{Buffer, Span};

pub(super) fn draw(
    buffer: &mut Buffer,
    explorer: &Explorer,
    kind: ListKind,
    cursor: ListCursor,
    theme: Theme,
) {
    let title = match kind {
        ListKind::Views => "Views",
        ListKind::Breadcrumbs => messages::TITLE_STEPS,
    };
    let inner = open_box(buffer, explorer.layout.body, title, String::new(), theme);
    put_rows((buffer, inner, theme), &explorer.list_rows(kind), cursor);
}

/// Draws rows with a name and a description.
pub(super) fn put_rows(
    (buffer, inner, theme): (&mut Buffer, Area, Theme),
    rows: &[ListRow],
    cursor: ListCursor,
) {
    let room = usize::from(inner.width).saturating_sub(2);
    let names = rows.iter().map(|row| width(&row.name)).max();
    let names = names.unwrap_or(0).min(room * 6 / 10);
    let spans = |row: &ListRow, is_selected| {
        let mark = if is_selected { "▶" } else { " " };
        let name = fit_end(&row.name, names);
        let fill = " ".repeat(names.saturating_sub(width(&name)) + 2);
        let about = fit_end(&row.about, room.saturating_sub(names + 2));
        vec![
            Span::raw(format!("{mark}{name}{fill}")),
            Span::styled(about, theme.dim()),
        ]
    };
    put_list((buffer, inner, theme), rows.iter(), (cursor, true), spans);
}

/// What happens to matches, for people.
fn about(action: FilterAction) -> [&'static str; 2] {
    match action {
        FilterAction::Focus => ["focus", messages::FILTER_FOCUS],
        FilterAction::Ignore => ["ignore", messages::FILTER_IGNORE],
        FilterAction::Hide => ["hide", messages::FILTER_HIDE],
        FilterAction::ShowFrom => ["show from", messages::FILTER_SHOW_FROM],
    }
}

pub(super) fn draw_filter(
    buffer: &mut Buffer,
    explorer: &Explorer,
    prompt: &FilterPrompt,
    theme: Theme,
) -> Option<(u16, u16)> {
    let actions = FilterAction::ALL;
    let (title, lines) = (messages::TITLE_FILTER, actions.len() + 2);
    let dialog = Dialog::open(buffer, explorer, title, lines, theme);
    let cursor = dialog.field(buffer, 0, "pattern", &prompt.field);
    for (line, action) in actions.into_iter().enumerate() {
        let [word, about] = about(action);
        let (mark, style) = if action == prompt.action {
            ("(•)", theme.strong())
        } else {
            ("( )", theme.dim())
        };
        let choice = Span::styled(format!("{mark} {word:<11}"), style);
        let about = fit_end(about, dialog.width().saturating_sub(width(&choice.content)));
        let about = Span::styled(about, theme.dim());
        dialog.line(buffer, 1 + line, vec![choice, about]);
    }
    let (text, style) = match &prompt.error {
        Some(error) => (error.clone(), theme.error()),
        None => {
            let matches = prompt.matches.map(|count| counted(count as u64, "method"));
            let hint = matches.map_or(messages::FILTER_HINT.into(), |methods| {
                messages::matching(&methods)
            });
            (explorer.keymap.fill(&hint), theme.dim())
        }
    };
    let text = fit_end(&visible(&text), dialog.width());
    dialog.line(buffer, 1 + actions.len(), vec![Span::styled(text, style)]);
    Some(cursor)
}
