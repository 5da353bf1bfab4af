//! A line of cells for each row of frames, below the cells of the timeline strip.

use super::flame::{DrawnBar, SELECTED, draw_row, footer_line, hue_of, label_of, shown_hue};
use crate::app::{ChartBar, ChartPanel};
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
    let (theme, chart, footer) = (pen.theme, panel.chart_area(), panel.footer());
    if panel.chart.is_none() {
        return pen.put_dim(chart, 0, messages::CHART_NOT_READY);
    }
    if panel.rows.is_empty() {
        pen.put_dim(chart, 0, messages::NOTHING_MEASURED_HERE);
    }
    for (line, row) in panel.rows.iter().enumerate() {
        let bars: Vec<DrawnBar> = row
            .iter()
            .map(|bar| drawn(panel, line, bar, theme))
            .collect();
        draw_row(pen, chart, line as u16, &bars);
        let marked = bars.iter().find(|bar| bar.mark == SELECTED);
        let is_marked = |cell| marked.is_some_and(|bar| (bar.from..bar.to).contains(&(8 * cell)));
        for &cell in panel.idle.iter().filter(|&&cell| !is_marked(cell)) {
            let (x, y) = (chart.x + cell as u16, chart.y + line as u16);
            let is_letter = |x| pen.buffer.cell((x, y)).is_some_and(belongs_to_name);
            let is_in_name = is_letter(x) || is_letter(x.saturating_sub(1)) && is_letter(x + 1);
            if let Some(cell) = pen.buffer.cell_mut((x, y)) {
                draw_idle(cell, is_in_name);
            }
        }
    }
    pen.put(footer, 0, footer_spans(panel, theme));
}

fn drawn(panel: &ChartPanel, line: usize, bar: &ChartBar, theme: Theme) -> DrawnBar {
    let (lens, is_selected) = (&panel.lens, panel.is_marked(line, bar));
    let frame = lens.view.tree.frame(bar.node);
    let highlights = panel.highlights.as_ref();
    let hue = shown_hue(hue_of(lens, bar.node), is_selected, highlights, frame);
    let text = match bar.to - bar.from {
        // saves thousands of names that have no room
        ..NAMED => String::new(),
        _ => visible(panel.node_name(bar.node)).into_owned(),
    };
    DrawnBar {
        from: bar.from,
        to: bar.to,
        look: theme.flame(hue, bar.is_odd),
        mark: if is_selected { SELECTED } else { "" },
        label: label_of(&text, lens.view.frames.get(frame).category),
        text,
    }
}

fn footer_spans(panel: &ChartPanel, theme: Theme) -> Vec<Span<'static>> {
    let footer = panel.footer();
    let nodes = panel.rows.iter().flatten().map(|bar| bar.node);
    let highlights = panel.highlights.as_ref();
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

/// Whether it is neither a fill nor a separator.
fn belongs_to_name(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.chars().any(char::is_alphanumeric) || symbol.is_ascii() && symbol != " " || symbol == "…"
}

/// Replaces its fill or texture by a line; a name only loses its fill.
fn draw_idle(cell: &mut Cell, is_in_name: bool) {
    let is_filled = cell.bg != Color::Reset || cell.modifier.contains(Modifier::REVERSED);
    cell.modifier.remove(Modifier::REVERSED);
    let fill = std::mem::replace(&mut cell.bg, Color::Reset);
    match cell.symbol() {
        _ if is_in_name && is_filled => cell.fg = Color::Reset,
        " " if is_filled => _ = cell.set_symbol(IDLE).set_fg(fill),
        "░" | "▒" | "·" | "─" if !is_in_name => _ = cell.set_symbol(IDLE),
        _ => {}
    }
}
