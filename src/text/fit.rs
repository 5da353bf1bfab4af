//! Text cut to fit into cells.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The cells that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Where a text is cut to fit: it is `text[..head]`, an ellipsis, `text[tail..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The number of bytes to keep at the start.
    pub head: usize,
    /// The byte where the kept end starts.
    pub tail: usize,
}

/// Where to cut a name so that it fits into `cells`; `None` if it fits as it is. What is after its last dot, which is the
/// method, stays whole if it can; else two thirds of the room go to the end. Characters of several cells or code points
/// are never torn.
pub fn cut_name(name: &str, cells: usize) -> Option<Cut> {
    if name.width() <= cells {
        return None;
    }
    let room = cells.saturating_sub(1);
    let method = method_from(name);
    let for_head = match name[method..].width() {
        whole if method > 0 && whole <= room => room - whole,
        _ => room / 3,
    };
    let (mut head, mut used) = (0, 0);
    for (at, grapheme) in name.grapheme_indices(true) {
        used += grapheme.width();
        if used > for_head {
            break;
        }
        head = at + grapheme.len();
    }
    let for_tail = room - name[..head].width();
    let mut tail = name.len();
    used = 0;
    for (at, grapheme) in name.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > for_tail || at < head {
            break;
        }
        tail = at;
    }
    Some(Cut { head, tail })
}

/// Where the method begins in a name: after the last dot that is in no brackets, or 0. Brackets of names that the compiler
/// makes up, such as `<Main>b__2`, are no type arguments, but hold no dots either.
fn method_from(name: &str) -> usize {
    let (mut depth, mut found) = (0i32, 0);
    for (at, c) in name.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            '.' if depth <= 0 => found = at + 1,
            _ => {}
        }
    }
    found
}

/// What stands before words in parentheses at the end of a name, as in `Orders (entered by Program.Main (async))`, and these words.
fn with_words(name: &str) -> Option<(&str, &str)> {
    let inner = name.strip_suffix(')')?;
    let mut depth = 1;
    let start = inner.char_indices().rev().find(|&(_, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        depth == 0
    });
    let (start, _) = start?;
    let (before, words) = (inner[..start].strip_suffix(' ')?, &inner[start + 1..]);
    words.contains(' ').then_some((before, words))
}

/// What says, in parentheses behind the name of a group of methods, by which of them it was entered.
pub const ENTERED_BY: &str = "entered by ";

/// Words that take at most `cells`, without a parenthesis that has no other: the name of a method with its end, others cut there.
fn fit_words(words: &str, cells: usize) -> String {
    if let (true, Some(method)) = (words.width() > cells, words.strip_prefix(ENTERED_BY)) {
        let short = format!("by {}", fit_name(method, cells.saturating_sub(3)));
        if short.matches('(').count() == short.matches(')').count() {
            return short;
        }
    }
    let fitted = fit_end(words, cells);
    match fitted.rfind('(') {
        Some(open) if !fitted[open..].contains(')') => format!("{}…", fitted[..open].trim_end()),
        _ => fitted,
    }
}

/// A name that takes at most `cells`. Arguments go first, as `(…)`, then the middle; of words in parentheses at the end, their end.
pub fn fit_name(name: &str, cells: usize) -> String {
    /// The fewest cells of words at the end.
    const LEAST_WORDS: usize = 8;
    if name.width() <= cells {
        return name.to_string();
    }
    if let Some((before, words)) = with_words(name) {
        return match cells.checked_sub(before.width() + 3) {
            Some(room) if room >= LEAST_WORDS => format!("{before} ({})", fit_words(words, room)),
            _ => fit_name(before, cells),
        };
    }
    let short = name
        .find('(')
        .filter(|&at| at > 0 && !name[..at].ends_with(' '))
        .map(|at| format!("{}(…)", &name[..at]));
    let name = match &short {
        Some(short) if short.width() <= cells => return short.clone(),
        // without room for its name, nothing is said about arguments
        Some(short) => short.strip_suffix("(…)").unwrap_or(short),
        None => name,
    };
    match cut_name(name, cells) {
        _ if cells == 0 => String::new(),
        None => name.to_string(),
        Some(Cut { head, tail }) => format!("{}…{}", &name[..head], &name[tail..]),
    }
}

/// A text that takes at most `cells`, cut at its end.
pub fn fit_end(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_string();
    }
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        if kept.width() + grapheme.width() + 1 > cells {
            break;
        }
        kept.push_str(grapheme);
    }
    if cells > 0 {
        kept.push('…');
    }
    kept
}

/// A text that takes at most `cells`, cut at its start.
pub fn fit_start(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_string();
    }
    let mut from = text.len();
    let mut used = 1;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > cells {
            break;
        }
        from = at;
    }
    if cells == 0 {
        String::new()
    } else {
        format!("…{}", &text[from..])
    }
}

#[cfg(test)]
mod tests;
