//! The list of methods.

use super::canvas::{open_box, paint, put, put_list, put_text};
use super::strip::When;
use super::text::{self, Ordered, bar, bar_cells, right, said};
use super::{Theme, compared, messages, note};
use crate::analysis::HotspotOrder;
use crate::analysis::compared::Sides;
use crate::app::{Area, Explorer, Lens, MethodTable, SideColumns};
use crate::model::{Chance, CountKind};
use crate::names::NO_USER_CALLER;
use crate::query::{ListedMethod, MethodOrder};
use crate::text::{fit_end, fit_name, visible, width};
use crate::units::{Scale, percent, thousands};
use ratatui::prelude::{Buffer, Span, Style};

/// The minimum widths of lists with two values, and with three, next to names and bars.
const WITH_TWO_VALUES: u16 = 64;
const WITH_THREE_VALUES: u16 = 84;
/// The cells that names get before bars grow.
const NAMES: usize = 40;
/// Names are not cut below this to show the mark of waiting.
const MIN_NAME: usize = 20;
/// The minimum width of a list with counts and the time per call.
const WITH_COUNTS: u16 = 90;

/// The cells of the mark of the selected row, and of the significance mark with a space before it.
const MARK: u16 = 3;

/// A column of numbers: its sort order, header and width.
struct MethodColumn {
    order: MethodOrder,
    head: String,
    cells: usize,
}

pub(super) fn draw(
    buffer: &mut Buffer,
    explorer: &Explorer,
    table: &MethodTable,
    theme: Theme,
) -> Option<(u16, u16)> {
    let (area, lens) = (explorer.layout.body, explorer.lens());
    let len = table.rows().len();
    let typed = format!("/ {}", visible(table.filter.text()));
    let title = title(lens, table, &typed);
    let counts = [len, table.sums.rows.len()].map(|count| thousands(count as u64));
    let whole = lens.scale().with_unit(table.sums.weight);
    let right = match lens.is_comparison() {
        true => counts.join(" of "),
        false => format!("{}, of {whole}", counts.join(" of ")),
    };
    let inner = open_box(buffer, area, title, right, theme);
    if let Some(sides) = lens.side_columns(inner.width.saturating_sub(MARK)) {
        draw_compared(buffer, inner, lens, table, sides, theme);
        return cursor_of_filter(area, table, &typed);
    }
    let scale = lens.scale();
    let columns = columns(lens, table, inner.width, scale);
    // the last line is for what no user code called
    let rows = Area {
        height: inner.height.saturating_sub(2),
        ..inner.below(1)
    };
    let numbers: usize = columns.iter().map(|column| column.cells).sum::<usize>() + 7;
    let bar_cells = bar_cells(usize::from(inner.width).saturating_sub(numbers), NAMES);
    let used = numbers + bar_cells + 1;
    let most = table.sums.rows.iter().filter_map(|row| row.own_and_system);
    let most = most.map(|charged| charged.weight()).max().unwrap_or(0);
    let bars = (bar_cells, most);
    put(
        buffer,
        inner,
        0,
        head(&columns, table.order, bar_cells, theme),
    );
    // rows of groups are not methods
    let when =
        When::of(explorer, explorer.view(), rows.width).filter(|_| table.sums.group.is_none());
    let room = usize::from(rows.width).saturating_sub(used + 2 + When::width(when.as_ref()));
    // what no user code called ends the list
    let last =
        no_user_caller(table, &columns, bar_cells, scale).filter(|_| table.ends_with_uncalled());
    let cursor = (table.cursor, true);
    let spans = |row, is_selected| {
        let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
        for (at, column) in columns.iter().enumerate() {
            spans.push(said(cell(lens, row, column, scale), Style::new(), theme));
            if at == 0 {
                spans.extend(share(table, row, bars, theme));
            }
        }
        spans.extend(match table.sums.group {
            None => name(lens, row, room, theme),
            Some(_) => group_name(lens, table, row, room, theme),
        });
        spans
    };
    let with_names = Area {
        width: rows.width.saturating_sub(When::width(when.as_ref()) as u16),
        ..rows
    };
    put_list((buffer, with_names, theme), table.rows(), cursor, spans);
    if let Some(when) = when {
        let methods = table.rows().skip(table.cursor.top);
        when.draw_head(buffer, inner, theme);
        when.draw_methods(
            buffer,
            rows,
            table.sums.within,
            methods.map(|row| row.sums.frame),
        );
    }
    if len == 0 {
        put_text(buffer, rows, 0, messages::NO_METHOD_MATCHES, theme.dim());
    }
    if let Some(mut text) = last {
        let words = messages::OUTSIDE_USER_CODE;
        if width(&text) + width(words) < usize::from(inner.width) {
            text.extend([" ", words]);
        }
        let shown = (len - table.cursor.top.min(len)).min(usize::from(rows.height)) as u16;
        let line = (shown + 1).min(inner.height.saturating_sub(1));
        put_text(buffer, inner, line, text, theme.dim());
        if table.is_on_uncalled() {
            put_text(buffer, inner, line, "▶", theme.strong());
            paint(buffer, inner, line, theme.selected(true));
        }
    }
    cursor_of_filter(area, table, &typed)
}

