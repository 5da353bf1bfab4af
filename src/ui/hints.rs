//! The line of hints: the keys that are most useful now.

use super::Theme;
use super::canvas::put;
use crate::app::commands::{Action, Command, Context};
use crate::app::keymap::{Keymap, key_label};
use crate::app::layout::Area;
use crate::text::width;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// A command with one or two words about it.
type Hint<'a> = (&'a Command, &'static str);

/// The commands of a context that are hinted at, in order.
pub(super) fn of(keymap: &Keymap, context: Context) -> impl Iterator<Item = Hint<'_>> {
    let hints = keymap.of(context).map(|command| (command, command.hint));
    hints.filter(|(command, hint)| !hint.is_empty() && !command.keys.is_empty())
}

/// Draws as many hints as have room in the first row of an area. Those of the actions of `hint_drop_order` go first, in its order,
/// then the last ones.
pub(super) fn draw<'a>(
    buffer: &mut Buffer,
    area: Area,
    hints: impl Iterator<Item = Hint<'a>>,
    mut hint_drop_order: impl Iterator<Item = Action>,
    theme: Theme,
) {
    let room = usize::from(area.width);
    let mut hints: Vec<Hint> = hints.collect();
    while hints.iter().map(cells).sum::<usize>() > room && hints.len() > 1 {
        let next = hint_drop_order.find_map(|action| {
            hints
                .iter()
                .position(|(command, _)| command.action == action)
        });
        let last = || hints.iter().rposition(|(command, _)| !outlives(command));
        let victim = next.or_else(last).unwrap_or(0);
        hints.remove(victim);
    }
    let spans = hints.iter().flat_map(|hint| {
        let [key, label] = texts(hint);
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

fn texts(&(command, hint): &Hint) -> [String; 2] {
    let key = best_key(&command.keys).map_or(String::new(), |key| key_label(key));
    [format!(" {key}"), format!(" {hint} ")]
}

fn cells(hint: &Hint) -> usize {
    texts(hint).iter().map(|text| width(text)).sum()
}

/// The key of a command that says most: an arrow rather than a letter.
fn best_key(keys: &[String]) -> Option<&String> {
    let is_arrow = |key: &&String| matches!(key.as_str(), "left" | "right" | "down");
    keys.iter().find(is_arrow).or(keys.first())
}
