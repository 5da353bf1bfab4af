//! Text broken into lines.

use unicode_width::UnicodeWidthChar;

/// Breaks text at blanks into lines of at most `width` cells; a longer word is cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in text.split_whitespace() {
        let length: usize = word.chars().map(|c| c.width().unwrap_or(0)).sum();
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let cells = c.width().unwrap_or(0);
            if used + cells > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += cells;
        }
    }
    lines.push(line);
    lines
}

/// Breaks a line at blanks as [`wrap`] does; all lines keep the blanks before the first, and further lines have two more.
pub fn wrap_indented(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    // where there is little room, text is worth more than blanks
    let first = indent.min(width / 4);
    let next = (first + 2).min(width / 4);
    let mut lines = wrap(line, width - first);
    if lines.len() > 1 {
        // from the second line on there is less room
        let head = lines.swap_remove(0);
        let rest = line.trim_start_matches(' ');
        lines = wrap(rest_after(rest, &head), width - next);
        lines.insert(0, head);
    }
    let indents = std::iter::once(first).chain(std::iter::repeat(next));
    lines
        .into_iter()
        .zip(indents)
        .map(|(line, indent)| format!("{}{line}", " ".repeat(indent)))
        .collect()
}

/// What of a text comes after its first line, whose blanks may be fewer.
fn rest_after<'a>(text: &'a str, line: &str) -> &'a str {
    let mut left = line.chars().filter(|c| !c.is_whitespace()).count();
    let mut rest = text.chars();
    while left > 0 {
        match rest.next() {
            Some(c) if c.is_whitespace() => {}
            Some(_) => left -= 1,
            None => break,
        }
    }
    rest.as_str()
}

#[cfg(test)]
mod tests;
