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
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            cell.set_symbol(similar(cell.symbol()));
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
