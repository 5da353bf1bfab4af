use std::borrow::Cow;

/// Whether a character must never reach a terminal: control characters, and invisible ones that reorder or hide text.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Writes hostile characters as `\u{…}`. Distinct names stay distinct.
pub fn visible(text: &str) -> Cow<'_, str> {
    // fast path for nearly all texts
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
pub fn start_of(text: &str, max_bytes: usize) -> &str {
    let mut ends = (0..=text.len().min(max_bytes)).rev();
    let end = ends.find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// At most this many characters, and an ellipsis if there are more.
pub fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests;
