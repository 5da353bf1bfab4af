use super::Theme;
use crate::app::{Sort, SortColumn};
use crate::model::{Measure, View};
use crate::text::{Cut, cut_name, width};
use ratatui::prelude::{Span, Style};

/// The heading of inclusive values, which are `busy` if waiting is excluded from them.
pub(super) fn inclusive_head(measure: Measure, view: &View) -> &'static str {
    match measure.left_out(view) {
        Some(_) => "busy",
        None => "incl",
    }
}

/// Fitted as by [`cut_name`]; the characters at `matched` (ascending indices) have another style.
pub fn fit_matched(
    text: &str,
    matched: &[usize],
    cells: usize,
    plain: Style,
    highlight: Style,
) -> Vec<Span<'static>> {
    let cut = cut_name(text, cells);
    let mut spans: Vec<(String, Style)> = Vec::new();
    let mut push = |c: char, style: Style| match spans.last_mut() {
        Some((run, last)) if *last == style => run.push(c),
        _ => spans.push((c.to_string(), style)),
    };
    for (index, (at, c)) in text.char_indices().enumerate() {
        match cut {
            Some(Cut { head, tail }) if (head..tail).contains(&at) => {
                if at == head {
                    push('…', plain);
                }
            }
            _ if matched.binary_search(&index).is_ok() => push(c, highlight),
            _ => push(c, plain),
        }
    }
    let spans = spans.into_iter();
    spans.map(|(run, style)| Span::styled(run, style)).collect()
}

pub(super) fn cursor_mark(is_selected: bool) -> Span<'static> {
    Span::raw(if is_selected { "▶" } else { " " })
}

pub(super) fn right(text: impl std::fmt::Display, cells: usize, style: Style) -> Span<'static> {
    Span::styled(format!("{text:>cells$}"), style)
}

#[derive(Clone, Copy, Default)]
pub(super) struct SortHeader {
    pub is_ordered: bool,
    pub is_reversed: bool,
}

impl SortHeader {
    pub(super) fn of(sort: Sort, column: SortColumn) -> SortHeader {
        SortHeader {
            is_ordered: sort.column == column,
            is_reversed: sort.reversed,
        }
    }

    pub(super) fn by(is_ordered: bool) -> SortHeader {
        SortHeader {
            is_ordered,
            is_reversed: false,
        }
    }

    fn arrow(self) -> &'static str {
        match (self.is_ordered, self.is_reversed) {
            (false, _) => "",
            (true, false) => "▾",
            (true, true) => "▴",
        }
    }

    fn style(self, theme: Theme) -> Style {
        match self.is_ordered {
            true => theme.accent(),
            false => theme.dim(),
        }
    }

    pub(super) fn number(self, text: &str, cells: usize, theme: Theme) -> Span<'static> {
        let text = format!("{}{text}", self.arrow());
        // counts have no unit
        right(text.trim_end(), cells, self.style(theme))
    }

    pub(super) fn name(self, indent: &str, what: &str, theme: Theme) -> Span<'static> {
        Span::styled(format!("{indent}{}{what}", self.arrow()), self.style(theme))
    }
}

pub(super) fn fitting(
    texts: impl IntoIterator<Item = impl AsRef<str> + Into<String>>,
    room: usize,
) -> Option<String> {
    let mut texts = texts.into_iter();
    texts
        .find(|text| width(text.as_ref()) <= room)
        .map(Into::into)
}

pub(super) fn dim_all_but_first(spans: &mut [Span], theme: Theme) {
    for span in spans.iter_mut().skip(1) {
        span.style = theme.dim();
    }
}

/// Marked if it is only an estimate.
pub(super) fn number(text: &str, cells: usize, is_rough: bool, theme: Theme) -> [Span<'static>; 2] {
    let mark = if is_rough { "~" } else { "" };
    let mark_cells = cells.saturating_sub(text.chars().count());
    [
        right(mark, mark_cells, theme.dim()),
        dim_if_zero(text.to_string(), Style::new(), theme),
    ]
}

pub(super) fn dim_if_zero(text: String, style: Style, theme: Theme) -> Span<'static> {
    let is_zero = !text.contains(|c: char| c.is_alphabetic() || ('1'..='9').contains(&c));
    Span::styled(text, if is_zero { theme.dim() } else { style })
}

/// A percentage; `None` if there is only waiting.
pub(super) fn share(percent: Option<f64>, cells: usize, theme: Theme) -> Span<'static> {
    match percent {
        Some(percent) => dim_if_zero(format!("{percent:>cells$.1}"), theme.strong(), theme),
        None => right("waits", cells, theme.dim()),
    }
}

/// Half of what names leave, at most as many as it takes to distinguish 28 from 24%.
pub(super) fn bar_cells(room: usize, names: usize) -> usize {
    (room.saturating_sub(names) / 2).clamp(4, 30)
}

/// 0 to 7 eighths of a cell, from the left.
pub(super) const EIGHTHS: [&str; 8] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

pub fn bar(share: f64, cells: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * cells as f64 * 8.0).round() as usize;
    let text = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
    format!("{:<cells$}", text.trim_end())
}

#[cfg(test)]
mod tests;
