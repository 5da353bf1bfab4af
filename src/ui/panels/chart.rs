//! A line of cells for each row of frames, below the cells of the timeline strip.

use super::flame::{DrawnBar, draw_row, footer_line};
use crate::app::{ChartPanel, FrameBar};
use crate::text::{fit_end, visible, width};
use crate::ui::pen::Pen;
use crate::ui::{Theme, messages};
use ratatui::buffer::Cell;
use ratatui::prelude::{Color, Modifier, Span};

/// A cell that is idle for more than half of its time.
const IDLE: &str = "▁";

/// The eighths of a cell that a name needs.
const NAMED: usize = 3 * 8;

pub(super) fn draw(pen: &mut Pen, panel: &ChartPanel) {
    let (theme, frames) = (pen.theme, &panel.frames);
    let chart = frames.chart_area();
    if panel.chart.is_none() {
        return pen.put_dim(chart, 0, messages::CHART_NOT_READY);
    }
    if frames.bars.is_empty() {
        pen.put_dim(chart, 0, messages::NOTHING_MEASURED_HERE);
    }
    for (line, row) in frames.bars.iter().enumerate() {
        let drawn = |&bar: &FrameBar| {
            let text = match bar.to - bar.from {
                // saves thousands of names that have no room
                ..NAMED => String::new(),
                _ => visible(panel.node_name(bar.node)).into_owned(),
            };
            let is_selected = panel.is_marked(line, &bar);
            let highlights = frames.highlights.as_ref();
            DrawnBar::new(&panel.lens, highlights, (bar, text), is_selected, theme)
        };
        let bars: Vec<DrawnBar> = row.iter().map(drawn).collect();
        draw_row(pen, chart, line as u16, &bars);
        let selected = bars.iter().find(|bar| bar.is_selected);
        for &cell in &panel.idle {
            let (x, y) = (chart.x + cell as u16, chart.y + line as u16);
            let is_letter = |x| pen.buffer.cell((x, y)).is_some_and(is_letter);
            let is_in_name = is_letter(x.saturating_sub(1)) && is_letter(x + 1);
            let is_kept = is_in_name || selected.is_some_and(|bar| bar.covers(cell));
            if let Some(cell) = pen.buffer.cell_mut((x, y)).filter(|_| !is_kept) {
                draw_idle(cell);
            }
        }
    }
    let footer = footer_spans(panel, theme);
    pen.put(frames.footer(), 0, footer);
}

fn footer_spans(panel: &ChartPanel, theme: Theme) -> Vec<Span<'static>> {
    let footer = panel.frames.footer();
    let nodes = panel.frames.bars.iter().flatten().map(|bar| bar.node);
    let highlights = panel.frames.highlights.as_ref();
    let highlights = highlights.map(|highlights| (highlights, panel.total_ns()));
    let mut spans = footer_line(&panel.lens, highlights, nodes, footer, theme);
    if !panel.idle.is_empty() {
        let text = format!("{IDLE} {} ", messages::CHART_IDLE);
        spans.push(Span::styled(text, theme.dim()));
    }
    if panel.is_summed {
        let used: usize = spans.iter().map(Span::width).sum();
        let room = usize::from(footer.width).saturating_sub(used + 1);
        let note = fit_end(messages::CHART_SUMMED, room);
        let gap = " ".repeat(room + 1 - width(&note));
        spans.push(Span::styled(gap + &note, theme.dim()));
    }
    spans
}

fn is_letter(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.chars().any(char::is_alphanumeric) || symbol.is_ascii() && symbol != " " || symbol == "…"
}

fn draw_idle(cell: &mut Cell) {
    let is_filled = cell.bg != Color::Reset || cell.modifier.contains(Modifier::REVERSED);
    let is_idle = match cell.symbol() {
        " " => is_filled,
        symbol => ["░", "▒", "·", "─"].contains(&symbol),
    };
    if is_idle {
        cell.modifier.remove(Modifier::REVERSED);
        let fill = std::mem::replace(&mut cell.bg, Color::Reset);
        cell.set_symbol(IDLE);
        cell.fg = if is_filled { fill } else { cell.fg };
    }
}
