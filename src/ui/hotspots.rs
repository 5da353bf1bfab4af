//! The panes with hotspots.

use super::canvas::{frame_pane, put, put_list, put_text};
use super::text::{Ordered, bar, dim_behind_first, number, right};
use super::{Theme, compared, note};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::app::layout::{Area, Mode, Pane};
use crate::app::{Explorer, HotColumn, HotSort, SideColumns};
use crate::model::{Chance, CountKind, NodeId};
use crate::text::{fit_name, visible, width};
use crate::ui::messages;
use crate::units::{Scale, percent, thousands};
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// Cells of the bar: fewer where there is little room.
fn bar_cells(width: u16) -> usize {
    match width {
        0..50 => 4,
        50..70 => 6,
        _ => 10,
    }
}

fn order_of(pane: Pane) -> HotspotOrder {
    if pane == Pane::Inclusive {
        HotspotOrder::Inclusive
    } else {
        HotspotOrder::Exclusive
    }
}

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, pane: Pane, theme: Theme) {
    let layout = &explorer.layout;
    if !layout.is_shown(pane) {
        return;
    }
    let (order, is_focused) = (order_of(pane), explorer.pane == pane);
    let is_comparison = explorer.view.recording.is_comparison();
    if layout.mode == Mode::Wide {
        let what = if is_comparison {
            "Changed most"
        } else {
            "Hottest"
        };
        let title = format!("{} {what} by {}", pane as u8 + 1, order.name());
        let border = theme.border(is_focused);
        frame_pane(
            buffer,
            layout.pane(pane),
            title,
            scope_text(explorer),
            border,
            theme,
        );
    }
    let area = layout.rows(pane);
    let widths = Widths::new(explorer, pane, area);
    let header = widths.header(explorer.hot.sort(pane), theme);
    put(buffer, layout.header(pane), 0, header);
    let lists = explorer.hot.lists.as_ref();
    // numbers of another metric would be read in the wrong unit
    let is_current = lists.is_some_and(|lists| lists.measure == explorer.measure());
    let rows = if is_current {
        explorer.hot.rows(pane)
    } else {
        &[]
    };
    if rows.is_empty() {
        let text = match is_current {
            true if is_comparison => messages::NOTHING_CHANGED_HERE,
            true => messages::NOTHING_MEASURED_HERE,
            false => "  summing up …",
        };
        return put_text(buffer, area, 0, text, theme.dim());
    }
    let cursor = (explorer.hot.cursor(pane), is_focused);
    let spans = |row, is_selected| widths.row(explorer, row, is_selected, theme);
    put_list((buffer, area, theme), rows.iter(), cursor, spans);
}

/// Of what the hotspots are.
pub(super) fn scope_text(explorer: &Explorer) -> String {
    if explorer.hot.awaited.is_some() {
        "summing up …".into()
    } else if explorer.hot.is_pinned {
        format!("pinned: {}", visible(explorer.node_name(NodeId::ROOT)))
    } else {
        "in selection".into()
    }
}

struct Widths {
    order: HotspotOrder,
    scale: Scale,
    value: usize,
    bar: usize,
    count: usize,
    name: usize,
    largest: u64,
    whole: u64,
    /// whether values are in the order of percentages: waiting is left out
    by_percent: bool,
    /// the columns of a comparison, which stand instead of all but the name, and the difference that fills a bar
    sides: Option<(SideColumns, u128)>,
}

/// The columns of a comparison, with the difference that fills a bar: the largest of the list.
fn sides(explorer: &Explorer, pane: Pane, area: Area) -> Option<(SideColumns, u128)> {
    let columns = explorer.side_columns(area.width.saturating_sub(1))?;
    let lists = explorer.hot.lists.as_ref();
    let delta = |row: &Hotspot| {
        lists?
            .sides(row, order_of(pane))
            .map(|sides| sides.delta().unsigned_abs())
    };
    let rows = lists.map_or(&[][..], |lists| lists.rows(pane));
    // slower ones come first, faster ones last
    let largest = rows
        .first()
        .into_iter()
        .chain(rows.last())
        .filter_map(delta)
        .max();
    Some((columns, largest.unwrap_or(0)))
}

impl Widths {
    fn new(explorer: &Explorer, pane: Pane, area: Area) -> Widths {
        let (order, scale) = (order_of(pane), explorer.scale());
        let value = explorer.value_cells().max(8);
        let base = if explorer.hot.is_pinned {
            NodeId::ROOT
        } else {
            explorer.tree.root()
        };
        let bar = bar_cells(area.width);
        // samples are with callees, and would be read as those of the method alone
        let has_calls =
            explorer.view.recording.metric(explorer.metric).counts == Some(CountKind::Calls);
        let largest_count = explorer
            .hot
            .lists
            .as_ref()
            .map_or(0, |lists| lists.largest_count);
        let room = if explorer.hot.sort(pane).column == HotColumn::Calls {
            u16::MAX
        } else {
            area.width
        };
        // what the list is ordered by is always to be seen
        let count = if has_calls {
            usize::from(explorer.count_cells(room, largest_count))
        } else {
            0
        };
        let sides = sides(explorer, pane, area);
        // in comparisons, a mark precedes the name
        let numbers = sides.map_or(1 + value + 1 + bar + 7 + count, |(columns, _)| {
            usize::from(columns.cells()) + 2
        });
        Widths {
            sides,
            order,
            scale,
            value,
            bar,
            count,
            name: usize::from(area.width).saturating_sub(1 + numbers + 1),
            largest: explorer
                .hot
                .lists
                .as_ref()
                .and_then(|l| l.rows(pane).first())
                .map_or(0, |row| row.weight(order)),
            whole: explorer.measure().inclusive(&explorer.view, base),
            by_percent: explorer.measure().left_out(&explorer.view).is_some(),
        }
    }