/// The position of the cursor while the filter is typed.
fn cursor_of_filter(area: Area, table: &MethodTable, typed: &str) -> Option<(u16, u16)> {
    let x = area.x + 2 + width("Methods ") as u16 + width(typed) as u16;
    let x = x.min(area.x + area.width.saturating_sub(2));
    table.filter.is_typed().then_some((x, area.y))
}

/// The column headers of a comparison.
fn compared_head(table: &MethodTable, columns: SideColumns, theme: Theme) -> Vec<Span<'static>> {
    let plain = || compared::ComparedHead {
        arrow: "",
        style: theme.dim(),
    };
    let by_name = Ordered {
        is_ordered: table.order == MethodOrder::Name,
        is_reversed: false,
    };
    let by_delta = Ordered {
        is_ordered: !by_name.is_ordered,
        is_reversed: false,
    };
    let delta = compared::ComparedHead {
        arrow: by_delta.arrow(),
        style: by_delta.style(theme),
    };
    let mut head = vec![Span::raw(" ")];
    head.extend(compared::header(columns, [plain(), plain(), delta], theme));
    head.push(by_name.name("   ", theme));
    head
}

/// The rows of a comparison: the values of methods on both sides.
fn draw_compared(
    buffer: &mut Buffer,
    inner: Area,
    lens: &Lens,
    table: &MethodTable,
    columns: SideColumns,
    theme: Theme,
) {
    put(buffer, inner, 0, compared_head(table, columns, theme));
    let rows = Area {
        height: inner.height.saturating_sub(2),
        ..inner.below(1)
    };
    let room = usize::from(inner.width.saturating_sub(columns.cells() + MARK + 1));
    let largest = table.largest_change;
    let spans = |row: &ListedMethod, is_selected| {
        let verdict = table.verdict(&lens.view, row);
        let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
        spans.extend(match table.sides(row) {
            Some(sides) => compared::cells(columns, sides, largest, theme),
            None => vec![Span::raw(" ".repeat(columns.cells().into()))],
        });
        let mark = format!(" {:1}", verdict.map_or("", Chance::mark));
        spans.push(Span::styled(mark, theme.accent()));
        spans.extend(match table.sums.group {
            None => name(lens, row, room, theme),
            Some(_) => group_name(lens, table, row, room, theme),
        });
        if verdict == Some(Chance::Within) {
            spans.iter_mut().for_each(|span| span.style = theme.dim());
        }
        spans
    };
    put_list(
        (buffer, rows, theme),
        table.rows(),
        (table.cursor, true),
        spans,
    );
    if table.rows().len() == 0 {
        put_text(buffer, rows, 0, messages::NO_METHOD_MATCHES, theme.dim());
    }
    if let Some(before) = table
        .sums
        .before
        .as_ref()
        .filter(|_| table.filter.text().is_empty())
    {
        let sides = Sides {
            before: before.no_user_caller.value,
            after: table.sums.no_user_caller.value,
        };
        let mut spans = vec![Span::raw(" ")];
        spans.extend(compared::cells(columns, sides, largest, theme));
        spans.push(Span::raw(format!("   {NO_USER_CALLER}")));
        spans.iter_mut().for_each(|span| span.style = theme.dim());
        let len = table.rows().len();
        let shown = (len - table.cursor.top.min(len)).min(usize::from(rows.height)) as u16;
        put(
            buffer,
            inner,
            (shown + 1).min(inner.height.saturating_sub(1)),
            spans,
        );
    }
}

