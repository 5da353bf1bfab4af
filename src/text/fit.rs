use std::borrow::Cow;
use std::iter::successors;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub fn width(text: &str) -> usize {
    text.width()
}

/// Drops the middle of a very long text, which would be slow to measure on every draw.
fn without_middle(text: &str, cells: usize) -> Cow<'_, str> {
    let part = cells.saturating_mul(8).saturating_add(512);
    if text.len() / 2 <= part {
        return text.into();
    }
    let is_whole = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=part).rev().find(is_whole).unwrap_or(0);
    let tail = (text.len() - part..text.len()).find(is_whole);
    let tail = tail.unwrap_or(text.len());
    format!("{}…{}", &text[..head], &text[tail..]).into()
}

/// Where to cut a text: it becomes `text[..head]`, an ellipsis, `text[tail..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub head: usize,
    pub tail: usize,
}

/// Where to cut a name to fit into `cells`; `None` if it fits. Keeps the method, after the last dot, whole if
/// possible; otherwise the end gets two thirds of the space.
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
    let head = prefix(name, for_head);
    let tail = suffix(name, room - name[..head].width()).max(head);
    Some(Cut { head, tail })
}

/// The end of the longest prefix that fits.
fn prefix(text: &str, cells: usize) -> usize {
    let (mut end, mut used) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > cells {
            break;
        }
        end = at + grapheme.len();
    }
    end
}

/// The start of the longest suffix that fits.
fn suffix(text: &str, cells: usize) -> usize {
    let (mut start, mut used) = (text.len(), 0);
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > cells {
            break;
        }
        start = at;
    }
    start
}

/// Where the method starts in a name: after the last dot outside brackets, or at 0.
pub fn method_from(name: &str) -> usize {
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

/// Splits off a suffix in parentheses, as in `Orders (entered by Program.Main (async))`.
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

/// Introduces the method by which a group of methods was entered.
pub const ENTERED_BY: &str = "entered by ";

/// Shortens words, keeping parentheses balanced. A method's name keeps its end; other words lose theirs.
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

/// Shortens a name: first its arguments, to `(…)`, then the middle. Words in parentheses at the end lose their end.
pub fn fit_name(name: &str, cells: usize) -> String {
    const MIN_WORD_CELLS: usize = 8;
    let name: &str = &without_middle(name, cells);
    if name.width() <= cells {
        return name.to_string();
    }
    let all_words = successors(with_words(name), |(before, _)| with_words(before));
    let all_words: Vec<(&str, &str)> = all_words.collect();
    // the shortest first, so that nothing much too long is measured
    let fitting = all_words.iter().rev().map_while(|&(before, words)| {
        let room = cells.checked_sub(before.width())?;
        Some((before, words, room))
    });
    if let Some((before, words, room)) = fitting.last() {
        return match room.checked_sub(3) {
            Some(room) if room >= MIN_WORD_CELLS => {
                format!("{before} ({})", fit_words(words, room))
            }
            _ => before.to_string(),
        };
    }
    let name = all_words.last().map_or(name, |(before, _)| before);
    let open = name
        .find('(')
        .filter(|&at| at > 0 && !name[..at].ends_with(' '));
    let short = open.map(|at| format!("{}(…)", &name[..at]));
    let name = match &short {
        Some(short) if short.width() <= cells => return short.clone(),
        Some(short) => short.strip_suffix("(…)").unwrap_or(short),
        None => name,
    };
    match cut_name(name, cells) {
        _ if cells == 0 => String::new(),
        None => name.to_string(),
        Some(Cut { head, tail }) => format!("{}…{}", &name[..head], &name[tail..]),
    }
}

pub fn fit_end(text: &str, cells: usize) -> String {
    match cells {
        _ if text.width() <= cells => text.to_string(),
        0 => String::new(),
        _ => format!("{}…", &text[..prefix(text, cells - 1)]),
    }
}

pub fn fit_start(text: &str, cells: usize) -> String {
    match cells {
        _ if text.width() <= cells => text.to_string(),
        0 => String::new(),
        _ => format!("…{}", &text[suffix(text, cells - 1)..]),
    }
}

#[cfg(test)]
mod tests;
