//! The parts of a method's name that are stable across builds and formats.

use crate::model::{FrameId, Frames};
use crate::names::{
    FrameKind, TypeParameters, display_name, display_parameters, namespace_and_type,
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub kind: FrameKind,
    /// Without version; empty if unknown.
    pub module: String,
    /// Namespace, types and method, without compiler-generated numbers and type arguments.
    pub path: String,
    pub parameters: Option<String>,
}

impl Key {
    pub(super) fn of(frames: &Frames, id: FrameId, name: &str) -> Key {
        let kind = frames.get(id).kind;
        if kind != FrameKind::Method {
            return Key {
                kind,
                module: String::new(),
                path: name.to_string(),
                parameters: None,
            };
        }
        let shown = normalized(&display_name(kind, name));
        let path = match namespace_and_type(name) {
            Some((namespace, _)) if !namespace.is_empty() => format!("{namespace}.{shown}"),
            _ => shown,
        };
        let name = format!("{name}{}", frames.signature(id));
        Key {
            kind,
            module: frames.module(id).split(',').take(1).collect(),
            path,
            parameters: display_parameters(&name, TypeParameters::UNKNOWN),
        }
    }
}

/// Words that a compiler's counter follows.
const COUNTED: [&str; 3] = ["lambda ", "finally ", "base call "];

fn normalized(shown: &str) -> String {
    let mark = shown.strip_suffix(')').and_then(|shown| shown.rfind(" ("));
    let mut name = without_type_arguments(&shown[..mark.unwrap_or(shown.len())]);
    for word in COUNTED {
        name = without_numbers(&name, word);
    }
    without_numbers(&name, "AnonymousType")
}

fn without_numbers(text: &str, word: &str) -> String {
    let mut parts = text.split(word);
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        result.push_str(word);
        result.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    result
}

/// `Cache<String,Int32>.Get` becomes `` Cache`2.Get ``. Brackets that don't follow a name stay.
fn without_type_arguments(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let (mut depth, mut arguments) = (0usize, 1usize);
    for c in name.chars() {
        let follows_name =
            result.ends_with(|before: char| before.is_alphanumeric() || before == '_');
        match c {
            '<' if depth > 0 || follows_name => depth += 1,
            '>' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    result.push_str(&format!("`{}", std::mem::replace(&mut arguments, 1)));
                }
            }
            ',' if depth == 1 => arguments += 1,
            _ if depth > 0 => {}
            _ => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests;
