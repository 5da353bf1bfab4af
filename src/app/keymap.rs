//! Which keys run which commands.

use super::commands::commands;
use super::{Action, Command, Context, messages};
use crate::settings::unknown;
use std::collections::HashSet;

/// The command table, with some keys replaced by the user's.
#[derive(Clone, Debug)]
pub struct Keymap {
    commands: Vec<Command>,
    pub is_ascii: bool,
}

const MAX_KEYS: usize = 20;
const NAMED: [&str; 13] = [
    "up",
    "down",
    "left",
    "right",
    "enter",
    "esc",
    "tab",
    "backspace",
    "home",
    "end",
    "pageup",
    "pagedown",
    "space",
];

/// Keys that close lists and that open none.
const WAYS_OUT: [&str; 6] = ["esc", "q", "backspace", "ctrl-c", "h", "left"];

/// The table's spelling of modifiers first.
const MODIFIERS: [&[&str]; 3] = [
    &["ctrl", "control", "c"],
    &["alt", "meta", "m"],
    &["shift", "s"],
];
const ALIASES: [(&str, &str); 4] = [
    ("escape", "esc"),
    ("return", "enter"),
    ("pgup", "pageup"),
    ("pgdn", "pagedown"),
];
const SAME_KEYS: [(&str, &str); 3] = [("ctrl-i", "tab"), ("ctrl-m", "enter"), ("ctrl-[", "esc")];

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::with(&[])
    }
}

impl Keymap {
    pub fn with(bound: &[(String, Vec<String>)]) -> Keymap {
        let mut keymap = Keymap {
            commands: commands().collect(),
            is_ascii: false,
        };
        if bound.is_empty() {
            return keymap;
        }
        let table = keymap.commands.clone();
        let keys_of = |command: &Command| bound.iter().find(|(name, _)| *name == command.name);
        for command in &mut keymap.commands {
            if let Some((_, keys)) = keys_of(command) {
                command.keys.clone_from(keys);
            }
        }
        for (at, command) in table.iter().enumerate() {
            let is_closer = command.action == Action::Back && command.context != Context::Explorer;
            if is_closer && keys_of(command).is_none() {
                keymap.commands[at].keys = keymap.closing_keys(command, &table);
            }
        }
        keymap
    }

    /// The user's keys, and what is wrong with those that can't be bound, by command.
    pub fn with_keys(bound: &[(String, Vec<String>)]) -> (Keymap, Vec<(String, String)>) {
        let (mut own, mut problems) = (Vec::new(), Vec::new());
        let table: Vec<Command> = commands().collect();
        for (name, keys) in bound {
            match checked(&table, name, keys) {
                Ok(keys) => own.push((name.clone(), keys)),
                Err(problem) => problems.push((name.clone(), problem)),
            }
        }
        let mut keymap = Keymap::with(&own);
        while let Some((name, problem)) = keymap.problem(&own) {
            own.retain(|(other, _)| *other != name);
            problems.push((name, problem));
            keymap = Keymap::with(&own);
        }
        (keymap, problems)
    }

    /// The keys that close a list. Those that open it close it, too, unless other commands of the list have them.
    fn closing_keys(&self, closer: &Command, table: &[Command]) -> Vec<String> {
        let mut keys = Vec::new();
        for key in &closer.keys {
            // keys that close everything belong to no single list
            let opener = table.iter().find(|command| {
                command.context == Context::Explorer
                    && command.keys.contains(key)
                    && !WAYS_OUT.contains(&key.as_str())
            });
            let rebound = opener.and_then(|opener| {
                let now = self.named(opener.name);
                now.filter(|now| now.keys != opener.keys)
            });
            match rebound {
                Some(opener) => keys.extend_from_slice(&opener.keys),
                None => keys.push(key.clone()),
            }
        }
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys.retain(|key| closer.keys.contains(key) || self.other_with(key, closer).is_none());
        keys
    }

    /// Another command in the same context with a conflicting key, and this key.
    fn other_with(&self, key: &str, command: &Command) -> Option<(&Command, &String)> {
        let others = self.of(command.context);
        let mut others = others.filter(|other| other.name != command.name);
        others.find_map(|other| {
            let mut keys = other.keys.iter();
            let taken = keys.find(|taken| keys_conflict(key, taken))?;
            Some((other, taken))
        })
    }

    fn problem(&self, bound: &[(String, Vec<String>)]) -> Option<(String, String)> {
        for (name, _) in bound {
            for command in self.all().filter(|command| command.name == *name) {
                let conflict = |key: &String| {
                    let (other, taken) = self.other_with(key, command)?;
                    Some(match key == taken {
                        true => messages::key_taken(key, &other.name),
                        false => messages::key_conflicts(key, taken, &other.name),
                    })
                };
                if let Some(problem) = command.keys.iter().find_map(conflict) {
                    return Some((name.clone(), problem));
                }
            }
        }
        let quit = [Action::Quit, Action::Interrupt];
        let mut quit = quit.iter().filter_map(|action| self.command(action));
        quit.all(|command| command.keys.is_empty())
            .then(|| ("quit".into(), messages::NO_KEY_QUITS.into()))
    }

