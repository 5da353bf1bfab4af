use super::Theme;
use super::text::{SortHeader, right};
use crate::analysis::compared::Sides;
use crate::app::SideColumns;
use crate::model::Chance;
use crate::text::middle_bar;
use crate::units::Scale;
use ratatui::prelude::{Span, Style};

pub(super) fn header(
    columns: SideColumns,
    [before, after, delta]: [SortHeader; 3],
    theme: Theme,
) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    if columns.before > 0 {
        let text = format!("before {}", columns.scale.unit());
        spans.push(before.number(&text, columns.before.into(), theme));
    }
    spans.push(after.number("after", columns.after.into(), theme));
    spans.push(delta.number("delta", columns.delta.into(), theme));
    if columns.ratio > 0 {
        spans.push(right("ratio", columns.ratio.into(), theme.dim()));
    }
    if columns.bar > 0 {
        let cells = usize::from(columns.bar);
        let [left, right] = match cells < "faster".len() {
            true => ["-", "+"],
            false => ["faster", "slower"],
        };
        let sides = format!(" {left:>cells$}│{right:<cells$}");
        spans.push(Span::styled(sides, theme.dim()));
    }
    spans
}

/// A method of a list: both sides, the mark of significance, and the name. All is dim if the difference may be chance.
pub(super) fn method_row(
    columns: SideColumns,
    (sides, largest): (Option<Sides>, u128),
    verdict: Option<Chance>,
    name: impl IntoIterator<Item = Span<'static>>,
    theme: Theme,
) -> Vec<Span<'static>> {
    let mut spans = match sides {
        Some(sides) => cells(columns, sides, largest, theme),
        None => vec![Span::raw(" ".repeat(columns.cells().into()))],
    };
    let mark = format!(" {:1} ", verdict.map_or("", Chance::mark));
    spans.push(Span::styled(mark, theme.accent()));
    spans.extend(name);
    if verdict == Some(Chance::Within) {
        spans.iter_mut().for_each(|span| span.style = theme.dim());
    }
    spans
}

/// `largest` is the difference that fills a bar.
pub(super) fn cells(
    columns: SideColumns,
    sides: Sides,
    largest: u128,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (scale, delta) = (columns.scale, sides.delta());
    let plain = |text, cells: u16| right(text, cells.into(), Style::new());
    let signed = scale.signed(delta);
    let is_zero = signed.starts_with('0') || signed.is_empty();
    let change = theme.change(if is_zero { 0 } else { delta });
    let mut spans = Vec::new();
    if columns.before > 0 {
        spans.push(plain(scale.number(sides.before), columns.before));
    }
    spans.push(plain(scale.number(sides.after), columns.after));
    spans.push(right(signed, columns.delta.into(), change));
    if columns.ratio > 0 {
        spans.push(plain(sides.ratio_words(scale), columns.ratio));
    }
    if columns.bar > 0 {
        // less than a quarter of a cell is not drawn
        let is_visible = delta.unsigned_abs() * 4 * u128::from(columns.bar) >= largest;
        let drawn = if is_visible { delta } else { 0 };
        let [left, right] = middle_bar(drawn, largest, columns.bar.into());
        spans.extend([
            Span::styled(format!(" {left}"), change),
            Span::styled("│", theme.dim()),
            Span::styled(right, change),
        ]);
    }
    spans
}

/// `5.209 → 11.406 s, ×2.19`.
pub(super) fn sides_text(scale: Scale, sides: Sides) -> String {
    let values = values_text(scale, sides);
    match sides.ratio_words(scale) {
        ratio if ratio.is_empty() => values,
        ratio => format!("{values}, {ratio}"),
    }
}

pub(super) fn values_text(scale: Scale, sides: Sides) -> String {
    let Sides { before, after } = sides;
    format!("{} → {}", scale.number(before), scale.with_unit(after))
}

/// `+6.197 s, ×2.19`.
pub(super) fn change_text(columns: SideColumns, sides: Sides) -> String {
    let unit = columns.scale.unit();
    let delta = format!("{} {unit}", columns.scale.signed(sides.delta()));
    let parts = [delta.trim_end(), &sides.ratio_words(columns.scale)];
    let parts = parts.into_iter().filter(|text| !text.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
