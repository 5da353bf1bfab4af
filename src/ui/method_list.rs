use super::pen::Pen;
use super::strip::WhenColumn;
use super::text::{self, SortHeader, bar, bar_cells, cursor_mark, dim_if_zero, right};
use super::{Theme, compared, messages, note};
use crate::analysis::HotspotOrder;
use crate::analysis::compared::Sides;
use crate::app::{Area, Explorer, Lens, MethodTable, SideColumns};
use crate::model::{CountKind, GroupBy};
use crate::names::NO_USER_CALLER;
use crate::query::{ListedMethod, MethodOrder};
use crate::text::{fit_end, fit_name, visible, width};
use crate::units::{Scale, percent, thousands};
use ratatui::prelude::{Line, Span, Style};

const NAMES: usize = 40;
const OTHER_CELLS: usize = 14;
/// Numbers leave this much to names.
const MIN_NAMES: usize = 36;
const MARK_CELLS: u16 = 3;

struct MethodColumn {
    order: MethodOrder,
    head: String,
    cells: usize,
}

pub(super) fn draw(pen: &mut Pen, explorer: &Explorer, table: &MethodTable) -> Option<(u16, u16)> {
    let (area, lens) = (explorer.layout.body, explorer.lens());
    let len = table.rows().len();
    let typed = format!("/ {}", visible(table.settings.filter.text()));
    let title = title(lens, table, &typed);
    let counts = [len, table.sums.rows.len()].map(|count| thousands(count as u64));
    let right = match lens.is_comparison() {
        true => counts.join(" of "),
        false => {
            let total = lens.scale().with_unit(table.sums.weight);
            format!("{}, of {total}", counts.join(" of "))
        }
    };
    let inner = pen.open_box(area, &title, &right);
    // the last line is for what no user code called
    let height = inner.height.saturating_sub(2);
    let rows = Area {
        height,
        ..inner.below(1)
    };
    let rest = match lens.side_columns(inner.width.saturating_sub(MARK_CELLS)) {
        Some(columns) => draw_compared(pen, lens, table, [inner, rows], columns),
        None => draw_values(pen, explorer, table, [inner, rows]),
    };
    if len == 0 {
        pen.put_dim(rows, 0, messages::NO_METHOD_MATCHES);
    }
    if let Some(rest) = rest {
        let shown = (len - table.cursor.top.min(len)).min(usize::from(height)) as u16;
        let line = (shown + 1).min(inner.height.saturating_sub(1));
        pen.put(inner, line, rest.style(pen.theme.dim()));
        if table.is_on_rest() {
            pen.put(inner, line, Span::styled("▶", pen.theme.strong()));
            pen.paint(inner, line, pen.theme.selected(true));
        }
    }
    let x = area.x + 2 + width("Methods ") as u16 + width(&typed) as u16;
    let x = x.min(area.x + area.width.saturating_sub(2));
    table.settings.filter.is_typed.then_some((x, area.y))
}

/// Returns the last line, for what no user code called.
fn draw_values(
    pen: &mut Pen,
    explorer: &Explorer,
    table: &MethodTable,
    [inner, rows]: [Area; 2],
) -> Option<Line<'static>> {
    let (lens, theme) = (explorer.lens(), pen.theme);
    let scale = lens.scale();
    let columns = columns(lens, table, inner.width, scale);
    let numbers: usize = columns.iter().map(|column| column.cells).sum::<usize>() + 7;
    let bar_cells = bar_cells(usize::from(inner.width).saturating_sub(numbers), NAMES);
    let charged = table.sums.rows.iter().filter_map(|row| row.own_and_system);
    let largest = charged.map(|charged| charged.weight()).max().unwrap_or(0);
    let order = (table.settings.order, kind_of_rows(table));
    let header = header(&columns, order, bar_cells, theme);
    pen.put(inner, 0, header);
    let when = WhenColumn::of(explorer, explorer.view(), rows.width);
    let when = when.filter(|_| !table.is_grouped());
    let with_names = WhenColumn::remaining_area(when.as_ref(), rows);
    let room = usize::from(with_names.width).saturating_sub(numbers + bar_cells + 3);
    let spans = |row, is_selected| {
        let mut spans = vec![cursor_mark(is_selected)];
        for (at, column) in columns.iter().enumerate() {
            let cell = cell(lens, row, column, scale);
            spans.push(dim_if_zero(cell, Style::new(), theme));
            if at == 0 {
                spans.extend(share_and_bar(table, row, (bar_cells, largest), theme));
            }
        }
        spans.push(Span::raw(" "));
        spans.extend(name(lens, table, row, room, theme));
        spans
    };
    pen.put_list(with_names, table.rows(), (table.cursor, true), spans);
    if let Some(when) = when {
        let methods = table.rows().skip(table.cursor.top);
        let methods = methods.map(|row| row.sums.frame);
        when.draw_head(pen, inner);
        when.draw_methods(pen, rows, table.within(), methods);
    }
    let is_listed = table.ends_with_rest();
    let mut rest = is_listed.then(|| no_user_caller(table, &columns, bar_cells, scale))?;
    if width(&rest) + width(messages::OUTSIDE_USER_CODE) < usize::from(inner.width) {
        rest.extend([" ", messages::OUTSIDE_USER_CODE]);
    }
    Some(rest.into())
}

