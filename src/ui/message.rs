//! Screens without a tree: loading, and failures to open.

use super::Theme;
use super::page::scroll_position;
use super::pen::Pen;
use super::text::bar;
use crate::app::{Action, App, Area, Command, Context, FailureScreen, Loading, hints_of};
use crate::text::{fit_end, fit_name, visible, width};
use crate::units::{elapsed, percent, size, thousands};
use ratatui::prelude::Span;

const MAX_BAR_CELLS: usize = 40;
const INDICATOR_CELLS: usize = 24;
const INDICATOR_STEP_MS: u64 = 200;

pub(super) fn draw_loading(pen: &mut Pen, app: &App, loading: &Loading) {
    let (area, theme) = (pen.screen(), pen.theme);
    pen.clear(area);
    let room = usize::from(area.width).saturating_sub(2);
    let name = fit_name(&visible(&app.name), room.saturating_sub(10));
    let name = Span::styled(name, theme.strong());
    pen.put(area, 1, vec![Span::raw(" Opening "), name]);
    let mut row = 3;
    if let Some(step) = &loading.step {
        pen.put(area, row, format!(" {}", fit_end(&visible(step), room)));
        row += 1;
    }
    let facts = loading_facts(loading);
    let cells = room.saturating_sub(width(&facts) + 3);
    let mut spans = vec![Span::raw(" ")];
    if loading.total_bytes > 0 && cells >= 8 {
        let share = loading.bytes as f64 / loading.total_bytes as f64;
        let bar = bar(share, cells.min(MAX_BAR_CELLS));
        spans.extend([Span::styled(bar, theme.accent()), Span::raw("  ")]);
    } else if loading.total_bytes == 0 && cells >= INDICATOR_CELLS {
        spans.extend(activity(loading.elapsed_ms, theme));
    }
    spans.push(Span::raw(facts));
    pen.put(area, row, spans);
    let keys = area.below((area.height - 1).min(row + 2));
    draw_keys(pen, keys, app, Context::Loading, true);
}

fn loading_facts(loading: &Loading) -> String {
    let (done, total) = (loading.bytes, loading.total_bytes);
    let mut facts = Vec::new();
    if total > 0 {
        let done = done.min(total);
        let (share, done) = (percent(done, total), size(done));
        facts.push(format!("{share:>3.0} %  {done} of {}", size(total)));
    } else if done > 0 {
        facts.push(size(done));
    }
    if loading.nodes > 0 || loading.step.is_none() {
        facts.push(format!("{} nodes", thousands(loading.nodes)));
    }
    facts.push(match loading.step {
        // while another program works, tenths would only flicker
        Some(_) => elapsed(loading.elapsed_ms),
        None => format!("{:.1} s", loading.elapsed_ms as f64 / 1000.0),
    });
    facts.join("  ")
}

fn activity(elapsed_ms: u64, theme: Theme) -> [Span<'static>; 3] {
    let room = INDICATOR_CELLS - 4;
    let step = (elapsed_ms / INDICATOR_STEP_MS) as usize % (2 * room);
    let left = step.min(2 * room - step);
    let light = |cells| "─".repeat(cells);
    [
        Span::styled(light(left), theme.dim()),
        Span::styled("━━━━", theme.accent()),
        Span::styled(light(room - left) + "  ", theme.dim()),
    ]
}

pub(super) fn draw_failure(pen: &mut Pen, app: &App, screen: &FailureScreen) {
    let (area, theme) = (pen.screen(), pen.theme);
    pen.clear(area);
    let room = usize::from(area.width).saturating_sub(2);
    let stage = screen.failure.stage;
    let stage = stage.map_or(String::new(), |stage| format!("stage: {stage}"));
    let name = fit_name(&visible(&app.name), room.saturating_sub(width(&stage) + 20));
    let name = Span::styled(format!(" {name}"), theme.strong());
    let what = Span::styled(" can't be opened", theme.error());
    pen.put(area, 1, vec![name, what]);
    pen.put_right(area, 1, Span::styled(format!("{stage} "), theme.dim()));
    let lines = screen.lines(usize::from(area.width));
    let height = FailureScreen::height(area.height);
    let top = screen.top.min(lines.len().saturating_sub(height));
    for (row, line) in (FailureScreen::HEAD..).zip(lines.iter().skip(top).take(height)) {
        pen.put(area, row, format!(" {line}"));
    }
    let last = area.height - 1;
    let mut keys = area.below(last);
    let scrolls = lines.len() > height;
    if scrolls {
        let position = scroll_position(top, height, lines.len()) + " ";
        keys.width = keys.width.saturating_sub(width(&position) as u16);
        pen.put_right(area, last, Span::styled(position, theme.dim()));
    }
    draw_keys(pen, keys, app, Context::Failed, scrolls);
}

fn draw_keys(pen: &mut Pen, area: Area, app: &App, context: Context, scrolls: bool) {
    let is_useful = |command: &Command| scrolls || !matches!(command.action, Action::Rows(_));
    let hints = hints_of(&app.keymap, context, area.width, is_useful);
    pen.put_hints(area, hints);
}