    pub fn in_ascii(self, is_ascii: bool) -> Keymap {
        Keymap { is_ascii, ..self }
    }

    pub fn label(&self, key: &str) -> String {
        match self.is_ascii {
            true => key.replace(' ', ""),
            false => key_label(key),
        }
    }

    /// Each once: first those that begin with it, then those of the context.
    pub fn matching(&self, here: Context, typed: &str) -> Vec<&Command> {
        const SUBSEQUENCE: usize = 4;
        let typed = to_command_name(typed);
        let typed = typed.as_str();
        let rank = |name: &str| match name.find(typed) {
            // people type what they see
            Some(_) if name.strip_prefix("show-").unwrap_or(name) == typed || name == typed => {
                Some(0)
            }
            Some(0) => Some(1),
            Some(at) if name[..at].ends_with('-') => Some(2),
            Some(_) => Some(3),
            None => is_subsequence(typed, name).then_some(SUBSEQUENCE),
        };
        let mut names = HashSet::new();
        let all = self.of(here).chain(self.all());
        let once = all.filter(|command| names.insert(command.name));
        let ranked = once.filter_map(|command| Some((rank(command.name)?, command)));
        let mut found: Vec<(usize, &Command)> = ranked.collect();
        // scattered letters count only if nothing else matches
        if found.iter().any(|(rank, _)| *rank < SUBSEQUENCE) {
            found.retain(|(rank, _)| *rank < SUBSEQUENCE);
        }
        found.sort_by_key(|(rank, command)| (*rank, command.context != here));
        found.into_iter().map(|(_, command)| command).collect()
    }

    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter()
    }

    pub fn of(&self, context: Context) -> impl Iterator<Item = &Command> {
        let is_in_context = move |command: &&Command| command.context == context;
        self.commands.iter().filter(is_in_context)
    }

    /// The commands with a short label and a key.
    pub(super) fn with_hints(&self, context: Context) -> impl Iterator<Item = &Command> {
        let commands = self.of(context);
        commands.filter(|command| !command.hint.is_empty() && !command.keys.is_empty())
    }

    pub fn command_for(&self, context: Context, keys: &str) -> Option<&Command> {
        let has = |command: &&Command| command.keys.iter().any(|known| known == keys);
        self.of(context).find(has)
    }

    pub(super) fn runs(&self, context: Context, key: &str, action: &Action) -> bool {
        let command = self.command_for(context, key);
        command.is_some_and(|command| command.action == *action)
    }

    pub fn is_start(&self, context: Context, key: &str) -> bool {
        let starts = |keys: &String| keys.split_once(' ').is_some_and(|(first, _)| first == key);
        self.of(context)
            .flat_map(|command| &command.keys)
            .any(starts)
    }

    pub(super) fn named(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }

    pub fn command(&self, action: &Action) -> Option<&Command> {
        self.of(Context::Explorer)
            .find(|command| command.action == *action)
    }

    /// Replaces command names, as in `⟦back⟧ goes back`, by their keys. A command without keys keeps its name.
    pub fn fill(&self, text: &str) -> String {
        let mut parts = text.split('⟦');
        let mut filled = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let named = part.split_once('⟧');
            match named.and_then(|(name, rest)| Some((self.named(name)?, rest))) {
                Some((command, rest)) => filled.extend([&self.key_in_sentence(command), rest]),
                None => filled.extend(["⟦", part]),
            }
        }
        filled
    }

    fn key_in_sentence(&self, command: &Command) -> String {
        match command.keys.first().map(String::as_str) {
            Some("pagedown") => "pgdn".into(),
            Some("pageup") => "pgup".into(),
            Some(key) => self.label(key),
            None => command.name.into(),
        }
    }

    pub fn doc(&self, command: &Command) -> String {
        self.fill(command.doc)
    }

    /// Suggests the nearest key with a meaning (the letter in the other case, or with or without ctrl), or says what
    /// the key does in the panels.
    pub(super) fn unbound_message(&self, context: Context, key: &str) -> String {
        let letter = key.rsplit('-').next();
        let letter = letter.filter(|letter| !letter.is_empty()).unwrap_or(key);
        let other_case = match letter.chars().next() {
            Some(c) if c.is_lowercase() => letter.to_uppercase(),
            _ => letter.to_lowercase(),
        };
        let candidates = [other_case, letter.to_string(), format!("ctrl-{letter}")];
        let nearest = candidates
            .iter()
            .filter(|near| near.as_str() != key)
            .find_map(|near| Some((near, self.command_for(context, near)?)));
        let way_out = match context {
            Context::Page => messages::KEY_CLOSES_PAGE,
            Context::Explorer => messages::KEY_LISTS_KEYS,
            _ => "",
        };
        match nearest {
            Some((near, command)) => {
                messages::key_does_nothing(&key, &format!("; {near}: {}", self.doc(command)))
            }
            None => {
                let beyond = self.meaning_in_explorer(context, key);
                let way_out = beyond.unwrap_or_else(|| self.fill(way_out));
                messages::key_does_nothing(&key, &way_out)
            }
        }
    }

    fn meaning_in_explorer(&self, context: Context, key: &str) -> Option<String> {
        let back = self.of(context).find(|one| one.action == Action::Back);
        let back = back.filter(|_| context != Context::Explorer)?;
        let doc = self.doc(self.command_for(Context::Explorer, key)?);
        let back = self.key_in_sentence(back);
        Some(messages::key_after(&back, &key, &doc))
    }
}

