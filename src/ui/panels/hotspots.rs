use super::PanelView;
use crate::analysis::{Hotspot, HotspotOrder};
use crate::app::{Area, Explorer, HotspotPanel, Lens, SideColumns, SortColumn};
use crate::model::{CountKind, NodeId};
use crate::text::visible;
use crate::ui::pen::Pen;
use crate::ui::strip::WhenColumn;
use crate::ui::text::{self, SortHeader, bar, cursor_mark, dim_all_but_first, number, right};
use crate::ui::{Theme, compared, messages, note};
use crate::units::{Scale, percent, thousands};
use ratatui::prelude::Span;

const WITH_WHEN: u16 = 76;

fn bar_cells(width: u16) -> usize {
    match width {
        0..50 => 4,
        50..70 => 6,
        _ => usize::from(width / 6),
    }
}

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &HotspotPanel) {
    let (explorer, area, theme) = (view.explorer, view.rows, pen.theme);
    let when = WhenColumn::of(explorer, explorer.view(), area.width);
    let when = when.filter(|_| area.width >= WITH_WHEN);
    let with_names = WhenColumn::remaining_area(when.as_ref(), area);
    let columns = HotspotColumns::new(explorer, panel, with_names);
    pen.put(view.header, 0, columns.header(theme));
    // numbers of another metric would be read in the wrong unit
    let lists = panel.lists.as_ref();
    let is_current = lists.is_some_and(|lists| lists.measure == explorer.measure());
    let rows = if is_current { panel.rows() } else { &[] };
    if rows.is_empty() {
        let text = match is_current {
            true if explorer.lens().is_comparison() => messages::NOTHING_CHANGED_HERE,
            true => messages::NOTHING_MEASURED_HERE,
            false => "  summing up …",
        };
        return pen.put_dim(area, 0, text);
    }
    let cursor = (panel.cursor, view.is_focused);
    let spans = |row, is_selected| columns.row(row, is_selected, theme);
    pen.put_list(with_names, rows.iter(), cursor, spans);
    if let Some(when) = when {
        let within = explorer.hot_scope();
        let methods = rows.iter().skip(panel.cursor.top).map(|row| row.frame);
        when.draw_head(pen, view.header);
        when.draw_methods(pen, area, within, methods);
    }
}

pub(in crate::ui) fn scope_text(explorer: &Explorer) -> String {
    if explorer.hot.awaited.is_some() {
        "summing up …".into()
    } else if explorer.hot.is_pinned {
        let name = explorer.lens().node_name(NodeId::ROOT);
        format!("pinned: {}", visible(name))
    } else if explorer.has_lanes() {
        let name = explorer.lens().node_name(explorer.hot_scope());
        format!("in {}", visible(name))
    } else {
        "in selection".into()
    }
}

struct HotspotColumns<'a> {
    lens: &'a Lens,
    panel: &'a HotspotPanel,
    order: HotspotOrder,
    scale: Scale,
    value: usize,
    bar: usize,
    count: usize,
    name: usize,
    largest: u64,
    whole: u64,
    /// In a comparison, and the difference that fills a bar.
    sides: Option<(SideColumns, u128)>,
}

