//! Makes text from files safe for a terminal.

use std::borrow::Cow;

/// Whether a character must never reach a terminal unescaped: control characters (which start escape sequences), and
/// invisible ones that reorder or hide text.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Writes every hostile character as `\u{…}`, so that it is visible and harmless. Distinct names stay distinct.
pub fn visible(text: &str) -> Cow<'_, str> {
    // fast path: nearly all texts consist of these
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hostile(c) {
            clean.extend(c.escape_unicode());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// The longest prefix of at most this many bytes that ends at a character boundary.
pub fn start_of(text: &str, most_bytes: usize) -> &str {
    let end = (0..=text.len().min(most_bytes))
        .rev()
        .find(|&end| text.is_char_boundary(end));
    // 0 is always a boundary
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[track_caller]
    fn check(input: &str, expect: &str) {
        assert_eq!(visible(input), expect);
    }

    #[test]
    fn hostile_characters_are_written_out() {
        check("Acme.Run", "Acme.Run");
        check("a\u{1b}[31mred", "a\\u{1b}[31mred");
        check("csi \u{9b}2J", "csi \\u{9b}2J");
        check("line\nbreak\ttab", "line\\u{a}break\\u{9}tab");
        check("abc\u{202e}cba", "abc\\u{202e}cba");
        check("zero\u{200b}width", "zero\\u{200b}width");
        check("Größe 値 🙂", "Größe 値 🙂");
    }
}
