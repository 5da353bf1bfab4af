//! Lists over the panels: views, the steps that led here; and the pattern dialog.

use super::dialog::Dialog;
use super::messages;
use super::pen::Pen;
use super::text::cursor_mark;
use crate::app::{Area, Explorer, FilterPrompt, ListCursor, ListKind, ListRow};
use crate::model::FilterAction;
use crate::text::{fit_end, visible, width};
use crate::units::counted;
use ratatui::prelude::Span;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, kind: ListKind, cursor: ListCursor) {
    let title = match kind {
        ListKind::Views => "Views",
        ListKind::Breadcrumbs => messages::TITLE_STEPS,
    };
    let inner = pen.open_box(explorer.layout.body, title, "");
    put_rows(pen, inner, &explorer.list_rows(kind), cursor);
}

pub(super) fn put_rows(pen: &mut Pen, inner: Area, rows: &[ListRow], cursor: ListCursor) {
    let (room, dim) = (usize::from(inner.width).saturating_sub(2), pen.theme.dim());
    let names = rows.iter().map(|row| width(&row.name)).max();
    let names = names.unwrap_or(0).min(room * 6 / 10);
    let spans = |row: &ListRow, is_selected| {
        let name = fit_end(&row.name, names);
        let fill = " ".repeat(names.saturating_sub(width(&name)) + 2);
        let description = fit_end(&row.about, room.saturating_sub(names + 2));
        vec![
            cursor_mark(is_selected),
            Span::raw(name + &fill),
            Span::styled(description, dim),
        ]
    };
    pen.put_list(inner, rows.iter(), (cursor, true), spans);
}

fn describe_action(action: FilterAction) -> [&'static str; 2] {
    match action {
        FilterAction::Focus => ["focus", messages::FILTER_FOCUS],
        FilterAction::Ignore => ["ignore", messages::FILTER_IGNORE],
        FilterAction::Hide => ["hide", messages::FILTER_HIDE],
        FilterAction::ShowFrom => ["show from", messages::FILTER_SHOW_FROM],
    }
}

pub(super) fn draw_filter(pen: &mut Pen, explorer: &Explorer, prompt: &FilterPrompt) -> (u16, u16) {
    let (actions, theme) = (FilterAction::ALL, pen.theme);
    let dialog = Dialog::open(pen, explorer, messages::TITLE_FILTER, actions.len() + 2);
    let cursor = dialog.field(pen, 0, "pattern", &prompt.field);
    for (line, action) in actions.into_iter().enumerate() {
        let [name, description] = describe_action(action);
        let (mark, style) = if action == prompt.action {
            ("(•)", theme.strong())
        } else {
            ("( )", theme.dim())
        };
        let choice = Span::styled(format!("{mark} {name:<11}"), style);
        let room = dialog.width().saturating_sub(width(&choice.content));
        let description = Span::styled(fit_end(description, room), theme.dim());
        dialog.line(pen, 1 + line, vec![choice, description]);
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
    dialog.line(pen, 1 + actions.len(), vec![Span::styled(text, style)]);
    cursor
}
