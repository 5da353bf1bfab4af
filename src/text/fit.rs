use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub fn width(text: &str) -> usize {
    text.width()
}

/// A very long text without the middle, which isn't measured whenever it is drawn. Characters of few cells and many
/// bytes have room.
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

/// Where a text is cut to fit: it is `text[..head]`, an ellipsis, `text[tail..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub head: usize,
    pub tail: usize,
}

/// Where to cut a name so that it fits into `cells`; `None` if it already fits. The method, after the last dot, stays
/// whole if possible; otherwise, the end gets two thirds of the space.
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

/// The end of the longest start of a text that fits.
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

/// The start of the longest end of a text that fits.
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

/// Shortens a name to at most `cells`. Drops arguments first, as `(…)`, then the middle.
pub fn fit_name(name: &str, cells: usize) -> String {
    let name: &str = &without_middle(name, cells);
    if name.width() <= cells {
        return name.to_string();
    }
    let open = name
        .find('(')
        .filter(|&at| at > 0 && !name[..at].ends_with(' '));
    let short = open.map(|at| format!("{}(…)", &name[..at]));
    let name = match &short {
        Some(short) if short.width() <= cells => return short.clone(),
        // if its name does not fit, don't mention arguments
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
