//! Screens for terminals and fonts that have no more than ASCII.

use ratatui::buffer::Buffer;

/// What is drawn, and what stands for it.
const SIGNS: [(&str, &str); 20] = [
    ("─━╌┄┈▁▔", "-"),
    ("│┃╎┆▏▎▐", "|"),
    ("╭╮╰╯┌┐└┘├┤┬┴┼╴╶╷╵", "+"),
    ("█▉▊▋▓▇▆▅", "#"),
    ("▌▍▒▄▃", "="),
    ("░▂·•", "."),
    ("→▶▸›⇥", ">"),
    ("←◀◂‹⇤", "<"),
    ("↑▲▴", "^"),
    ("↓▼▾⏎", "v"),
    ("…", "~"),
    ("×✕", "x"),
    ("±", "+"),
    ("–—−", "-"),
    ("●◆■", "*"),
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
