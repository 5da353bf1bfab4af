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
    ("±", "+"),
];

/// Replaces known characters by similar ones, others by a question mark. Some need two cells.
pub(super) fn replace(buffer: &mut Buffer) {
    let columns = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(columns) {
        for at in 0..row.len() {
            let is_letter = |symbol: &str| symbol.chars().all(char::is_alphanumeric);
            let neighbor = |at: Option<usize>| Some(row.get(at?)?.symbol());
            let neighbors = [at.checked_sub(1), Some(at + 1)].map(neighbor);
            let (replacement, other) = match (row[at].symbol(), neighbors) {
                (symbol, _) if symbol.is_ascii() => continue,
                ("…", [Some(before), _]) if ![" ", "("].contains(&before) => {
                    (".", Some((at - 1, ".")))
                }
                ("…", [_, Some(" ")]) => (".", Some((at + 1, "."))),
                ("±", [Some(" "), _]) => ("-", Some((at - 1, "+"))),
                // next to a letter it would look like another letter
                ("▾", [Some(" "), Some(after)]) if is_letter(after) => (" ", Some((at - 1, "v"))),
                (symbol, _) => (similar(symbol), None),
            };
            row[at].set_symbol(replacement);
            if let Some((place, replacement)) = other {
                row[place].set_symbol(replacement);
            }
        }
    }
}

pub fn in_ascii(text: &str) -> String {
    let replacement = |symbol: char| match symbol {
        '…' => "..".into(),
        '±' => "+-".into(),
        symbol if symbol.is_ascii() => symbol.to_string(),
        symbol => similar(symbol.encode_utf8(&mut [0; 4])).into(),
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
