//! TOML files that people write. Entries are read one by one, each with its position, so that a wrong one can be
//! reported and the others still apply.
//!
//! A file may come with a folder from someone else, so it is limited to 64 kB, to regular files, and to 20 reported
//! problems.

pub(crate) mod messages;

use crate::text::shortened;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use toml::de::{DeTable, DeValue};

const MAX_BYTES: u64 = 64 * 1024;
const MAX_PROBLEMS: usize = 20;
const MAX_CHARS: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(bool),
    Number(u64),
    Text(String),
    /// [`Entry::texts`] accepts a single string as a list, too.
    List(Vec<Value>),
    Other,
}

#[derive(Clone, Debug)]
pub struct Entry {
    /// The enclosing tables and its own name, separated by dots.
    pub key: String,
    pub value: Value,
    pub at: String,
}

impl Entry {
    pub fn problem(&self, what: &str) -> String {
        let key = shortened(&self.key, MAX_CHARS);
        let own = key.rsplit('.').next().unwrap_or_default();
        let is_value = matches!(&self.value, Value::Text(text) if text == own);
        // don't repeat a key that the text starts with
        for (before, name) in [("", &*key), (&key[..key.len() - own.len()], own)] {
            let rest = what.strip_prefix(name).filter(|_| !is_value);
            if rest.is_some_and(|rest| rest.starts_with(' ')) {
                return messages::problem_of_name(&self.at, &format!("{before}{what}"));
            }
        }
        messages::problem(&self.at, &key, &what)
    }

    pub fn text(&self) -> Result<&str, String> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(messages::TEXT_EXPECTED.into()),
        }
    }

    pub fn texts(&self) -> Result<Vec<String>, String> {
        let values = match &self.value {
            Value::List(values) => values,
            value => std::slice::from_ref(value),
        };
        let texts = values.iter().map(|value| match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(messages::TEXTS_EXPECTED.into()),
        });
        texts.collect()
    }

    pub fn boolean(&self) -> Result<bool, String> {
        match self.value {
            Value::Bool(value) => Ok(value),
            _ => Err(messages::BOOLEAN_EXPECTED.into()),
        }
    }

    pub fn choice<T: Clone>(&self, choices: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, value)) => Ok(value.clone()),
            None => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                Err(unknown(text, &names))
            }
        }
    }
}

/// The message about an unknown name: suggests the nearest known one; if none is near, lists up to 16.
pub fn unknown(name: &str, known: &[&str]) -> String {
    let shown = shortened(name, MAX_CHARS);
    let typed = shown.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&typed, &known.to_lowercase());
    let nearest = known
        .iter()
        .min_by_key(|known| (distance(known), !known.starts_with(&shown)));
    let is_near = |nearest: &&&str| {
        let distance = distance(nearest);
        let is_similar = 2 * distance <= typed.chars().count() || nearest.starts_with(&typed);
        distance <= 1 + nearest.chars().count() / 3 && is_similar
    };
    // such as flame, for show-flame
    let has_word = |known: &&&str| known.split('-').any(|word| word == shown);
    let longer = known.iter().filter(has_word);
    let longer = longer.min_by_key(|known| distance(known));
    match nearest.filter(is_near).or(longer) {
        Some(nearest) => messages::did_you_mean(&shown, nearest),
        None if known.len() <= 16 => messages::is_none_of(&shown, &known.join(", ")),
        None => messages::is_unknown(&shown),
    }
}

pub fn read(path: &Path) -> Result<String, String> {
    let problem = |why: &dyn std::fmt::Display| messages::unread(&path.display(), why);
    let metadata = std::fs::metadata(path).map_err(|error| problem(&error))?;
    // reading a pipe would block
    if !metadata.is_file() {
        return Err(problem(&messages::NOT_A_REGULAR_FILE));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| problem(&error))?;
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| problem(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(problem(&messages::TOO_LARGE));
    }
    let text = match bytes.strip_prefix(b"\xff\xfe") {
        // the encoding of `>` in Windows PowerShell
        Some(rest) => {
            let units = rest.as_chunks().0.iter().copied().map(u16::from_le_bytes);
            String::from_utf16(&units.collect::<Vec<_>>()).ok()
        }
        None => String::from_utf8(bytes).ok(),
    };
    text.ok_or_else(|| problem(&messages::NOT_UTF_8))
}

/// Entries in line order, and messages about invalid TOML.
pub fn entries(file: &str, text: &str) -> (Vec<Entry>, Vec<String>) {
    let text = text.trim_start_matches('\u{feff}');
    let place = |at: usize| {
        let lines = text.as_bytes()[..at.min(text.len())].iter();
        let before = lines.filter(|byte| **byte == b'\n').count();
        format!("{file}:{}", before + 1)
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    let syntax_error = |error: &toml::de::Error| {
        let at = place(error.span().map_or(0, |span| span.start));
        messages::not_toml(&at, &error.message())
    };
    let errors: Vec<String> = errors.iter().take(MAX_PROBLEMS).map(syntax_error).collect();
    let mut found: Vec<(usize, Entry)> = Vec::new();
    let mut tables = vec![(String::new(), table.get_ref())];
    while let Some((prefix, table)) = tables.pop() {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if prefix.is_empty() => tables.push((key + ".", inner)),
                value => {
                    let (at, value) = (name.span().start, value_of(value));
                    let entry = Entry {
                        key,
                        value,
                        at: place(at),
                    };
                    found.push((at, entry));
                }
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    // a line that is not TOML gets just one message
    let has_error = |at: &str| {
        let at = format!("{at}: ");
        errors.iter().any(|error| error.starts_with(&at))
    };
    found.retain(|(_, entry)| !has_error(&entry.at));
    (found.into_iter().map(|(_, entry)| entry).collect(), errors)
}

fn value_of(value: &DeValue) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => {
            let number = u64::from_str_radix(number.as_str(), number.radix());
            number.map_or(Value::Other, Value::Number)
        }
        DeValue::Array(values) => {
            let values = values.iter().map(|value| value_of(value.get_ref()));
            Value::List(values.collect())
        }
        _ => Value::Other,
    }
}

/// Passes each entry to `apply`, and returns messages about problems: at most a screenful.
pub fn read_entries(
    file: &str,
    text: &str,
    mut apply: impl FnMut(&Entry) -> Result<(), String>,
) -> Vec<String> {
    let (entries, mut problems) = entries(file, text);
    for entry in &entries {
        if let Err(what) = apply(entry) {
            problems.push(entry.problem(&what));
        }
    }
    sort_by_line(file, &mut problems);
    if problems.len() > MAX_PROBLEMS {
        let more = problems.len() - MAX_PROBLEMS;
        problems.truncate(MAX_PROBLEMS);
        problems.push(messages::more_problems(&file, &more));
    }
    problems
}

/// Those without a line number come last.
pub fn sort_by_line(file: &str, problems: &mut [String]) {
    let line = |text: &str| text.split(':').nth(1)?.parse().ok();
    problems.sort_by_key(|text| Some(line(text.strip_prefix(file)?).unwrap_or(usize::MAX)));
}

#[cfg(test)]
mod tests;
