//! Which keys give which commands.

use super::commands::{Action, Command, Context, commands};
use super::messages;

/// The commands with their keys. It is made from the table of commands; some of them may have other keys than there.
#[derive(Clone)]
pub struct Keymap {
    commands: Vec<Command>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::with(&[])
    }
}

impl Keymap {
    /// The commands of the table, of which those of these names have these keys.
    pub fn with(bound: &[(&str, &[&str])]) -> Keymap {
        let bind = |mut command: Command| {
            let own = bound.iter().find(|(name, _)| *name == command.name);
            if let Some((_, keys)) = own {
                command.keys = keys.iter().map(|key| (*key).into()).collect();
            }
            command
        };
        Keymap {
            commands: commands().map(bind).collect(),
        }
    }

    /// All commands, context by context.
    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter()
    }

    /// The commands that can be given somewhere, in the order in which the `?` page lists them.
    pub fn of(&self, context: Context) -> impl Iterator<Item = &Command> {
        let is_there = move |command: &&Command| command.context == context;
        self.commands.iter().filter(is_there)
    }

    /// The command that a key, or one key after the other, gives.
    pub fn bound(&self, context: Context, keys: &str) -> Option<&Command> {
        let has = |command: &&Command| command.keys.iter().any(|known| known == keys);
        self.of(context).find(has)
    }

    /// Whether a key is the first of two that give a command.
    pub fn is_start(&self, context: Context, key: &str) -> bool {
        let starts = |keys: &String| keys.split_once(' ').is_some_and(|(first, _)| first == key);
        self.of(context)
            .flat_map(|command| &command.keys)
            .any(starts)
    }

    /// The command of this name.
    pub(super) fn named(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// The command that does this where panels have the keys.
    pub fn command(&self, action: &Action) -> Option<&Command> {
        self.of(Context::Explorer)
            .find(|command| command.action == *action)
    }

    /// A sentence that names commands, as in `⟦back⟧ goes back`, with their keys in place of the names. A command without
    /// keys keeps its name.
    pub fn fill(&self, text: &str) -> String {
        let mut parts = text.split('⟦');
        let mut filled = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let named = part.split_once('⟧');
            match named.and_then(|(name, rest)| Some((self.named(name)?, rest))) {
                Some((command, rest)) => filled.extend([&key_in_sentence(command), rest]),
                None => filled.extend(["⟦", part]),
            }
        }
        filled
    }

    /// What a command does, in a line.
    pub fn doc(&self, command: &Command) -> String {
        self.fill(command.doc)
    }

    /// What is said of a key that means nothing in a context: with the nearest key that does, which is the same letter in the other
    /// case or with or without ctrl.
    pub(super) fn about_unbound(&self, context: Context, key: &str) -> String {
        let letter = key
            .rsplit('-')
            .next()
            .filter(|letter| !letter.is_empty())
            .unwrap_or(key);
        let other_case = match letter.chars().next() {
            Some(c) if c.is_lowercase() => letter.to_uppercase(),
            _ => letter.to_lowercase(),
        };
        let candidates = [other_case, letter.to_string(), format!("ctrl-{letter}")];
        let nearest = candidates
            .iter()
            .filter(|near| near.as_str() != key)
            .find_map(|near| Some((near, self.bound(context, near)?)));
        let way_out = match context {
            Context::Page => messages::KEY_CLOSES_PAGE,
            Context::Explorer => messages::KEY_LISTS_KEYS,
            _ => "",
        };
        match nearest {
            Some((near, command)) => {
                messages::key_does_nothing(&key, &format!("; {near}: {}", self.doc(command)))
            }
            None => messages::key_does_nothing(&key, &self.fill(way_out)),
        }
    }
}

/// The key of a command as a sentence has it.
fn key_in_sentence(command: &Command) -> String {
    match command.keys.first().map(String::as_str) {
        Some("pagedown") => "pgdn".into(),
        Some("pageup") => "pgup".into(),
        Some(key) => key_label(key),
        None => command.name.into(),
    }
}

/// A key as people see it on a screen: arrows as arrows.
pub fn key_label(key: &str) -> String {
    match key {
        "up" => "↑".into(),
        "down" => "↓".into(),
        "left" => "←".into(),
        "right" => "→".into(),
        "enter" => "⏎".into(),
        "tab" => "⇥".into(),
        other => other.replace(' ', ""),
    }
}

#[cfg(test)]
mod tests;
