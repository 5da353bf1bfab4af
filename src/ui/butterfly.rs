//! Trees of callers: of a method, with its callees, which are drawn as trees are, and the threads that it is in.

use super::canvas::{frame_pane, put_list, put_text};
use super::text::bar;
use super::{Theme, tree};
use crate::analysis::CallerTreeSums;
use crate::app::layout::{Mode, Pane};
use crate::app::{ButterflyPage, ButterflySubject, Explorer};
use crate::text::{fit_end, visible};
use crate::ui::messages;
use crate::units::{percent, thousands};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// The cells of the bars of threads.
const BAR_CELLS: usize = 6;

/// Draws the panes of a tree of callers.
pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, page: &ButterflyPage, theme: Theme) {
    tree::draw(buffer, &page.callers, theme);
    if let Some(callees) = &page.callees {
        tree::draw(buffer, callees, theme);
        draw_threads(buffer, explorer, page, theme);
    }
}

/// What the method has in the shown metric, of how much: `CPU 1,618.9 of 5,208.6 ms (31.1 %)`, `of it own 1,617.2`.
pub(super) fn sums_text(explorer: &Explorer, page: &ButterflyPage) -> String {
    let (scale, measure) = (explorer.scale(), explorer.measure());
    let sums = page.parts.sums[explorer.metric.index()];
    let (ButterflySubject::Method { within, .. } | ButterflySubject::Inverted { within }) =
        page.parts.subject;
    let whole = measure.inclusive(&explorer.view, within);
    let name = visible(&explorer.view.recording.metric(explorer.metric).name).into_owned();
    let share = percent(weight(explorer, sums), whole);
    let [total, own, whole] = [
        scale.with_unit(sums.inclusive),
        scale.with_unit(sums.exclusive),
        scale.with_unit(whole),
    ];
    match page.callees {
        Some(_) => messages::value_and_own(&name, &total, &share, &whole, &own),
        None => format!("{name} {whole}"),
    }
}

/// What counts of the inclusive value.
fn weight(explorer: &Explorer, sums: CallerTreeSums) -> u64 {
    sums.weight(explorer.measure().counts_waiting)
}

fn draw_threads(buffer: &mut Buffer, explorer: &Explorer, page: &ButterflyPage, theme: Theme) {
    let layout = &explorer.layout;
    if !layout.is_shown(Pane::Inclusive) {
        return;
    }
    let rows = &page.parts.threads[explorer.metric.index()];
    let is_focused = explorer.pane == Pane::Inclusive;
    if layout.mode == Mode::Wide {
        let (count, border) = (thousands(rows.len() as u64), theme.border(is_focused));
        let area = layout.pane(Pane::Inclusive);
        frame_pane(buffer, area, "3 Threads".into(), count, border, theme);
    }
    let (scale, area) = (explorer.scale(), layout.rows(Pane::Inclusive));
    let incl = format!("incl {}", scale.unit());
    let value_cells = explorer.value_cells().max(incl.chars().count()) + 1;
    let head = format!(
        " {incl:>value_cells$} {:>5}  {:<BAR_CELLS$} thread",
        "%", ""
    );
    put_text(buffer, layout.header(Pane::Inclusive), 0, head, theme.dim());
    let whole = weight(explorer, page.parts.sums[explorer.metric.index()]);
    let weights = rows.iter().map(|(_, sums)| weight(explorer, *sums));
    let most = weights.max().unwrap_or(0);
    let name_cells = usize::from(area.width).saturating_sub(value_cells + 9 + BAR_CELLS + 1);
    if rows.is_empty() {
        put_text(
            buffer,
            area,
            0,
            messages::THREADS_NOT_TOLD_APART,
            theme.dim(),
        );
    }
    let cursor = (page.cursor, is_focused);
    let spans = |(thread, sums): &(String, CallerTreeSums), is_selected: bool| {
        let weight = weight(explorer, *sums);
        let (share, of_most) = (percent(weight, whole), percent(weight, most));
        let name = fit_end(&visible(thread), name_cells);
        vec![
            Span::raw(if is_selected { "▶" } else { " " }),
            Span::raw(format!("{:>value_cells$}", scale.number(sums.inclusive))),
            Span::raw(format!(" {share:>5.1}  ")),
            Span::styled(bar(of_most / 100.0, BAR_CELLS), theme.heat(share / 100.0)),
            Span::raw(format!(" {name}")),
        ]
    };
    put_list((buffer, area, theme), rows.iter(), cursor, spans);
}