fn title(lens: &Lens, table: &MethodTable, typed: &str) -> String {
    if table.filter.is_shown() {
        return format!("Methods {typed}");
    }
    let only = match (table.is_uncalled, table.is_user_code) {
        (true, _) => messages::CALLED_BY_NO_USER_CODE,
        (false, true) => " · user code only",
        (false, false) => "",
    };
    let value = if lens.is_comparison() {
        match table.order {
            MethodOrder::Exclusive => " · excl",
            MethodOrder::Inclusive => " · incl",
            _ => " · own + system",
        }
    } else {
        ""
    };
    let by = table.sums.group;
    let by = by.map_or(String::new(), |by| format!(" by {}", by.word()));
    format!("Methods{by}{only}{value}")
}

/// The share of a method's own and system time, and its bar; the longest bar is full.
fn share(
    table: &MethodTable,
    row: &ListedMethod,
    (cells, most): (usize, u64),
    theme: Theme,
) -> [Span<'static>; 2] {
    let Some(charged) = row.own_and_system else {
        return [Span::raw(" ".repeat(7)), Span::raw(" ".repeat(cells + 1))];
    };
    let share = percent(charged.weight(), table.sums.weight);
    let length = percent(charged.weight(), most) / 100.0;
    [
        text::share(share, 6, theme),
        Span::styled(
            format!(" {} ", bar(length, cells)),
            theme.heat(share / 100.0),
        ),
    ]
}

/// The name of a method, and the mark of a note.
fn name(lens: &Lens, row: &ListedMethod, room: usize, theme: Theme) -> [Span<'static>; 3] {
    let name = visible(&lens.list_name(row.sums.frame)).into_owned();
    let category = lens.view.frames.get(row.sums.frame).category;
    let note = note::mark(lens, row.sums.frame);
    // the nodes of methods are those of the tree without collapsed rows
    let node = lens.view.from_uncollapsed(row.sums.heaviest_node);
    let waits = node.map_or(String::new(), |node| note::waits(lens, node));
    let room = room.saturating_sub(width(note));
    let waits = if room >= MIN_NAME + width(&waits) {
        waits
    } else {
        String::new()
    };
    let name = fit_name(&name, room.saturating_sub(width(&waits)));
    [
        Span::styled(format!(" {name}"), theme.name(category)),
        Span::styled(note, theme.accent()),
        Span::styled(waits, theme.dim()),
    ]
}

/// The name of a group.
fn group_name(
    lens: &Lens,
    table: &MethodTable,
    row: &ListedMethod,
    room: usize,
    theme: Theme,
) -> [Span<'static>; 3] {
    let frames = &table.names(&lens.view).frames;
    let name = fit_name(&visible(frames.display_name(row.sums.frame)), room);
    let category = frames.get(row.sums.frame).category;
    let name = Span::styled(format!(" {name}"), theme.name(category));
    [name, Span::raw(""), Span::raw("")]
}

