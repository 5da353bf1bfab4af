//! The command prompt, above the matching commands.

use super::canvas::{open_box, put_text};
use super::list::put_rows;
use super::{Theme, messages};
use crate::app::{CommandPrompt, Explorer};
use crate::query::range_typed;
use crate::text::{fit_start, visible, width};
use crate::units::counted;
use ratatui::prelude::Buffer;

pub(super) fn draw(
    buffer: &mut Buffer,
    explorer: &Explorer,
    prompt: &CommandPrompt,
    theme: Theme,
) -> Option<(u16, u16)> {
    let area = explorer.layout.body;
    let (before, after) = prompt.field.parts();
    let room = usize::from(area.width).saturating_sub(16);
    let typed = format!(":{}", fit_start(&visible(before), room));
    let left = format!("{typed}{}", visible(after));
    let rows = explorer.command_rows(prompt);
    let range = range_typed(prompt.field.text()).filter(|_| rows.is_empty());
    let right = match range {
        Some(_) => messages::TIME_RANGE.to_string(),
        None => counted(rows.len() as u64, "command"),
    };
    let inner = open_box(buffer, area, left, right, theme);
    if rows.is_empty() {
        let text = match range {
            Some(_) => messages::ENTER_SHOWS_RANGE,
            None => messages::NO_COMMAND_FITS,
        };
        put_text(buffer, inner, 0, text, theme.dim());
    }
    put_rows((buffer, inner, theme), &rows, prompt.cursor);
    let x = area.x + 2 + width(&typed) as u16;
    Some((x.min(area.x + area.width.saturating_sub(2)), area.y))
}
