//! Screens for terminals and fonts that have no more than ASCII.

use ratatui::buffer::Buffer;

/// What is drawn, and what stands for it. Bars and levels grow heavier from sign to sign: `.` or `|`, then `: = + * #`. Nothing
/// else on a screen of levels is a dot.
const SIGNS: [(&str, &str); 24] = [
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
    ("…", "~"),
    ("×✕", "x"),
    ("±", "+"),
    ("–—−", "-"),
    ("●◆■•", "o"),
    ("“”", "\""),
    ("‘’", "'"),
    ("⚠", "!"),
    ("µ", "u"),
    ("✎", "&"),
];

/// Replaces all that is not ASCII: signs by those that are most alike, other characters by a question mark.
pub(super) fn replace(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if !symbol.is_ascii() {
            let like = SIGNS.iter().find(|(signs, _)| signs.contains(symbol));
            let like = like.map_or("?", |(_, like)| like);
            cell.set_symbol(like);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(symbol: char) -> &'static str {
        let like = SIGNS.iter().find(|(signs, _)| signs.contains(symbol));
        like.map_or("?", |(_, like)| like)
    }

    /// The order is that of the ink in a cell of a usual font.
    #[test]
    fn levels_grow_heavier_and_are_no_dots() {
        for (levels, order) in [("▁▂▃▄▅▆▇█", ".:=+*#"), ("▏▎▍▌▋▊▉█", "|:=+*#")]
        {
            let weights: Vec<usize> = levels
                .chars()
                .map(|level| order.find(sign(level)).unwrap())
                .collect();
            assert!(weights.is_sorted(), "{levels}: {weights:?}");
            assert_eq!((weights[0], weights[7]), (0, 5));
            for other in "·•░●".chars() {
                assert!(!order.contains(sign(other)), "{other}");
            }
        }
    }
}
