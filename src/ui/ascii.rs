//! ASCII-only screens for terminals and fonts without more.

use ratatui::buffer::Cell;
use ratatui::prelude::Buffer;

/// Bars and levels get heavier: `.` or `|`, then `: = + * #`.
const REPLACEMENTS: [(&str, &str); 22] = [
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
    ("↓▼▾⏎", "v"),
    ("×✕", "x"),
    ("–—−", "-"),
    ("●◆■•", "o"),
    ("“”", "\""),
    ("‘’", "'"),
    ("⚠", "!"),
    ("µ", "u"),
    ("✎", "&"),
];

/// Replaces known characters by similar ones, others by a question mark. Some need two cells.
pub(super) fn replace(buffer: &mut Buffer) {
    let columns = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(columns) {
        for at in 0..row.len() {
            let symbol = row[at].symbol();
            if symbol.is_ascii() {
                continue;
            }
            // a blank neighbor may be used
            let is_blank = |neighbor: Option<usize>| {
                let cell = row.get(neighbor?).filter(|cell| cell.bg == row[at].bg)?;
                Some(cell.symbol() == " ")
            };
            let (before, after) = (at.checked_sub(1), at + 1);
            let is_letter = |cell: &Cell| cell.symbol().chars().all(char::is_alphanumeric);
            let is_blank_before = is_blank(before) == Some(true);
            let (replacement, neighbor) = match symbol {
                "…" if is_blank(before) == Some(false) && row[at - 1].symbol() != "(" => {
                    (".", Some((at - 1, ".")))
                }
                "…" if is_blank(Some(after)) == Some(true) => (".", Some((after, "."))),
                "…" => (".", None),
                "±" if is_blank_before => ("-", Some((at - 1, "+"))),
                "±" => ("+", None),
                // next to a letter it would look like another letter
                "▾" if is_blank_before && row.get(after).is_some_and(is_letter) => {
                    (" ", Some((at - 1, "v")))
                }
                symbol => (similar(symbol), None),
            };
            row[at].set_symbol(replacement);
            if let Some((at, replacement)) = neighbor {
                row[at].set_symbol(replacement);
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
