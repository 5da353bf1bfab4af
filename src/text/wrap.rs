use unicode_width::UnicodeWidthChar;

/// Breaks text at spaces into lines of at most `width` cells. Words that are longer are cut.
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

/// Wraps a line like [`wrap`]. All lines keep its indentation, and further lines get two more spaces.
pub fn wrap_indented(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    // in little space, text is worth more than indentation
    let first = indent.min(width / 4);
    let next = (first + 2).min(width / 4);
    let mut lines = wrap(line, width - first);
    if lines.len() > 1 {
        // lines after the first have less space
        let head = lines.swap_remove(0);
        let rest = line.trim_start_matches(' ');
        lines = wrap(rest_after(rest, &head), width - next);
        lines.insert(0, head);
    }
    let indents = std::iter::once(first).chain(std::iter::repeat(next));
    let lines = lines.into_iter().zip(indents);
    lines
        .map(|(line, indent)| " ".repeat(indent) + &line)
        .collect()
}

/// The rest of a text after its first line, which may have fewer spaces.
fn rest_after<'a>(text: &'a str, line: &str) -> &'a str {
    let mut remaining = line.chars().filter(|c| !c.is_whitespace()).count();
    let mut rest = text.chars();
    while remaining > 0 {
        match rest.next() {
            Some(c) if c.is_whitespace() => {}
            Some(_) => remaining -= 1,
            None => break,
        }
    }
    rest.as_str()
}

#[cfg(test)]
mod tests;
