//! The strip of time: what ran when, in the tree and in the selected row, and what happened.

use super::Theme;
use super::canvas::{paint, put_text};
use crate::app::layout::{Area, STRIP_LABEL};
use crate::app::{Explorer, ViewOverTime};
use crate::text::{fit_end, width};
use crate::ui::messages;
use crate::units::seconds_rounded;
use ratatui::buffer::Buffer;

/// Eighths of a cell, from below.
pub(super) const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Markers that start in a cell, by how many kinds of them there are.
pub(super) const MARK: &str = "•";

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let area = explorer.layout.strip;
    let Some(strip) = explorer
        .follows
        .time
        .of(explorer.view())
        .filter(|_| area.height > 0)
    else {
        return;
    };
    let cells_area = explorer.layout.strip_cells();
    let cells = usize::from(cells_area.width);
    let counts = explorer.measure().counts_waiting;
    let line = |heights: Vec<usize>| {
        heights
            .iter()
            .map(|&height| HEIGHTS[height])
            .collect::<String>()
    };
    let all = line(strip.heights(&strip.all, counts, cells));
    put_text(buffer, cells_area, 0, all, theme.dim());
    let selected = explorer.follows.time.selected();
    let selected = selected.map(|values| line(strip.heights(values, counts, cells)));
    put_text(
        buffer,
        cells_area,
        1,
        selected.unwrap_or_default(),
        theme.accent(),
    );
    let range = strip.timeline.range;
    label(
        buffer,
        area,
        0,
        &seconds_rounded(range.from_ns),
        true,
        theme,
    );
    label(buffer, area, 0, &seconds_rounded(range.to_ns), false, theme);
    label(buffer, area, 1, messages::STRIP_SELECTED, true, theme);
    if area.height > 2 {
        label(buffer, area, 2, messages::STRIP_EVENTS, true, theme);
        put_text(buffer, cells_area, 2, marks(strip, cells), theme.warning());
    }
    let column = |at_ns| strip.cell_at(at_ns, cells) as u16;
    if let Some([from, to]) = explorer.follows.time.drawn_range() {
        let (first, last) = (column(from), column(to));
        let drawn = Area::new(cells_area.x + first, area.y, last - first + 1, area.height);
        (0..area.height).for_each(|row| paint(buffer, drawn, row, theme.selected(true)));
    } else if let Some(at) = explorer.follows.time.cursor_ns {
        let drawn = Area::new(cells_area.x + column(at), area.y, 1, area.height);
        (0..area.height).for_each(|row| paint(buffer, drawn, row, theme.selected(true)));
    }
}

/// A label on the left or the right of a row of the strip.
fn label(buffer: &mut Buffer, area: Area, row: u16, text: &str, is_left: bool, theme: Theme) {
    let text = fit_end(text, usize::from(STRIP_LABEL) - 2);
    let x = match is_left {
        true => area.x + STRIP_LABEL - 1 - width(&text) as u16,
        false => area.x + area.width - STRIP_LABEL + 1,
    };
    let place = Area {
        x,
        width: STRIP_LABEL - 1,
        ..area
    };
    put_text(buffer, place, row, text, theme.dim());
}

/// A mark for each cell in which markers start that overviews have.
fn marks(strip: &ViewOverTime, cells: usize) -> String {
    let notable = || strip.markers.iter().filter(|lane| lane.kind.is_notable());
    let has_any = |cell| {
        let buckets = ViewOverTime::buckets_of(cell, cells);
        notable().any(|lane| lane.counts[buckets.clone()].iter().any(|&count| count > 0))
    };
    let mark = |cell| if has_any(cell) { MARK } else { " " };
    (0..cells).map(mark).collect()
}