fn columns(lens: &Lens, table: &MethodTable, width: u16, scale: Scale) -> Vec<MethodColumn> {
    let unit = scale.unit();
    let value = lens
        .value_cells()
        .max("own+sys ".len() + unit.chars().count())
        + 1;
    let column = |order, head: &str, cells: usize| MethodColumn {
        order,
        head: head.into(),
        cells,
    };
    let inclusive = match table.sums.measure.left_out(&lens.view) {
        Some(_) => "busy",
        None => "incl",
    };
    let mut columns = vec![
        column(
            MethodOrder::OwnAndSystem,
            &format!("own+sys {unit}"),
            value + 1,
        ),
        column(MethodOrder::Exclusive, &format!("excl {unit}"), value),
        column(
            MethodOrder::Inclusive,
            &format!("{inclusive} {unit}"),
            value,
        ),
    ];
    // names have priority over numbers, except those that the list is sorted by
    let most = match width {
        0..WITH_TWO_VALUES => 1,
        WITH_TWO_VALUES..WITH_THREE_VALUES => 2,
        _ => 3,
    };
    for order in [MethodOrder::Exclusive, MethodOrder::Inclusive] {
        if columns.len() > most && order != table.order {
            columns.retain(|column| column.order != order);
        }
    }
    if width >= WITH_COUNTS {
        let metric = table.sums.measure.metric;
        match lens.view.recording.metric(metric).counts {
            Some(CountKind::Calls) => {
                columns.push(column(MethodOrder::Calls, "calls", 12));
                columns.push(column(MethodOrder::PerCall, "excl/call", 11));
            }
            Some(CountKind::Samples) => columns.push(column(MethodOrder::Samples, "samples", 10)),
            _ => {}
        }
        columns.push(column(MethodOrder::Occurrences, "occurrences", 13));
    }
    columns
}

fn head(
    columns: &[MethodColumn],
    order: MethodOrder,
    bar_cells: usize,
    theme: Theme,
) -> Vec<Span<'static>> {
    let of = |own| Ordered {
        is_ordered: own == order,
        is_reversed: false,
    };
    let mut spans = vec![Span::raw(" ")];
    for (at, column) in columns.iter().enumerate() {
        let of = of(column.order);
        let text = format!("{}{}", of.arrow(), column.head);
        spans.push(right(text, column.cells, of.style(theme)));
        if at == 0 {
            spans.push(right("%", 6, theme.dim()));
            spans.push(Span::raw(" ".repeat(bar_cells + 2)));
        }
    }
    spans.push(of(MethodOrder::Name).name(" ", theme));
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
        MethodOrder::OwnAndSystem => row
            .own_and_system
            .map_or(String::new(), |charged| scale.number(charged.weight())),
        MethodOrder::Exclusive => marked(HotspotOrder::Exclusive),
        MethodOrder::Inclusive => marked(HotspotOrder::Inclusive),
        MethodOrder::PerCall => sums
            .per_call(HotspotOrder::Exclusive)
            .map_or(String::new(), |value| {
                Scale::for_average(metric.unit, value).with_unit(value)
            }),
        MethodOrder::Occurrences => thousands(u64::from(sums.node_count)),
        _ => sums.counted().map_or(String::new(), thousands),
    };
    format!(
        "{:>width$}",
        fit_end(&text, column.cells),
        width = column.cells
    )
}

/// The row for what no user code called, which makes the column add up to the total.
fn no_user_caller(
    table: &MethodTable,
    columns: &[MethodColumn],
    bar_cells: usize,
    scale: Scale,
) -> Option<String> {
    let charged = table.sums.no_user_caller;
    let share = percent(charged.weight(), table.sums.weight);
    let first = columns.first()?.cells;
    let others: usize = columns.iter().skip(1).map(|column| column.cells).sum();
    (charged.value > 0).then(|| {
        let (value, fill) = (
            scale.number(charged.weight()),
            " ".repeat(others + bar_cells + 1),
        );
        format!(" {value:>first$}{share:>6.1} {fill} {NO_USER_CALLER}")
    })
}
