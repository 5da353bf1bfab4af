//! Which keys run which commands.

use super::commands::commands;
use super::{Action, Command, Context, messages};
use crate::settings::unknown;
use std::collections::HashSet;

/// The command table, with some keys replaced by the user's.
#[derive(Clone, Debug)]
pub struct Keymap {
    commands: Vec<Command>,
    /// Whether keys are spelled, not drawn.
    is_ascii: bool,
}

const MAX_KEYS: usize = 20;
/// The keys that have names.
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
/// Keys for which terminals send another one.
const SAME_KEYS: [(&str, &str); 3] = [("ctrl-i", "tab"), ("ctrl-m", "enter"), ("ctrl-[", "esc")];

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::with(&[])
    }
}

impl Keymap {
    /// With these keys for the commands with these names.
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
            is_ascii: false,
        }
    }

    /// The user's keys, and what is wrong with those that can't be bound, by command.
    pub fn rebound(bound: &[(String, Vec<String>)]) -> (Keymap, Vec<(String, String)>) {
        let (mut own, mut problems) = (Vec::new(), Vec::new());
        let all: Vec<Command> = commands().collect();
        for (name, keys) in bound {
            match checked(&all, name, keys) {
                Ok(keys) => own.push((name.clone(), keys)),
                Err(what) => problems.push((name.clone(), what)),
            }
        }
        let mut keymap = Keymap::default();
        let (mut names, mut table) = (Vec::new(), Vec::new());
        for (name, keys) in own {
            table.push(keymap.bind(&name, keys));
            names.push(name);
        }
        keymap.follow_openers(&all, &names);
        while let Some((at, what)) = keymap.conflict(&names) {
            let name = names.remove(at);
            keymap.bind(&name, table.remove(at));
            problems.push((name, what));
            keymap.follow_openers(&all, &names);
        }
        let has_no_key = |action| {
            let command = keymap.command(&action);
            command.is_some_and(|command| command.keys.is_empty())
        };
        let at = names.iter().position(|name| name == "quit");
        if let (Some(at), true) = (
            at,
            has_no_key(Action::Quit) && has_no_key(Action::Interrupt),
        ) {
            keymap.bind("quit", table.remove(at));
            problems.push((names.remove(at), messages::NO_KEY_QUITS.into()));
        }
        (keymap, problems)
    }

    /// Has lists close with the keys that open them, if other commands of the list leave these free. `bound` are the
    /// commands with other keys.
    fn follow_openers(&mut self, table: &[Command], bound: &[String]) {
        let is_bound = |command: &Command| bound.iter().any(|name| name == command.name);
        let closers = table.iter().enumerate().filter(|(_, command)| {
            command.action == Action::Back && command.context != Context::Explorer
        });
        for (at, closer) in closers.filter(|(_, closer)| !is_bound(closer)) {
            let of_panels = table.iter().filter(|one| one.context == Context::Explorer);
            let openers: Vec<&Command> = of_panels.filter(|one| is_bound(one)).collect();
            let mut keys = Vec::new();
            for key in &closer.keys {
                // keys that close everything belong to no single list
                let opener = openers.iter().find(|one| one.keys.contains(key));
                match opener.filter(|_| !WAYS_OUT.contains(&key.as_str())) {
                    Some(opener) => keys.extend(
                        self.named(opener.name)
                            .into_iter()
                            .flat_map(|one| one.keys.clone()),
                    ),
                    None => keys.push(key.clone()),
                }
            }
            let others = || {
                self.of(closer.context)
                    .filter(|other| other.name != closer.name)
            };
            let is_taken = |key: &String| {
                let mut taken = others().flat_map(|other| &other.keys);
                taken.any(|taken| conflict_at_start(key, taken))
            };
            let mut seen = HashSet::new();
            keys.retain(|key| seen.insert(key.clone()));
            keys.retain(|key| closer.keys.contains(key) || !is_taken(key));
            self.commands[at].keys = keys;
        }
    }

    /// Returns the previous keys.
    fn bind(&mut self, name: &str, keys: Vec<String>) -> Vec<String> {
        let mut before = Vec::new();
        let of_name = self.commands.iter_mut();
        for command in of_name.filter(|command| command.name == name) {
            before = std::mem::replace(&mut command.keys, keys.clone());
        }
        before
    }

    /// The first of these commands with a key that conflicts with one of another command in the same context.
    fn conflict(&self, bound: &[String]) -> Option<(usize, String)> {
        for (at, name) in bound.iter().enumerate() {
            for command in self.all().filter(|command| command.name == *name) {
                let others = self.of(command.context).filter(|other| other.name != *name);
                for other in others {
                    let clash = |key: &String| {
                        let taken = other
                            .keys
                            .iter()
                            .find(|taken| conflict_at_start(key, taken))?;
                        Some(match key == taken {
                            true => messages::key_taken(key, &other.name),
                            false => messages::key_conflicts(key, taken, &other.name),
                        })
                    };
                    if let Some(what) = command.keys.iter().find_map(clash) {
                        return Some((at, what));
                    }
                }
            }
        }
        None
    }

    pub fn in_ascii(self, is_ascii: bool) -> Keymap {
        Keymap { is_ascii, ..self }
    }

    pub fn is_ascii(&self) -> bool {
        self.is_ascii
    }

    pub fn label(&self, key: &str) -> String {
        match self.is_ascii {
            true => key.replace(' ', ""),
            false => key_label(key),
        }
    }

    /// Each once: first those that begin with it, then those of the context.
    pub fn matching(&self, here: Context, typed: &str) -> Vec<&Command> {
        const SPREAD: usize = 4;
        let typed = as_name(typed);
        let typed = typed.as_str();
        let rank = |name: &str| match name.find(typed) {
            // people type what they see
            Some(_) if name.strip_prefix("show-").unwrap_or(name) == typed || name == typed => {
                Some(0)
            }
            Some(0) => Some(1),
            Some(at) if name[..at].ends_with('-') => Some(2),
            Some(_) => Some(3),
            None => is_spread_over(typed, name).then_some(SPREAD),
        };
        let mut names = HashSet::new();
        let all = self.of(here).chain(self.all());
        let once = all.filter(|command| names.insert(command.name));
        let ranked = once.filter_map(|command| Some((rank(command.name)?, command)));
        let mut found: Vec<(usize, &Command)> = ranked.collect();
        // scattered letters count only if nothing else matches
        if found.iter().any(|(rank, _)| *rank < SPREAD) {
            found.retain(|(rank, _)| *rank < SPREAD);
        }
        found.sort_by_key(|(rank, command)| (*rank, command.context != here));
        found.into_iter().map(|(_, command)| command).collect()
    }

    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter()
    }

    pub fn of(&self, context: Context) -> impl Iterator<Item = &Command> {
        let is_there = move |command: &&Command| command.context == context;
        self.commands.iter().filter(is_there)
    }

    /// The command of a key or a sequence of two keys.
    pub fn bound(&self, context: Context, keys: &str) -> Option<&Command> {
        let has = |command: &&Command| command.keys.iter().any(|known| known == keys);
        self.of(context).find(has)
    }

    /// Whether a key runs a command with this action.
    pub(super) fn runs(&self, context: Context, key: &str, action: &Action) -> bool {
        let command = self.bound(context, key);
        command.is_some_and(|command| command.action == *action)
    }

    /// Whether a key is the first of a sequence of two.
    pub fn is_start(&self, context: Context, key: &str) -> bool {
        let starts = |keys: &String| keys.split_once(' ').is_some_and(|(first, _)| first == key);
        self.of(context)
            .flat_map(|command| &command.keys)
            .any(starts)
    }

    pub(super) fn named(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }

    /// The command with this action in the panels.
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

    /// The key of a command as it reads in a sentence.
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
            None => {
                let beyond = self.in_explorer(context, key);
                let way_out = beyond.unwrap_or_else(|| self.fill(way_out));
                messages::key_does_nothing(&key, &way_out)
            }
        }
    }

    /// What a key does below the current overlay, and how to get there.
    fn in_explorer(&self, context: Context, key: &str) -> Option<String> {
        let back = self.of(context).find(|one| one.action == Action::Back);
        let back = back.filter(|_| context != Context::Explorer)?;
        let doc = self.doc(self.bound(Context::Explorer, key)?);
        let back = self.key_in_sentence(back);
        Some(messages::key_after(&back, &key, &doc))
    }
}

/// The keys as the table spells them, if they are valid.
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

/// Whether one of two keys or sequences is the start of the other.
fn conflict_at_start(one: &str, other: &str) -> bool {
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
        // a capital letter implies shift
        (Some(c), None) => !c.is_control() && c != ' ' && !modifiers.ends_with("shift-"),
        _ => NAMED.contains(&rest.as_str()) || (1..=12).any(|number| rest == format!("f{number}")),
    };
    let rest = match modifiers.starts_with("ctrl-") {
        true => rest.to_lowercase(),
        false => rest,
    };
    is_known.then(|| modifiers + &rest)
}

/// In the spelling of command names: lower case, with dashes.
fn as_name(typed: &str) -> String {
    let words: Vec<&str> = typed.split_whitespace().collect();
    words.join("-").replace('_', "-").to_lowercase()
}

/// Whether the characters of a text occur in another one, in this order.
fn is_spread_over(text: &str, name: &str) -> bool {
    let mut name = name.chars();
    text.chars().all(|c| name.any(|known| known == c))
}

/// Arrows as arrows.
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
