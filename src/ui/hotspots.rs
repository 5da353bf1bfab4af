//! The panes with hotspots.

use super::Theme;
use super::canvas::{frame_pane, paint, put};
use super::compared;
use super::note;
use super::text::{bar, number};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::app::layout::{Area, Mode, Pane};
use crate::app::{Explorer, HotColumn, HotSort, SideColumns};
use crate::model::{Chance, CountKind, NodeId};
use crate::text::visible;
use crate::text::{fit_name, width};
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
    let area = layout.pane(pane);
    let (order, is_focused) = (order_of(pane), explorer.pane == pane);
    if layout.mode == Mode::Wide {
        let title = match explorer.view.recording.is_comparison() {
            true => format!("{} Changed most by {}", pane as u8 + 1, order.name()),
            false => format!("{} Hottest by {}", pane as u8 + 1, order.name()),
        };
        frame_pane(
            buffer,
            area,
            title,
            scope_text(explorer),
            theme.border(is_focused),
            theme,
        );
    }
    let rows_area = layout.rows(pane);
    let widths = Widths::new(explorer, pane, rows_area);
    put(
        buffer,
        layout.header(pane),
        0,
        widths.header(explorer.hot.sort(pane), theme),
    );
    let is_current = explorer
        .hot
        .lists
        .as_ref()
        .is_some_and(|lists| lists.measure == explorer.measure());
    // numbers of another metric would be read in the wrong unit
    let rows = if is_current {
        explorer.hot.rows(pane)
    } else {
        &[]
    };
    let cursor = explorer.hot.cursor(pane);
    if rows.is_empty() {
        let text = match is_current {
            true if explorer.view.recording.is_comparison() => messages::NOTHING_CHANGED_HERE,
            true => messages::NOTHING_MEASURED_HERE,
            false => "  summing up …",
        };
        return put(buffer, rows_area, 0, vec![Span::styled(text, theme.dim())]);
    }
    for (line, row) in rows
        .iter()
        .skip(cursor.top)
        .take(usize::from(rows_area.height))
        .enumerate()
    {
        let is_selected = is_focused && cursor.top + line == cursor.selected;
        put(
            buffer,
            rows_area,
            line as u16,
            widths.row(explorer, row, is_selected, theme),
        );
        if is_selected {
            paint(buffer, rows_area, line as u16, theme.selected(true));
        }
    }
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
    /// whether values stand in the order of percentages: waiting is left out
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
    // slower ones stand first, faster ones last
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
        let has_calls = explorer.view.metric(explorer.metric).counts == Some(CountKind::Calls);
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
        // a mark stands before the name of a comparison
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
        let what = match self.order {
            HotspotOrder::Inclusive => "incl",
            HotspotOrder::Exclusive => "excl",
        };
        let arrow = |column| match (sort.column == column, sort.reversed) {
            (false, _) => "",
            (true, false) => "▾",
            (true, true) => "▴",
        };
        let style = |column| {
            if sort.column == column {
                theme.accent()
            } else {
                theme.dim()
            }
        };
        if let Some((columns, _)) = self.sides {
            let head = |arrow, style| compared::Head { arrow, style };
            let plain = || head("", theme.dim());
            let heads = [
                plain(),
                plain(),
                head(arrow(HotColumn::Value), style(HotColumn::Value)),
            ];
            let mut spans = vec![Span::raw(" ")];
            spans.extend(compared::header(columns, heads, theme));
            spans.push(Span::styled(
                format!("   {}method", arrow(HotColumn::Name)),
                style(HotColumn::Name),
            ));
            return spans;
        }
        let (of_value, of_percent) = match (arrow(HotColumn::Value), self.by_percent) {
            (arrow, false) => (arrow, ""),
            (arrow, true) => ("", arrow),
        };
        let value = format!("{of_value}{what} {}", self.scale.unit());
        let counts = format!("{}{}", arrow(HotColumn::Calls), CountKind::Calls.name());
        let counts = if self.count > 0 {
            counts
        } else {
            String::new()
        };
        vec![
            Span::styled(
                format!(" {:>width$}", value.trim_end(), width = self.value + 1),
                style(HotColumn::Value),
            ),
            Span::styled(
                format!(
                    " {:bar$} {:>6}",
                    "",
                    format!("{of_percent}%"),
                    bar = self.bar
                ),
                if of_percent.is_empty() {
                    theme.dim()
                } else {
                    style(HotColumn::Value)
                },
            ),
            Span::styled(
                format!("{counts:>width$}", width = self.count),
                style(HotColumn::Calls),
            ),
            Span::styled(
                format!(" {}method", arrow(HotColumn::Name)),
                style(HotColumn::Name),
            ),
        ]
    }

    fn row(
        &self,
        explorer: &Explorer,
        row: &Hotspot,
        is_selected: bool,
        theme: Theme,
    ) -> Vec<Span<'static>> {
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
        let length = weight as f64 / self.largest.max(1) as f64;
        let frame = explorer.view.frames.get(row.frame);
        let metric = explorer.view.metric(explorer.metric);
        let is_rough = metric.is_rough(value, row.samples(self.order));
        let note = note::mark(explorer, row.frame);
        let name = fit_name(
            &visible(&explorer.list_name(row.frame)),
            self.name.saturating_sub(width(note)),
        );
        let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
        let both = explorer
            .hot
            .lists
            .as_ref()
            .and_then(|lists| lists.sides(row, self.order));
        if let Some(((columns, largest), sides)) = self.sides.zip(both) {
            let verdict = explorer
                .hot
                .lists
                .as_ref()
                .and_then(|l| l.verdict(&explorer.view, row, self.order));
            spans.extend(compared::cells(columns, sides, largest, theme));
            spans.push(Span::styled(
                format!(" {:1}", verdict.map_or("", Chance::mark)),
                theme.accent(),
            ));
            spans.extend([
                Span::raw(" "),
                Span::styled(name, theme.name(frame.category)),
                Span::styled(note, theme.accent()),
            ]);
            if verdict == Some(Chance::Within) {
                spans
                    .iter_mut()
                    .skip(1)
                    .for_each(|span| span.style = theme.dim());
            }
            return spans;
        }
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
            Span::styled(
                format!("{count:>width$} ", width = self.count),
                if is_selected {
                    theme.strong()
                } else {
                    theme.dim()
                },
            ),
            Span::styled(name, theme.name(frame.category)),
            Span::styled(note, theme.accent()),
        ]);
        if only_waits {
            spans
                .iter_mut()
                .skip(1)
                .for_each(|span| span.style = theme.dim());
        }
        spans
    }
}
