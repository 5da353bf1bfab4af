//! A method's values in each thread, or through user code.

use super::PanelView;
use crate::analysis::CallerTreeSums;
use crate::analysis::compared::{AFTER, BEFORE, Sides, compared_metric};
use crate::app::{ButterflyParts, Explorer, Lens, SumsKind, SumsPanel, SumsRow};
use crate::text::{fit_end, fit_name, visible};
use crate::ui::pen::Pen;
use crate::ui::text::{self, bar, cursor_mark, right};
use crate::ui::{compared, messages};
use crate::units::percent;
use ratatui::prelude::{Span, Style};
use std::collections::HashMap;

const BAR_CELLS: usize = 6;

/// `CPU 1,618.9 ms (31.1 % of 5,208.6 ms), 1,617.2 ms its own`.
pub(in crate::ui) fn sums_text(explorer: &Explorer, parts: &ButterflyParts) -> String {
    let (lens, measure) = (explorer.lens(), explorer.measure());
    let name = lens.metric_name(lens.metric);
    if let Some(columns) = lens.side_columns(u16::MAX) {
        let [before, after] = [BEFORE, AFTER].map(|metric| parts.sums[metric.index()].inclusive);
        let name = compared_metric(&lens.view.recording);
        let values = compared::sides_text(columns.scale, Sides { before, after });
        return format!("{} {values}", visible(&name));
    }
    let scale = lens.scale();
    let sums = parts.sums[lens.metric.index()];
    let whole = measure.inclusive(&lens.view, parts.subject.within);
    let inclusive = weight(explorer, sums);
    let share = percent(inclusive, whole);
    let exclusive = sums.own_weight(measure.counts_waiting);
    let values = [inclusive, exclusive, whole];
    let [inclusive, exclusive, whole] = values.map(|value| scale.with_unit(value));
    match parts.callees {
        Some(_) => messages::value_and_own(&name, &inclusive, &share, &whole, &exclusive),
        None => format!("{name} {whole}"),
    }
}

/// The inclusive value, without waiting if that does not count.
fn weight(explorer: &Explorer, sums: CallerTreeSums) -> u64 {
    sums.weight(explorer.measure().counts_waiting)
}

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &SumsPanel) {
    let (explorer, area, theme) = (view.explorer, view.rows, pen.theme);
    let lens = explorer.lens();
    let rows = panel.rows(lens);
    if rows.is_empty() {
        let empty = match panel.kind {
            SumsKind::Threads if lens.is_comparison() => messages::COMPARISON_WITHOUT_THREADS,
            SumsKind::Threads => messages::NO_THREAD_INFORMATION,
            SumsKind::UserCode => messages::NO_USER_CODE_ABOVE,
        };
        return pen.put_dim(area, 0, empty);
    }
    if lens.is_comparison() {
        return draw_compared(pen, view, panel);
    }
    let scale = lens.scale();
    let inclusive = text::inclusive_head(lens.measure_of(&lens.view), &lens.view);
    let value = format!("{inclusive} {}", scale.unit);
    let value_cells = lens.value_cells().max(value.chars().count()) + 1;
    let kind = match panel.kind {
        SumsKind::Threads => "thread",
        SumsKind::UserCode => "method",
    };
    let fill = " ".repeat(BAR_CELLS);
    let head = format!(" {value:>value_cells$}     %  {fill} {kind}");
    pen.put_dim(view.header, 0, head);
    let total = weight(explorer, panel.parts.sums[lens.metric.index()]);
    let weights = rows.iter().map(|(_, sums)| weight(explorer, *sums));
    let largest = weights.max().unwrap_or(0);
    let name_cells = usize::from(area.width).saturating_sub(value_cells + 9 + BAR_CELLS + 1);
    let cursor = (panel.cursor, view.is_focused);
    let spans = |(row, sums): &(SumsRow, CallerTreeSums), is_selected: bool| {
        let weight = weight(explorer, *sums);
        let (share, length) = (percent(weight, total), percent(weight, largest));
        let name = name(panel, lens, row, name_cells);
        vec![
            cursor_mark(is_selected),
            right(scale.number(weight), value_cells, Style::new()),
            text::share(Some(share), 6, theme),
            Span::raw("  "),
            Span::styled(bar(length / 100.0, BAR_CELLS), theme.heat(share / 100.0)),
            Span::raw(format!(" {name}")),
        ]
    };
    pen.put_list(area, rows.iter(), cursor, spans);
}

fn name(panel: &SumsPanel, lens: &Lens, row: &SumsRow, cells: usize) -> String {
    let name = panel.name(lens, row);
    match row {
        SumsRow::UserCaller(_) => fit_name(&visible(&name), cells),
        SumsRow::Thread(_) | SumsRow::NoUserCaller => fit_end(&visible(&name), cells),
    }
}

fn draw_compared(pen: &mut Pen, view: &PanelView, panel: &SumsPanel) {
    let (lens, theme) = (view.explorer.lens(), pen.theme);
    // in the unit of the callers
    let callers = lens.on(&panel.parts.callers);
    let Some(columns) = callers.side_columns(view.rows.width.saturating_sub(1)) else {
        return;
    };
    let before = panel.parts.user_callers[BEFORE.index()].iter();
    let before: HashMap<&SumsRow, u64> = before.map(|(row, sums)| (row, sums.inclusive)).collect();
    let sides = |(row, sums): &(SumsRow, CallerTreeSums)| Sides {
        before: before.get(row).copied().unwrap_or(0),
        after: sums.inclusive,
    };
    let rows = panel.rows(lens);
    let largest = rows.iter().map(|row| sides(row).delta().unsigned_abs());
    let largest = largest.max().unwrap_or(0);
    let mut head = vec![Span::raw(" ")];
    head.extend(compared::header(columns, Default::default(), theme));
    head.push(Span::styled(" method", theme.dim()));
    pen.put(view.header, 0, head);
    let room = usize::from(view.rows.width.saturating_sub(columns.cells() + 2));
    let spans = |row: &(SumsRow, CallerTreeSums), is_selected: bool| {
        let mut spans = vec![cursor_mark(is_selected)];
        spans.extend(compared::cells(columns, sides(row), largest, theme));
        spans.push(Span::raw(format!(" {}", name(panel, lens, &row.0, room))));
        spans
    };
    let cursor = (panel.cursor, view.is_focused);
    pen.put_list(view.rows, rows.iter(), cursor, spans);
}