fn draw_compared(
    pen: &mut Pen,
    lens: &Lens,
    table: &MethodTable,
    [inner, rows]: [Area; 2],
    columns: SideColumns,
) -> Option<Line<'static>> {
    let theme = pen.theme;
    let by_name = table.settings.order == MethodOrder::Name;
    let [by_name, by_delta] = [by_name, !by_name].map(SortHeader::by);
    let mut head = vec![Span::raw(" ")];
    let heads = [SortHeader::default(), SortHeader::default(), by_delta];
    head.extend(compared::header(columns, heads, theme));
    head.push(by_name.name("   ", kind_of_rows(table), theme));
    pen.put(inner, 0, head);
    let room = usize::from(inner.width.saturating_sub(columns.cells() + MARK_CELLS + 1));
    let largest = table.largest_change;
    let spans = |row: &ListedMethod, is_selected| {
        let mut spans = vec![cursor_mark(is_selected)];
        let (sides, verdict) = (table.sides(row), table.verdict(&lens.view, row));
        let name = name(lens, table, row, room, theme);
        spans.extend(compared::method_row(
            columns,
            (sides, largest),
            verdict,
            name,
            theme,
        ));
        spans
    };
    pen.put_list(rows, table.rows(), (table.cursor, true), spans);
    let sides = Sides {
        before: table.sums.no_user_caller_before,
        after: table.sums.no_user_caller.value,
    };
    let mut spans = vec![Span::raw(" ")];
    spans.extend(compared::cells(columns, sides, largest, theme));
    spans.push(Span::raw(format!("   {NO_USER_CALLER}")));
    spans.iter_mut().for_each(|span| span.style = theme.dim());
    // its value is that of own + system time
    let order = table.settings.order;
    let has_other_values = matches!(order, MethodOrder::Exclusive | MethodOrder::Inclusive);
    let is_all = table.settings.filter.text().is_empty();
    (is_all && !has_other_values).then_some(spans.into())
}

fn title(lens: &Lens, table: &MethodTable, typed: &str) -> String {
    if table.settings.filter.is_shown() {
        return format!("Methods {typed}");
    }
    let only = match (table.shows_rest, table.settings.only_user_code) {
        (true, _) => messages::CALLED_BY_NO_USER_CODE,
        (false, true) => " · user code only",
        (false, false) => "",
    };
    let value = match table.settings.order {
        _ if !lens.is_comparison() => "",
        MethodOrder::Exclusive => " · excl",
        MethodOrder::Inclusive => " · incl",
        _ => " · own + system",
    };
    let group = table.sums.request.group;
    let group = group.map_or(String::new(), |group| format!(" by {}", group.name()));
    format!("Methods{group}{only}{value}")
}

fn share_and_bar(
    table: &MethodTable,
    row: &ListedMethod,
    (cells, largest): (usize, u64),
    theme: Theme,
) -> [Span<'static>; 2] {
    let Some(charged) = row.own_and_system else {
        return [Span::raw(" ".repeat(7)), Span::raw(" ".repeat(cells + 1))];
    };
    let share = percent(charged.weight(), table.sums.weight);
    let length = percent(charged.weight(), largest) / 100.0;
    let bar = format!(" {} ", bar(length, cells));
    let bar = Span::styled(bar, theme.heat(share / 100.0));
    [text::share(Some(share), 6, theme), bar]
}

fn kind_of_rows(table: &MethodTable) -> &'static str {
    table.sums.request.group.map_or("method", GroupBy::name)
}

fn name(
    lens: &Lens,
    table: &MethodTable,
    row: &ListedMethod,
    room: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let frame = row.sums.frame;
    if table.is_grouped() {
        let frames = &table.names(&lens.view).frames;
        let name = fit_name(&visible(frames.display_name(frame)), room);
        let style = theme.name(frames.get(frame).category);
        return vec![Span::styled(name, style)];
    }
    let node = lens.view.from_uncollapsed(row.sums.heaviest_node);
    let waits = node.map_or(String::new(), |node| note::waits(lens, node));
    let name = visible(&lens.list_name(frame)).into_owned();
    note::name_with_marks(lens, (frame, &*name), waits, room, theme).into()
}