impl<'a> HotspotColumns<'a> {
    fn new(explorer: &'a Explorer, panel: &'a HotspotPanel, area: Area) -> HotspotColumns<'a> {
        let (lens, order) = (explorer.lens(), panel.order);
        let value = lens.value_cells().max(8);
        let scope = match explorer.hot.is_pinned {
            true => NodeId::ROOT,
            false => explorer.tree().shown.root(),
        };
        let bar = bar_cells(area.width);
        // samples include callees, but would be read as the method's own
        let has_calls = lens.counts() == Some(CountKind::Calls);
        let lists = panel.lists.as_ref();
        let largest_count = lists.map_or(0, |lists| lists.largest_count);
        // always visible if it is the sort column
        let count = match panel.sort.column {
            _ if !has_calls => 0,
            SortColumn::Count => lens.count_cells(u16::MAX, largest_count),
            _ => lens.count_cells(area.width, largest_count),
        };
        let count = usize::from(count);
        let sides = lens.side_columns(area.width.saturating_sub(1));
        let largest = lists.map_or(0, |lists| lists.largest_change(order));
        let sides = sides.map(|columns| (columns, largest));
        let numbers = sides.map_or(1 + value + 1 + bar + 7 + count, |(columns, _)| {
            usize::from(columns.cells()) + 2
        });
        let first = lists.and_then(|lists| lists.rows(order).first());
        HotspotColumns {
            lens,
            panel,
            sides,
            order,
            scale: lens.scale(),
            value,
            bar,
            count,
            name: usize::from(area.width).saturating_sub(1 + numbers + 1),
            largest: first.map_or(0, |row| row.weight(order)),
            whole: explorer.measure().inclusive(&lens.view, scope),
        }
    }

    fn header(&self, theme: Theme) -> Vec<Span<'static>> {
        let sort = self.panel.sort;
        let columns = [
            self.panel.value_column(),
            SortColumn::Name,
            SortColumn::Count,
        ];
        let [value, name, calls] = columns.map(|column| SortHeader::of(sort, column));
        if let Some((columns, _)) = self.sides {
            let heads = [SortHeader::default(), SortHeader::default(), value];
            let mut spans = vec![Span::raw(" ")];
            spans.extend(compared::header(columns, heads, theme));
            spans.push(name.name("   ", "method", theme));
            return spans;
        }
        let lens = self.lens;
        let kind = match self.order {
            HotspotOrder::Inclusive => {
                text::inclusive_head(lens.measure_of(&lens.view), &lens.view)
            }
            HotspotOrder::Exclusive => "excl",
        };
        let text = format!("{kind} {}", self.scale.unit);
        let mut spans = vec![
            value.number(&text, self.value + 2, theme),
            right("%", self.bar + 8, theme.dim()),
        ];
        if self.count > 0 {
            spans.push(calls.number(CountKind::Calls.name(), self.count, theme));
        }
        spans.push(name.name(" ", "method", theme));
        spans
    }

    fn row(&self, row: &Hotspot, is_selected: bool, theme: Theme) -> Vec<Span<'static>> {
        let mut spans = vec![cursor_mark(is_selected)];
        if let (Some((columns, largest)), Some(lists)) = (self.sides, &self.panel.lists) {
            let sides = (lists.sides(row, self.order), largest);
            let verdict = lists.verdict(&self.lens.view, row, self.order);
            let name = self.name_spans(row, theme);
            spans.extend(compared::method_row(columns, sides, verdict, name, theme));
            return spans;
        }
        let value = row.weight(self.order);
        let share = percent(value, self.whole);
        let only_waits = value == 0 && row.value(self.order) > 0;
        let percent = text::share(Some(share).filter(|_| !only_waits), 7, theme);
        let count = row.count.filter(|_| self.count > 0);
        let count = count.map_or(String::new(), thousands);
        let count_style = match is_selected {
            true => theme.strong(),
            false => theme.dim(),
        };
        let length = value as f64 / self.largest.max(1) as f64;
        let metric = self.lens.view.recording.metric(self.lens.metric);
        let is_rough = metric.is_rough(value, row.samples(self.order));
        let text = self.scale.number(value);
        spans.extend(number(&text, self.value + 1, is_rough, theme));
        spans.extend([
            Span::raw(" "),
            Span::styled(bar(length, self.bar), theme.heat(share / 100.0)),
            percent,
            right(count, self.count, count_style),
            Span::styled(" ", count_style),
        ]);
        spans.extend(self.name_spans(row, theme));
        if only_waits {
            dim_all_but_first(&mut spans, theme);
        }
        spans
    }

    fn name_spans(&self, row: &Hotspot, theme: Theme) -> [Span<'static>; 3] {
        let waits = match self.order {
            HotspotOrder::Inclusive => note::waits(self.lens, row.heaviest_node),
            HotspotOrder::Exclusive if self.lens.mostly_waits_itself(row.heaviest_node) => {
                messages::ROW_WAITS.into()
            }
            HotspotOrder::Exclusive => String::new(),
        };
        let name = visible(&self.lens.list_name(row.frame)).into_owned();
        note::name_with_marks(self.lens, (row.frame, &*name), waits, self.name, theme)
    }
}