fn checked(all: &[Command], name: &str, keys: &[String]) -> Result<Vec<String>, String> {
    let mut of_name = all.iter().filter(|command| command.name == name).peekable();
    if of_name.peek().is_none() {
        let mut names: Vec<&str> = all.iter().map(|command| command.name).collect();
        names.dedup();
        return Err(unknown(name, &names));
    }
    let takes_text = of_name.any(|command| command.context.takes_text());
    let key = |key: &String| {
        let strokes: Option<Vec<String>> = key.split(' ').map(stroke).collect();
        let strokes = strokes.filter(|strokes| strokes.len() <= 2);
        // `zz` as lists of keys show it
        let letters = || key.chars().map(|c| stroke(&c.to_string())).collect();
        let strokes = strokes.or_else(|| (key.chars().count() == 2).then(letters)?);
        let known = strokes.ok_or_else(|| messages::no_such_key(&key.escape_debug()))?;
        let is_sent = |(sent, _): &&(&str, &str)| known.iter().any(|stroke| stroke == sent);
        if let Some((key, same)) = SAME_KEYS.iter().find(is_sent) {
            return Err(messages::key_is_another(key, same));
        }
        let types = |stroke: &String| stroke.chars().count() == 1 || stroke == "space";
        match takes_text && known.iter().any(types) {
            true => Err(messages::key_types_text(key)),
            false => Ok(known.join(" ")),
        }
    };
    match keys.len() {
        ..=MAX_KEYS => keys.iter().map(key).collect(),
        found => Err(messages::too_many_keys(&found, &MAX_KEYS)),
    }
}

fn keys_conflict(one: &str, other: &str) -> bool {
    let starts = |key: &str, other: &str| {
        other
            .strip_prefix(key)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    starts(one, other) || starts(other, one)
}

/// A key as the table writes it: `ctrl-q` for `Ctrl+Q` or `C-q`, too.
fn stroke(key: &str) -> Option<String> {
    let (mut rest, mut held) = (key, [false; 3]);
    while let Some(at) = rest
        .find(['-', '+'])
        .filter(|&at| at > 0 && at + 1 < rest.len())
    {
        let names = |names: &&[&str]| names.contains(&rest[..at].to_lowercase().as_str());
        let modifier = MODIFIERS.iter().position(names);
        (held[modifier?], rest) = (true, &rest[at + 1..]);
    }
    let named = rest.to_lowercase();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == named);
    let mut rest = match alias.map_or(named.as_str(), |(_, name)| name) {
        named if named.chars().count() > 1 => named.to_string(),
        _ => rest.to_string(),
    };
    // a capital letter implies shift
    if !held[0] && held[2] && rest.chars().count() == 1 && rest.chars().all(char::is_alphabetic) {
        (held[2], rest) = (false, rest.to_uppercase());
    }
    let modifiers = held.iter().zip(MODIFIERS).filter(|(is_held, _)| **is_held);
    let modifiers: String = modifiers
        .map(|(_, names)| format!("{}-", names[0]))
        .collect();
    let mut chars = rest.chars();
    let is_known = match (chars.next(), chars.next()) {
        (Some(c), None) => !c.is_control() && c != ' ' && !modifiers.ends_with("shift-"),
        _ => NAMED.contains(&rest.as_str()) || (1..=12).any(|number| rest == format!("f{number}")),
    };
    let rest = match modifiers.starts_with("ctrl-") {
        true => rest.to_lowercase(),
        false => rest,
    };
    is_known.then(|| modifiers + &rest)
}

fn to_command_name(typed: &str) -> String {
    let words: Vec<&str> = typed.split_whitespace().collect();
    words.join("-").replace('_', "-").to_lowercase()
}

fn is_subsequence(text: &str, name: &str) -> bool {
    let mut name = name.chars();
    text.chars().all(|c| name.any(|known| known == c))
}

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
