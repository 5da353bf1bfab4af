//! The line of hints: the keys that are most useful now.

use super::Theme;
use super::canvas::put;
use crate::app::commands::{Action, Command, key_label};
use crate::app::layout::Area;
use crate::text::width;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// Draws as many hints as have room in the first row of an area. Those of the actions of `hint_drop_order` go first, in its order,
/// then the last ones.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Area,
    commands: impl Iterator<Item = &'static Command>,
    mut hint_drop_order: impl Iterator<Item = Action>,
    theme: Theme,
) {
    let room = usize::from(area.width);
    let mut commands: Vec<&Command> = commands.collect();
    while commands.iter().map(|command| cells(command)).sum::<usize>() > room && commands.len() > 1
    {
        let next = hint_drop_order
            .find_map(|action| commands.iter().position(|command| command.action == action));
        let last = || commands.iter().rposition(|command| !outlives(command));
        let victim = next.or_else(last).unwrap_or(0);
        commands.remove(victim);
    }
    let spans = commands.into_iter().flat_map(|command| {
        let [key, label] = texts(command);
        [
            Span::styled(key, theme.accent()),
            Span::styled(label, theme.dim()),
        ]
    });
    put(buffer, area, 0, spans.collect());
}

/// Whether a hint stays where not all have room: the way to all others, and the way out.
fn outlives(command: &Command) -> bool {
    matches!(command.action, Action::Help | Action::Quit)
}

fn texts(command: &Command) -> [String; 2] {
    [
        format!(" {}", key_label(best_key(command.keys))),
        format!(" {} ", command.hint),
    ]
}

fn cells(command: &Command) -> usize {
    texts(command).iter().map(|text| width(text)).sum()
}

/// The key of a command that says most: an arrow rather than a letter.
fn best_key(keys: &'static [&'static str]) -> &'static str {
    keys.iter()
        .find(|key| matches!(**key, "left" | "right" | "down"))
        .unwrap_or(&keys[0])
}
