use super::PanelView;
use crate::analysis::Wait;
use crate::app::WaitsPanel;
use crate::query::WaitCells;
use crate::text::{fit_end, fit_name, visible, width};
use crate::ui::messages;
use crate::ui::pen::Pen;
use crate::ui::text::{bar, cursor_mark, dim_if_zero, fitting, right};
use crate::units::percent;
use ratatui::prelude::{Span, Style};

const MIN_BAR_CELLS: u16 = 8;
/// Names matter more than bars.
const MIN_NAME_CELLS: usize = 32;
/// The minimum width of panels that name threads, and the cells of the names.
const WITH_THREADS: (u16, usize) = (140, 36);

fn heads(panel: &WaitsPanel, width: u16) -> [String; 2] {
    let unit = panel.scale.unit();
    let has_cpu = panel.cells.iter().any(|cells| !cells.on_cpu.is_empty());
    let on_cpu = match width >= WITH_THREADS.0 {
        _ if !has_cpu => String::new(),
        true => format!("{} {unit}", messages::CPU_IN_WAITS),
        false => format!("{} {unit}", messages::ON_CPU),
    };
    [format!("waits {unit}"), on_cpu]
}

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &WaitsPanel) {
    let (area, theme) = (view.rows, pen.theme);
    let heads = heads(panel, area.width);
    let cells_of = |head: &str, cell: fn(&WaitCells) -> &str| {
        let cells = panel.cells.iter().map(|cells| cell(cells).len());
        cells.max().unwrap_or(0).max(head.len())
    };
    let waiting = cells_of(&heads[0], |cells| &cells.waiting);
    let on_cpu = cells_of(&heads[1], |cells| &cells.on_cpu);
    let numbers = 1 + waiting + 6 + 2 + 1 + on_cpu + 2;
    let bars = usize::from(MIN_BAR_CELLS.max(area.width / 8));
    let has_bars = usize::from(area.width) >= numbers + bars + MIN_NAME_CELLS;
    let bars = if has_bars { bars } else { 0 };
    let head = format!(
        " {:>waiting$} {:>5}  {:<bars$} {:>on_cpu$}  user method: waits in",
        heads[0], "%", "", heads[1]
    );
    pen.put_dim(view.header, 0, head);
    let room = usize::from(area.width).saturating_sub(numbers + bars);
    let threads = match area.width >= WITH_THREADS.0 {
        true => WITH_THREADS.1,
        false => 0,
    };
    let largest = panel.waits.rows.iter().map(|row| row.waiting).max();
    let rows = panel.waits.rows.iter().zip(&panel.cells);
    let spans = |(row, cells): (&Wait, &WaitCells), is_selected: bool| {
        let length = percent(row.waiting, largest.unwrap_or(0)) / 100.0;
        let share = percent(row.waiting, panel.waits.waiting()) / 100.0;
        let user = visible(&cells.user);
        let name_room = room.saturating_sub(threads);
        let user = fit_name(&user, name_room.saturating_sub(12));
        let wait_room = name_room.saturating_sub(width(&user) + 3);
        let wait = fitting([cells.whole_wait()], wait_room).unwrap_or(cells.wait.clone());
        let wait = fit_name(&visible(&wait), wait_room);
        let gap = name_room.saturating_sub(width(&user) + 2 + width(&wait));
        let thread_names = fit_end(&visible(&cells.threads), threads);
        let style = match row.user {
            Some(_) => theme.strong(),
            None => theme.dim(),
        };
        vec![
            cursor_mark(is_selected),
            right(&cells.waiting, waiting, Style::new()),
            dim_if_zero(format!(" {:>5}  ", cells.share), theme.strong(), theme),
            Span::styled(bar(length, bars), theme.heat(share)),
            dim_if_zero(format!(" {:>on_cpu$}  ", cells.on_cpu), Style::new(), theme),
            Span::styled(user, style),
            Span::raw(format!(": {wait}{}", " ".repeat(gap))),
            Span::styled(thread_names, theme.dim()),
        ]
    };
    let cursor = (panel.cursor, view.is_focused);
    pen.put_list(area, rows, cursor, spans);
}
