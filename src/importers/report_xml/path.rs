//! Splits call stacks and decodes names.

use crate::input::xml::reference;
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PathToken {
    Opening,
    Closing,
    Slash,
    Other,
}

impl PathToken {
    fn of(c: char) -> PathToken {
        match c {
            '(' | '<' | '[' => PathToken::Opening,
            ')' | '>' | ']' => PathToken::Closing,
            '/' => PathToken::Slash,
            _ => PathToken::Other,
        }
    }

    #[inline]
    fn at(text: &[u8], first: u8) -> (PathToken, usize) {
        match first {
            b'&' => {
                reference(text).map_or((PathToken::Other, 1), |(c, len)| (PathToken::of(c), len))
            }
            // longer characters contain none of the relevant bytes
            byte => (PathToken::of(char::from(byte)), 1),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstFrame {
    pub len: usize,
    /// The length of the `/` after it; 0 at the end of the call stack.
    pub slash: usize,
}

/// Finds the end of the first frame: a `/` outside of brackets. `None` if a bracket never closes, see [`split_unclosed`].
pub(super) fn split_first(rest: &[u8]) -> Option<FirstFrame> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(&first) = rest.get(at) {
        let (token, len) = PathToken::at(&rest[at..], first);
        match token {
            PathToken::Opening => depth += 1,
            PathToken::Closing => depth = depth.saturating_sub(1),
            PathToken::Slash if depth == 0 => {
                return Some(FirstFrame {
                    len: at,
                    slash: len,
                });
            }
            PathToken::Slash | PathToken::Other => {}
        }
        at += len;
    }
    (depth == 0).then_some(FirstFrame {
        len: rest.len(),
        slash: 0,
    })
}

/// The frames of a call stack in which a bracket never closes; such brackets are part of the name. O(length).
pub(super) fn split_unclosed(rest: &[u8]) -> Vec<FirstFrame> {
    let mut open = Vec::new();
    walk(rest, |at, token, _| match token {
        PathToken::Opening => open.push(at),
        PathToken::Closing => drop(open.pop()),
        PathToken::Slash | PathToken::Other => {}
    });
    let (mut cuts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    let mut never_closed = open.into_iter().peekable();
    walk(rest, |at, token, len| match token {
        PathToken::Opening if never_closed.peek() == Some(&at) => drop(never_closed.next()),
        PathToken::Opening => depth += 1,
        PathToken::Closing => depth = depth.saturating_sub(1),
        PathToken::Slash if depth == 0 => {
            cuts.push(FirstFrame {
                len: at - start,
                slash: len,
            });
            start = at + len;
        }
        PathToken::Slash | PathToken::Other => {}
    });
    cuts.push(FirstFrame {
        len: rest.len() - start,
        slash: 0,
    });
    cuts
}

fn walk(text: &[u8], mut visit: impl FnMut(usize, PathToken, usize)) {
    let mut at = 0;
    while let Some(&first) = text.get(at) {
        let (token, len) = PathToken::at(&text[at..], first);
        visit(at, token, len);
        at += len;
    }
}

/// A name with its references decoded, and the number of unknown ones, which stay verbatim.
pub(super) fn decode(raw: &[u8]) -> (Cow<'_, str>, u64) {
    let text = String::from_utf8_lossy(raw);
    // XML replaces line breaks in attributes with spaces
    if !text.contains(['&', '\t', '\n', '\r']) {
        return (text, 0);
    }
    let (mut decoded, mut rest, mut unknown) = (String::with_capacity(text.len()), &*text, 0);
    while let Some(at) = rest.find(['&', '\t', '\n', '\r']) {
        let (plain, special) = rest.split_at(at);
        decoded.push_str(plain);
        let (c, len) = match reference(special.as_bytes()) {
            Some(known) => known,
            None if special.starts_with('&') => {
                unknown += 1;
                ('&', 1)
            }
            None => (' ', 1),
        };
        decoded.push(c);
        // a reference is ASCII
        rest = special.get(len..).unwrap_or_default();
    }
    decoded.push_str(rest);
    (decoded.into(), unknown)
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