    fn header(&self, sort: HotSort, theme: Theme) -> Vec<Span<'static>> {
        let of = |column| Ordered {
            is_ordered: sort.column == column,
            is_reversed: sort.reversed,
        };
        let (value, name, calls) = (
            of(HotColumn::Value),
            of(HotColumn::Name),
            of(HotColumn::Calls),
        );
        if let Some((columns, _)) = self.sides {
            let head = |arrow, style| compared::ComparedHead { arrow, style };
            let plain = || head("", theme.dim());
            let heads = [plain(), plain(), head(value.arrow(), value.style(theme))];
            let mut spans = vec![Span::raw(" ")];
            spans.extend(compared::header(columns, heads, theme));
            spans.push(name.name("   ", theme));
            return spans;
        }
        let what = match self.order {
            HotspotOrder::Inclusive => "incl",
            HotspotOrder::Exclusive => "excl",
        };
        let (of_value, of_percent) = match (value.arrow(), self.by_percent) {
            (arrow, false) => (arrow, ""),
            (arrow, true) => ("", arrow),
        };
        let head = format!("{of_value}{what} {}", self.scale.unit());
        let of_calls = format!("{}{}", calls.arrow(), CountKind::Calls.name());
        let of_calls = if self.count > 0 {
            of_calls
        } else {
            String::new()
        };
        let is_by_percent = !of_percent.is_empty();
        let percent_style = if is_by_percent {
            value.style(theme)
        } else {
            theme.dim()
        };
        vec![
            right(head.trim_end(), self.value + 2, value.style(theme)),
            right(format!("{of_percent}%"), self.bar + 8, percent_style),
            right(of_calls, self.count, calls.style(theme)),
            name.name(" ", theme),
        ]
    }

    fn row(
        &self,
        explorer: &Explorer,
        row: &Hotspot,
        is_selected: bool,
        theme: Theme,
    ) -> Vec<Span<'static>> {
        let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
        if let Some(spans_of_sides) = self.row_of_sides(explorer, row, theme) {
            spans.extend(spans_of_sides);
            return spans;
        }
        let (value, weight) = (row.value(self.order), row.weight(self.order));
        let share = percent(weight, self.whole);
        let only_waits = weight == 0 && value > 0;
        let percent = if only_waits {
            "waits".into()
        } else {
            format!("{share:.1}")
        };
        let count = row
            .count
            .filter(|_| self.count > 0)
            .map_or(String::new(), thousands);
        let count_style = if is_selected {
            theme.strong()
        } else {
            theme.dim()
        };
        let length = weight as f64 / self.largest.max(1) as f64;
        let metric = explorer.view.recording.metric(explorer.metric);
        let is_rough = metric.is_rough(value, row.samples(self.order));
        spans.extend(number(
            &self.scale.number(value),
            self.value + 1,
            is_rough,
            theme,
        ));
        spans.extend([
            Span::raw(" "),
            Span::styled(bar(length, self.bar), theme.heat(share / 100.0)),
            Span::raw(format!(" {percent:>6}")),
            right(count, self.count, count_style),
            Span::styled(" ", count_style),
        ]);
        spans.extend(self.name_of(explorer, row, theme));
        if only_waits {
            dim_behind_first(&mut spans, theme);
        }
        spans
    }

    fn name_of(&self, explorer: &Explorer, row: &Hotspot, theme: Theme) -> [Span<'static>; 2] {
        let note = note::mark(explorer, row.frame);
        let room = self.name.saturating_sub(width(note));
        let name = fit_name(&visible(&explorer.list_name(row.frame)), room);
        let category = explorer.view.frames.get(row.frame).category;
        [
            Span::styled(name, theme.name(category)),
            Span::styled(note, theme.accent()),
        ]
    }

    /// The text after the mark in a row of a comparison.
    fn row_of_sides(
        &self,
        explorer: &Explorer,
        row: &Hotspot,
        theme: Theme,
    ) -> Option<Vec<Span<'static>>> {
        let lists = explorer.hot.lists.as_ref()?;
        let ((columns, largest), sides) = self.sides.zip(lists.sides(row, self.order))?;
        let verdict = lists.verdict(&explorer.view, row, self.order);
        let mark = format!(" {:1} ", verdict.map_or("", Chance::mark));
        let mut spans = compared::cells(columns, sides, largest, theme);
        spans.push(Span::styled(mark, theme.accent()));
        spans.extend(self.name_of(explorer, row, theme));
        if verdict == Some(Chance::Within) {
            spans.iter_mut().for_each(|span| span.style = theme.dim());
        }
        Some(spans)
    }
}
