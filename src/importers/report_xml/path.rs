//! Call stacks and names as they are written: where they are cut, and what the references in them stand for.

use crate::input::xml::reference;
use std::borrow::Cow;

/// What stands at a place of a call stack.
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

    /// The token at the start of `text`, whose first byte is `first`, and its length in bytes.
    #[inline]
    fn at(text: &[u8], first: u8) -> (PathToken, usize) {
        match first {
            b'&' => {
                reference(text).map_or((PathToken::Other, 1), |(c, len)| (PathToken::of(c), len))
            }
            // the bytes of longer characters are none of those that matter
            byte => (PathToken::of(char::from(byte)), 1),
        }
    }
}

/// The first frame of a call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstFrame {
    pub len: usize,
    /// The length of the `/` behind it; 0 at the end of the call stack.
    pub slash: usize,
}

/// Where the first frame of `rest` ends: at a `/` that is in no brackets. `None` if a bracket never closes, in which case
/// [`cut_open`] has to look at all of it.
pub(super) fn cut(rest: &[u8]) -> Option<FirstFrame> {
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

/// The frames of a call stack in which a bracket never closes: such brackets are taken for a part of the name. O(length).
pub(super) fn cut_open(rest: &[u8]) -> Vec<FirstFrame> {
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

/// A name with its references resolved, and how many of those are unknown: they stay as they are.
pub(super) fn decode(raw: &[u8]) -> (Cow<'_, str>, u64) {
    let text = String::from_utf8_lossy(raw);
    // XML makes a blank of a line's end in an attribute
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

/// Where the arguments begin in a method's name as `--save-signature` writes it, `Type.Method(Int32)`: at the first `(` that is
/// in no other brackets. `None` if it has none.
pub(super) fn arguments_start(name: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in name.char_indices() {
        match c {
            // `[label] (words)` and words in brackets are no arguments
            '(' if depth == 0 => return (at > 0 && !name[..at].ends_with(' ')).then_some(at),
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of a call stack, by both ways where both can be taken.
    #[track_caller]
    fn check(path: &str, expect: &[&str]) {
        let pieces = |cuts: &[FirstFrame]| -> Vec<&str> {
            let mut at = 0;
            let piece = |cut: &FirstFrame| {
                let piece = &path[at..at + cut.len];
                at += cut.len + cut.slash;
                piece
            };
            cuts.iter().map(piece).collect()
        };
        let open = cut_open(path.as_bytes());
        assert_eq!(pieces(&open), expect, "{path}");
        let (mut one_by_one, mut at) = (Vec::new(), 0);
        while let Some(next) = cut(&path.as_bytes()[at..]) {
            at += next.len + next.slash;
            one_by_one.push(next);
            if next.slash == 0 {
                assert_eq!(one_by_one, open, "{path}");
                return;
            }
        }
        assert!(path.contains(['(', '[', '<', '&']), "{path}");
    }

    #[test]
    fn call_stacks_are_cut_at_slashes_outside_brackets() {
        check("A.B", &["A.B"]);
        check("A.B/C.D/E..ctor", &["A.B", "C.D", "E..ctor"]);
        check("A.B(X/Y)/C.D", &["A.B(X/Y)", "C.D"]);
        check("A.B[X/Y(/)]/C", &["A.B[X/Y(/)]", "C"]);
        check("A&lt;X/Y&gt;.B/C", &["A&lt;X/Y&gt;.B", "C"]);
        check("A<X/Y>.B/C", &["A<X/Y>.B", "C"]);
        check("A&#60;X/Y&#x3E;.B/C", &["A&#60;X/Y&#x3E;.B", "C"]);
        check("A&#47;B&#x2f;C", &["A", "B", "C"]);
        check("", &[""]);
        check("/", &["", ""]);
        check("A//B/", &["A", "", "B", ""]);
        check("A)/B", &["A)", "B"]);
        check("größe/値", &["größe", "値"]);
        check("a&b;/c", &["a&b;", "c"]);
    }

    #[test]
    fn brackets_that_never_close_are_names() {
        check("std.operator&lt;/B/C", &["std.operator&lt;", "B", "C"]);
        check("A(/B(x/y)/C[", &["A(", "B(x/y)", "C["]);
        check("((/a", &["((", "a"]);
        check("(a/b)/(c/d", &["(a/b)", "(c", "d"]);
    }

    #[track_caller]
    fn check_decode(raw: &str, expect: &str, unknown: u64) {
        let (text, found) = decode(raw.as_bytes());
        assert_eq!((&*text, found), (expect, unknown), "{raw}");
    }

    #[test]
    fn references_are_resolved_and_nothing_else_is() {
        check_decode("plain", "plain", 0);
        check_decode("&lt;&gt;c.&lt;Run&gt;b__0", "<>c.<Run>b__0", 0);
        check_decode("&amp;lt;", "&lt;", 0);
        check_decode("&quot;&apos;", "\"'", 0);
        check_decode("&#65;&#x42;&#x1F642;&#27;[31m", "AB🙂\u{1b}[31m", 0);
        check_decode("&#0000000000000000065;", "A", 0);
        check_decode(
            "&evil;&#xD800;&#x110000;&#;&#x;&",
            "&evil;&#xD800;&#x110000;&#;&#x;&",
            6,
        );
        check_decode("&#99999999999999999999;", "&#99999999999999999999;", 1);
        check_decode("a\tb\nc", "a b c", 0);
    }

    #[test]
    fn arguments_begin_at_the_first_round_bracket_outside_others() {
        #[track_caller]
        fn check(name: &str, expect: Option<&str>) {
            assert_eq!(
                arguments_start(name).map(|at| &name[at..]),
                expect,
                "{name}"
            );
        }
        check("A.B", None);
        check("A.B()", Some("()"));
        check("A.B(Int32,A/B) : X", Some("(Int32,A/B) : X"));
        check("A<(B,C)>.D(E)", Some("(E)"));
        check("<>c.<Main>b__0(X)", Some("(X)"));
        check("A[(x)].B", None);
        check("(x)", None);
        check("label (words)", None);
    }
}
