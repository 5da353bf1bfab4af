use unicode_width::UnicodeWidthChar;

/// Breaks text at spaces into lines of at most `width` cells, and cuts longer words.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_lines(text, [width; 2])
}

fn wrap_lines(text: &str, widths: [usize; 2]) -> Vec<String> {
    let [mut width, next_width] = widths.map(|width| width.max(1));
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in text.split_whitespace() {
        let length: usize = word.chars().map(|c| c.width().unwrap_or(0)).sum();
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            (used, width) = (0, next_width);
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let cells = c.width().unwrap_or(0);
            if used + cells > width {
                lines.push(std::mem::take(&mut line));
                (used, width) = (0, next_width);
            }
            line.push(c);
            used += cells;
        }
    }
    lines.push(line);
    lines
}

/// Like [`wrap`], keeping the line's indentation; further lines get two more spaces.
pub fn wrap_indented(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    // in little space, text is worth more than indentation
    let first = indent.min(width / 4);
    let next = (first + 2).min(width / 4);
    let lines = wrap_lines(line, [first, next].map(|indent| width - indent));
    let indents = std::iter::once(first).chain(std::iter::repeat(next));
    let lines = lines.into_iter().zip(indents);
    lines
        .map(|(line, indent)| " ".repeat(indent) + &line)
        .collect()
}

#[cfg(test)]
mod tests;
