use crate::input::xml::reference;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstFrame {
    pub len: usize,
    /// Of the `/` after it; 0 at the end of the call stack.
    pub slash: usize,
}

/// Ends at a `/` outside of brackets. `None` if a bracket never closes.
pub(super) fn split_first(rest: &[u8]) -> Option<FirstFrame> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&first) = rest.get(at) {
        let (c, len) = match first {
            b'&' => reference(&rest[at..]).unwrap_or(('&', 1)),
            // longer characters contain none of the relevant bytes
            byte => (char::from(byte), 1),
        };
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => {
                return Some(FirstFrame {
                    len: at,
                    slash: len,
                });
            }
            _ => {}
        }
        at += len;
    }
    (depth == 0).then_some(FirstFrame {
        len: rest.len(),
        slash: 0,
    })
}

/// Decodes references; unknown ones stay as they are.
pub(super) fn decode(raw: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(raw);
    // XML replaces line breaks in attributes with spaces
    if !text.contains(['&', '\t', '\n', '\r']) {
        return text;
    }
    let (mut decoded, mut rest) = (String::with_capacity(text.len()), &*text);
    while let Some(at) = rest.find(['&', '\t', '\n', '\r']) {
        let (plain, special) = rest.split_at(at);
        decoded.push_str(plain);
        let other = if special.starts_with('&') { '&' } else { ' ' };
        let (c, len) = reference(special.as_bytes()).unwrap_or((other, 1));
        decoded.push(c);
        // a reference is ASCII
        rest = special.get(len..).unwrap_or_default();
    }
    decoded.push_str(rest);
    decoded.into()
}

/// The start of the arguments in `Type.Method(Int32)`: the first `(` outside of other brackets.
pub(super) fn arguments_start(name: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in name.char_indices() {
        match c {
            // `[label] (words)` and words in brackets are not arguments
            '(' if depth == 0 => return (at > 0 && !name[..at].ends_with(' ')).then_some(at),
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
