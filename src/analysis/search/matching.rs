//! Cheap checks for whether a term occurs in a name, before fuzzy-matcher computes scores.

/// Letters whose lower case has another UTF-8 length (`ẞ`, `İ`) stay, so that offsets in the folded text are the same.
pub(super) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) if only.len_utf8() == c.len_utf8() => only,
        _ => c,
    }
}

/// The characters of a folded text as a 64-bit set, to reject names that lack a character of a term.
pub(super) fn mask(folded: &str) -> u64 {
    folded.chars().fold(0, |mask, c| {
        mask | 1
            << match c {
                'a'..='z' => c as u32 - 'a' as u32,
                '0'..='9' => 26 + (c as u32 - '0' as u32),
                '.' => 36,
                '_' => 37,
                '<' | '>' => 38,
                // other characters share the remaining bits
                _ => 39 + c as u32 % 25,
            }
    })
}

pub(super) fn is_subsequence(hay: &str, needle: &str) -> bool {
    if needle.is_ascii() {
        // ASCII bytes don't occur within other characters
        let mut hay = hay.bytes();
        return needle.bytes().all(|wanted| hay.any(|byte| byte == wanted));
    }
    let mut hay = hay.chars();
    needle.chars().all(|wanted| hay.any(|c| c == wanted))
}

/// Whether it is after a character that is neither letter nor digit, or at an uppercase letter that doesn't follow
/// another.
pub(super) fn is_word_start(name: &str, at: usize) -> bool {
    let bytes = name.as_bytes();
    if let (Some(before), Some(c)) = (bytes[..at].last(), bytes.get(at))
        && before.is_ascii()
        && c.is_ascii()
    {
        return !before.is_ascii_alphanumeric()
            || c.is_ascii_uppercase() && !before.is_ascii_uppercase();
    }
    match (name[..at].chars().next_back(), name[at..].chars().next()) {
        (None, _) => true,
        (Some(before), Some(c)) => {
            !before.is_alphanumeric() || c.is_uppercase() && !before.is_uppercase()
        }
        (_, None) => false,
    }
}

/// The first occurrence at the start of a word of `name`, else the first one. `hay` is `name` or its folded form;
/// `needle` must not be empty.
pub(super) fn occurrence(name: &str, hay: &str, needle: &str) -> Option<usize> {
    let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
    let mut found = None;
    for (at, piece) in hay.windows(needle.len().max(1)).enumerate() {
        // equal bytes from the start of a character on are equal characters; most pieces differ in the first, so this
        // is faster than comparing slices
        if piece.iter().zip(needle).all(|(a, b)| a == b) {
            if is_word_start(name, at) {
                return Some(at);
            }
            found = found.or(Some(at));
        }
    }
    found
}

/// After the last dot outside brackets.
pub(super) fn own_name_start(name: &str) -> usize {
    let mut depth = 0i32;
    for (at, byte) in name.bytes().enumerate().rev() {
        match byte {
            b'>' | b')' => depth += 1,
            b'<' | b'(' => depth -= 1,
            b'.' if depth <= 0 => return at + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests;
