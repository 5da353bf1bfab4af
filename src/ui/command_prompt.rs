use super::list::put_rows;
use super::messages;
use super::pen::Pen;
use crate::app::{CommandPrompt, Explorer};
use crate::query::parse_range;
use crate::units::counted;

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, prompt: &CommandPrompt) -> (u16, u16) {
    let rows = explorer.command_rows(prompt);
    let range = parse_range(prompt.field.text()).filter(|_| rows.is_empty());
    let (right, none) = match range {
        Some(_) => (messages::TIME_RANGE.into(), messages::ENTER_SHOWS_RANGE),
        None => {
            let count = counted(rows.len() as u64, "command");
            (count, messages::NO_COMMAND_FITS)
        }
    };
    let area = explorer.layout.body;
    let (inner, cursor) = pen.open_box_with_field(area, ":", &prompt.field, &right);
    if rows.is_empty() {
        pen.put_dim(inner, 0, none);
    }
    put_rows(pen, inner, &rows, prompt.cursor);
    cursor
}
