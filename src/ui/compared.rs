//! The columns of a comparison: before, after, difference, factor, and a bar from a middle line.

use super::Theme;
use crate::analysis::compared::Sides;
use crate::app::SideColumns;
use crate::text::middle_bar;
use crate::units::Scale;
use ratatui::prelude::{Span, Style};

/// A column header, with an arrow if rows are sorted by it.
pub(super) struct ComparedHead {
    /// The arrow; empty if there is none.
    pub arrow: &'static str,
    /// Its style.
    pub style: Style,
}

/// The column headers: before, after, difference.
pub(super) fn header(
    columns: SideColumns,
    [before, after, delta]: [ComparedHead; 3],
    theme: Theme,
) -> Vec<Span<'static>> {
    let unit = columns.scale.unit();
    let right = |text: String, cells: u16| format!("{text:>width$}", width = usize::from(cells));
    let mut spans = Vec::new();
    if columns.before > 0 {
        let text = format!("{}before {unit}", before.arrow);
        spans.push(Span::styled(
            right(text.trim_end().into(), columns.before),
            before.style,
        ));
    }
    spans.push(Span::styled(
        right(format!("{}after", after.arrow), columns.after),
        after.style,
    ));
    spans.push(Span::styled(
        right(format!("{}delta", delta.arrow), columns.delta),
        delta.style,
    ));
    if columns.ratio > 0 {
        spans.push(Span::styled(
            right("ratio".into(), columns.ratio),
            theme.dim(),
        ));
    }
    if columns.bar > 0 {
        let cells = usize::from(columns.bar);
        let [left, right] = if cells < "faster".len() {
            ["-", "+"]
        } else {
            ["faster", "slower"]
        };
        spans.push(Span::styled(
            format!(" {left:>cells$}│{right:<cells$}"),
            theme.dim(),
        ));
    }
    spans
}

/// The values of a row. `largest` is the difference that fills a bar.
pub(super) fn cells(
    columns: SideColumns,
    sides: Sides,
    largest: u128,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (scale, delta) = (columns.scale, sides.delta());
    let right = |text: String, cells: u16| format!("{text:>width$}", width = usize::from(cells));
    let signed = scale.signed(delta);
    // what is shown as 0 has no direction
    let is_nothing = signed.starts_with('0') || signed.is_empty();
    let change = theme.change(if is_nothing { 0 } else { delta });
    let mut spans = Vec::new();
    if columns.before > 0 {
        spans.push(Span::raw(right(scale.number(sides.before), columns.before)));
    }
    spans.push(Span::raw(right(scale.number(sides.after), columns.after)));
    spans.push(Span::styled(right(signed, columns.delta), change));
    if columns.ratio > 0 {
        spans.push(Span::raw(right(sides.ratio_words(scale), columns.ratio)));
    }
    if columns.bar > 0 {
        // less than a quarter of a cell is not drawn
        let is_seen = delta.unsigned_abs() * 4 * u128::from(columns.bar) >= largest;
        let [left, right] = middle_bar(
            if is_seen { delta } else { 0 },
            largest,
            usize::from(columns.bar),
        );
        spans.extend([
            Span::styled(format!(" {left}"), change),
            Span::styled("│", theme.dim()),
            Span::styled(right, change),
        ]);
    }
    spans
}

/// Values on both sides: `5.209 → 11.406 s, ×2.19`.
pub(super) fn sides_text(scale: Scale, sides: Sides) -> String {
    let values = values_text(scale, sides);
    match sides.ratio_words(scale) {
        ratio if ratio.is_empty() => values,
        ratio => format!("{values}, {ratio}"),
    }
}

/// The same without the ratio.
pub(super) fn values_text(scale: Scale, sides: Sides) -> String {
    let Sides { before, after } = sides;
    format!("{} → {}", scale.number(before), scale.with_unit(after))
}

/// The change of a total: `+6.197 s, ×2.19`.
pub(super) fn change_text(columns: SideColumns, sides: Sides) -> String {
    let unit = columns.scale.unit();
    let delta = format!("{} {unit}", columns.scale.signed(sides.delta()));
    [
        delta.trim_end().to_string(),
        sides.ratio_words(columns.scale),
    ]
    .into_iter()
    .filter(|text| !text.is_empty())
    .collect::<Vec<_>>()
    .join(", ")
}

#[cfg(test)]
mod tests;