fn columns(lens: &Lens, table: &MethodTable, width: u16, scale: Scale) -> Vec<MethodColumn> {
    let unit = scale.unit;
    let header_cells = "own+sys ".len() + unit.chars().count();
    let value = lens.value_cells().max(header_cells) + 1;
    let column = |order, head: &str, cells: usize| {
        let head = head.to_string();
        MethodColumn { order, head, cells }
    };
    let inclusive = text::inclusive_head(table.sums.request.measure, &lens.view);
    let with_unit = |order, head: &str, cells| column(order, &format!("{head} {unit}"), cells);
    let mut columns = vec![
        with_unit(MethodOrder::OwnAndSystem, "own+sys", value + 1),
        with_unit(MethodOrder::Exclusive, "excl", value),
        with_unit(MethodOrder::Inclusive, inclusive, value),
    ];
    let metric = table.sums.request.measure.metric;
    match lens.view.recording.metric(metric).counts {
        Some(CountKind::Calls) => {
            columns.push(column(MethodOrder::Calls, "calls", 12));
            columns.push(column(MethodOrder::PerCall, "excl/call", 11));
        }
        Some(CountKind::Samples) => columns.push(column(MethodOrder::Samples, "samples", 10)),
        _ => {}
    }
    columns.push(column(MethodOrder::Occurrences, "occurrences", 13));
    // names have priority over numbers, except those that the list is sorted by
    let mut numbers = columns.iter().map(|column| column.cells).sum::<usize>() + OTHER_CELLS;
    let others = columns.iter().skip(3).rev().map(|column| column.order);
    let others: Vec<MethodOrder> = others
        .chain([MethodOrder::Exclusive, MethodOrder::Inclusive])
        .collect();
    for order in others {
        let at = columns.iter().position(|column| column.order == order);
        let at = at.filter(|_| numbers + MIN_NAMES > usize::from(width));
        if let Some(at) = at.filter(|_| order != table.settings.order) {
            numbers -= columns.remove(at).cells;
        }
    }
    columns
}

fn header(
    columns: &[MethodColumn],
    (order, kind): (MethodOrder, &str),
    bar_cells: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let sort_header = |column| SortHeader::by(column == order);
    let mut spans = vec![Span::raw(" ")];
    for (at, column) in columns.iter().enumerate() {
        spans.push(sort_header(column.order).number(&column.head, column.cells, theme));
        if at == 0 {
            spans.push(right("%", 6, theme.dim()));
            spans.push(Span::raw(" ".repeat(bar_cells + 2)));
        }
    }
    spans.push(sort_header(MethodOrder::Name).name(" ", kind, theme));
    spans
}

fn cell(lens: &Lens, row: &ListedMethod, column: &MethodColumn, scale: Scale) -> String {
    let sums = &row.sums;
    let metric = lens.view.recording.metric(lens.metric);
    let marked = |order| {
        let value = sums.weight(order);
        let is_rough = metric.is_rough(value, sums.samples(order));
        format!("{}{}", if is_rough { "~" } else { "" }, scale.number(value))
    };
    let text = match column.order {
        MethodOrder::OwnAndSystem => {
            let charged = row.own_and_system;
            charged.map_or(String::new(), |charged| scale.number(charged.weight()))
        }
        MethodOrder::Exclusive => marked(HotspotOrder::Exclusive),
        MethodOrder::Inclusive => marked(HotspotOrder::Inclusive),
        MethodOrder::PerCall => {
            let text = |value| Scale::for_average(metric.unit, value).with_unit(value);
            let value = sums.per_call(HotspotOrder::Exclusive);
            value.map_or(String::new(), text)
        }
        MethodOrder::Occurrences => thousands(u64::from(sums.node_count)),
        _ => sums.counted().map_or(String::new(), thousands),
    };
    let cells = column.cells;
    format!("{:>cells$}", fit_end(&text, cells))
}

/// The line that makes the column add up to the total.
fn no_user_caller(
    table: &MethodTable,
    columns: &[MethodColumn],
    bar_cells: usize,
    scale: Scale,
) -> String {
    let charged = table.sums.no_user_caller;
    let share = percent(charged.weight(), table.sums.weight);
    let cells: Vec<usize> = columns.iter().map(|column| column.cells).collect();
    let fill = " ".repeat(cells[1..].iter().sum::<usize>() + bar_cells + 1);
    let (value, first) = (scale.number(charged.weight()), cells[0]);
    format!(" {value:>first$}{share:>6.1} {fill} {NO_USER_CALLER}")
}
