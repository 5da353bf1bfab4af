//! ASCII-only screens for terminals and fonts without more.

use ratatui::prelude::Buffer;

/// Bars and levels get heavier: `.` or `|`, then `: = + * #`.
const REPLACEMENTS: [(&str, &str); 24] = [
    ("─━╌┄┈▔·", "-"),
    ("│┃╎┆▏▐", "|"),
    ("╭╮╰╯┌┐└┘├┤┬┴┼╴╶╷╵", "+"),
    ("▁", "."),
    ("▂▎", ":"),
    ("▃▍", "="),
    ("▄▌", "+"),
    ("▅▋▒", "*"),
    ("█▉▊▓▇▆", "#"),
    ("░", "'"),
    ("→▶▸›⇥", ">"),
    ("←◀◂‹⇤", "<"),
    ("↑▲▴", "^"),
    ("↓⏎▾▼", "v"),
    ("×✕", "x"),
    ("–—−", "-"),
    ("●◆■•", "o"),
    ("“”", "\""),
    ("‘’", "'"),
    ("⚠", "!"),
    ("µ", "u"),
    ("✎", "&"),
    ("…", "."),
    ("±", "~"),
];

/// Replaces known characters by similar ones, others by a question mark.
pub(super) fn replace(buffer: &mut Buffer) {
    let is_letter = |symbol: &str| symbol.chars().all(char::is_alphabetic);
    for at in 0..buffer.content.len() {
        let next = buffer.content.get(at + 1);
        let is_before_letter = next.is_some_and(|cell| is_letter(cell.symbol()));
        let cell = &mut buffer.content[at];
        match cell.symbol() {
            symbol if symbol.is_ascii() => {}
            // the mark of the sorted column, where a `v` would look like a part of its title
            "▾" if is_before_letter => _ = cell.set_symbol("*"),
            symbol => _ = cell.set_symbol(similar(symbol)),
        }
    }
}

pub fn in_ascii(text: &str) -> String {
    let replacement = |symbol: char| match symbol.is_ascii() {
        true => symbol.to_string(),
        false => similar(symbol.encode_utf8(&mut [0; 4])).into(),
    };
    text.chars().map(replacement).collect()
}

fn similar(symbol: &str) -> &'static str {
    let found = REPLACEMENTS
        .iter()
        .find(|(symbols, _)| symbols.contains(symbol));
    found.map_or("?", |(_, replacement)| replacement)
}

#[cfg(test)]
mod tests;
