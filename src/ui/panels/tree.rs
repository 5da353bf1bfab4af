//! The pane with the call tree.

use super::Canvas;
use crate::analysis::compared::sides_of;
use crate::app::{
    Area, Mode, PaneRow, SideColumns, Sort, SortColumn, TreeColumns, TreeKind, TreePanel,
};
use crate::model::NodeId;
use crate::text::{fit_name, visible, width, wrap};
use crate::ui::canvas::{put, put_right, put_text, select};
use crate::ui::strip::When;
use crate::ui::text::{self, Ordered, bar, dim_behind_first, number, right};
use crate::ui::{Theme, compared, messages, note};
use crate::units::thousands;
use ratatui::prelude::{Buffer, Span};

/// The cells of the pane's title and of its surroundings in the border.
const TITLE_CELLS: usize = 20;

pub(super) fn draw(buffer: &mut Buffer, canvas: &Canvas, panel: &TreePanel) {
    let &Canvas {
        layout, at, theme, ..
    } = canvas;
    let columns = panel.columns();
    put(buffer, layout.header(at), 0, header(panel, columns, theme));
    let area = layout.rows(at);
    let height = usize::from(area.height);
    let when = When::of(canvas.explorer, &panel.lens.view, area.width);
    let when = when.filter(|_| panel.kind == TreeKind::Calls);
    let with_names = Area {
        width: area.width.saturating_sub(When::width(when.as_ref()) as u16),
        ..area
    };
    let (rows, selected) = panel.shown.screen(&panel.lens.view, height);
    for (line, row) in rows.iter().enumerate() {
        let spans = row_spans(panel, columns, *row, with_names, line == selected, theme);
        put(buffer, area, line as u16, spans);
        if let Some(when) = &when {
            when.draw(buffer, area, line as u16, &[row.node]);
        }
        if line == selected {
            select(buffer, with_names, line as u16, theme, canvas.is_focused);
        }
    }
    if let Some(when) = &when {
        when.draw_head(buffer, layout.header(at), theme);
    }
    let is_alone = panel.lens.view.tree.len() == 1;
    if is_alone && panel.kind.is_upward() {
        put_text(buffer, area, 2, messages::NO_USER_CODE_ABOVE, theme.dim());
    } else if is_alone {
        let more = canvas.explorer.keymap.fill(messages::NOTES_TELL_MORE);
        draw_why_empty(buffer, panel, area, more, theme);
    }
    if layout.mode == Mode::Wide {
        let (pane, (row, of)) = (layout.panels[at], panel.place);
        let place = format!(" {}/{} ", thousands(row as u64), thousands(of as u64));
        let width = pane.width.saturating_sub(1);
        let bottom = Area::new(pane.x, pane.y + pane.height - 1, width, 1);
        put_right(buffer, bottom, 0, vec![Span::styled(place, theme.dim())]);
    }
}

/// What percentages refer to, in a panel of this width.
pub(super) fn about(panel: &TreePanel, width: u16) -> String {
    match panel.kind {
        TreeKind::Calls => whole_text(panel, usize::from(width).saturating_sub(TITLE_CELLS)),
        _ => format!("of {}", visible(panel.lens.node_name(NodeId::ROOT))),
    }
}

/// Why there is nothing but the root: the importer's first diagnostics, as many as fit.
fn draw_why_empty(buffer: &mut Buffer, panel: &TreePanel, area: Area, more: String, theme: Theme) {
    let Some(warning) = panel.lens.view.alerts().next() else {
        return;
    };
    let lines = wrap(
        &visible(&warning.to_string()),
        usize::from(area.width.saturating_sub(4)),
    );
    // a row for the root and an empty one above, the same below
    let room = usize::from(area.height.saturating_sub(4));
    for (at, line) in lines.into_iter().take(room).enumerate() {
        put(
            buffer,
            area,
            2 + at as u16,
            vec![Span::raw("  "), Span::styled(line, theme.warning())],
        );
    }
    if area.height > 2 {
        put_text(buffer, area, area.height - 1, more, theme.dim());
    }
}

/// What percentages refer to, as much of it as fits.
pub(in crate::ui) fn whole_text(panel: &TreePanel, room: usize) -> String {
    let (lens, root, measure) = (&panel.lens, panel.shown.root(), panel.measure());
    let view = &lens.view;
    if let Some(columns) = panel.columns().sides {
        return compared::change_text(columns, sides_of(view, root));
    }
    let scale = lens.scale();
    let whole = format!("of {}", scale.with_unit(measure.inclusive(view, root)));
    let part = lens.part().filter(|_| root == NodeId::ROOT);
    let range = match part {
        Some(part) => format!(", {:.0} % of all", part.percent()),
        None if view.range().is_some() => " in this range".into(),
        None => String::new(),
    };
    let candidates = match measure
        .left_out(view)
        .map_or(0, |waiting| waiting.within(&view.tree, root))
    {
        0 => vec![format!("{whole}{range}"), whole],
        waiting => {
            let waiting = format!(", without {} waiting", scale.with_unit(waiting));
            vec![
                format!("{whole}{range}{waiting}"),
                format!("{whole}{waiting}"),
                format!("{whole} of work"),
            ]
        }
    };
    candidates
        .into_iter()
        .find(|candidate| width(candidate) <= room)
        .unwrap_or_default()
}

/// The column headers of a comparison.
fn compared_header(
    sides: SideColumns,
    columns: TreeColumns,
    sort: Sort,
    theme: Theme,
) -> Vec<Span<'static>> {
    let head = |column| {
        let of = ordered(sort, column);
        compared::ComparedHead {
            arrow: of.arrow(),
            style: of.style(theme),
        }
    };
    let heads = [SortColumn::Before, SortColumn::Inclusive, SortColumn::Delta].map(head);
    let mut spans = vec![Span::raw(" ".repeat(usize::from(columns.mark)))];
    spans.extend(compared::header(sides, heads, theme));
    spans.push(ordered(sort, SortColumn::Name).name(" ", theme));
    spans
}

fn ordered(sort: Sort, column: SortColumn) -> Ordered {
    Ordered {
        is_ordered: sort.column == column,
        is_reversed: sort.reversed,
    }
}

fn header(panel: &TreePanel, columns: TreeColumns, theme: Theme) -> Vec<Span<'static>> {
    let sort = panel.shown.outline.sort();
    if let Some(sides) = columns.sides {
        return compared_header(sides, columns, sort, theme);
    }
    // counts have no unit
    let label = |what: &str| {
        format!("{what} {}", columns.scale.unit())
            .trim_end()
            .to_string()
    };
    let is_busy = panel.measure().left_out(&panel.lens.view).is_some();
    let head = |text: String, cells: u16, column| {
        let of = ordered(sort, column);
        right(
            format!("{}{text}", of.arrow()),
            cells.into(),
            of.style(theme),
        )
    };
    // an inverted tree counts exclusive values
    let what = match panel.kind {
        _ if is_busy => "busy",
        TreeKind::Inverted => "excl",
        _ => "incl",
    };
    let mut spans = vec![
        Span::raw(" ".repeat(usize::from(columns.mark))),
        head(label(what), columns.inclusive, SortColumn::Inclusive),
        right(
            if columns.waiting > 0 { "waits" } else { "" },
            columns.waiting.into(),
            theme.dim(),
        ),
        right("%", columns.percent.into(), theme.dim()),
        Span::raw(" ".repeat(usize::from(columns.bar))),
    ];
    if columns.exclusive > 0 {
        spans.push(head(
            label("excl"),
            columns.exclusive,
            SortColumn::Exclusive,
        ));
    }
    if columns.count > 0 {
        let kind = panel.lens.counts().map_or("", |kind| kind.name());
        spans.push(head(kind.into(), columns.count, SortColumn::Count));
    }
    spans.push(ordered(sort, SortColumn::Name).name(" ", theme));
    spans
}

fn row_spans(
    panel: &TreePanel,
    columns: TreeColumns,
    row: PaneRow,
    area: Area,
    is_selected: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let room = usize::from(area.width).saturating_sub(usize::from(columns.name_from()));
    let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
    if let Some(sides) = columns.sides {
        let [root, node] =
            [panel.shown.root(), row.node].map(|node| sides_of(&panel.lens.view, node));
        // bars show the share of the total, like percentages elsewhere
        let largest = u128::from(root.before.max(root.after));
        spans.push(Span::raw(" "));
        spans.extend(compared::cells(sides, node, largest, theme));
    } else {
        value_spans(&mut spans, panel, columns, row.node, is_selected, theme);
    }
    spans.push(Span::raw(" "));
    spans.extend(name_spans(panel, row, room, theme));
    spans
}

fn value_spans(
    spans: &mut Vec<Span<'static>>,
    panel: &TreePanel,
    columns: TreeColumns,
    node: NodeId,
    is_selected: bool,
    theme: Theme,
) {
    let (view, id) = (&panel.lens.view, panel.lens.metric);
    let tree = &view.tree;
    let measure = panel.measure();
    let (inclusive, exclusive) = (measure.inclusive(view, node), measure.exclusive(view, node));
    let [samples, own_samples] = panel.samples(node);
    let number = |value, cells: u16, samples| {
        let is_rough = view.recording.metric(id).is_rough(value, samples);
        number(&columns.scale.number(value), cells.into(), is_rough, theme)
    };
    let waiting = view.waiting(id).within(tree, node);
    spans.extend(number(inclusive, columns.inclusive + 1, samples));
    let waits = if waiting > 0 && columns.waiting > 0 {
        columns.scale.number(waiting)
    } else {
        String::new()
    };
    spans.push(right(waits, columns.waiting.into(), theme.dim()));
    let share = panel.share(node);
    let cells = usize::from(columns.percent);
    spans.push(match share {
        Some(percent) => text::share(percent, cells, theme),
        None => right("waits", cells, theme.dim()),
    });
    if columns.bar > 0 {
        let share = share.unwrap_or(0.0) / 100.0;
        let bar = bar(share, usize::from(columns.bar) - 1);
        spans.push(Span::styled(format!(" {bar}"), theme.heat(share)));
    }
    if columns.exclusive > 0 {
        match exclusive {
            0 => spans.push(right("", columns.exclusive.into(), theme.dim())),
            _ => spans.extend(number(exclusive, columns.exclusive, own_samples)),
        }
    }
    if let Some(count) = measure.count(view, node).filter(|_| columns.count > 0) {
        let style = if is_selected {
            theme.strong()
        } else {
            theme.dim()
        };
        spans.push(right(thousands(count), columns.count.into(), style));
    }
    if inclusive == 0 || share.is_none() || view.waiting(id).is_idle(node) {
        // nothing was measured here in this metric, or only waiting
        dim_behind_first(spans, theme);
    }
}

/// Guides, fold mark and name, in `room` cells.
fn name_spans(panel: &TreePanel, row: PaneRow, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let (lens, node) = (&panel.lens, row.node);
    let view = &lens.view;
    let hidden = panel.shown.hidden_levels().min(row.depth);
    let mut lead = String::new();
    if hidden > 0 {
        lead = format!("‹{} ", thousands(hidden as u64));
    }
    // however deep the row, the fold mark and part of the name fit
    let guides = (row.depth - hidden).min(room.saturating_sub(width(&lead) + 8));
    // on every other level: they guide the eye, and must not look like a fence
    lead.extend((0..guides).map(|level| if level % 2 == 0 { '│' } else { ' ' }));
    let mark = match (view.is_leaf(node), panel.shown.outline.is_open(view, node)) {
        (true, _) => "  ",
        (false, true) => "▾ ",
        (false, false) => "▸ ",
    };
    let chain = view.recursion_of(node).map_or(String::new(), |chain| {
        format!(" ×{}", thousands(u64::from(chain)))
    });
    let note = note::mark(lens, view.tree.frame(node));
    let waits = if panel.columns().waiting > 0 {
        String::new()
    } else {
        note::waits(lens, node)
    };
    let room = room.saturating_sub(width(&lead) + 2 + width(&chain) + width(note));
    let frame = view.frames.get(view.tree.frame(node));
    // callers of a method are siblings, so its overloads have to be distinguished
    let shown = match panel.kind.is_upward() {
        true => lens.list_name(view.tree.frame(node)),
        false => lens.node_name(node).into(),
    };
    let name = visible(&shown);
    // the name matters more
    let waits = if width(&name) + width(&waits) <= room {
        waits
    } else {
        String::new()
    };
    vec![
        Span::styled(lead, theme.dim()),
        Span::styled(mark, theme.dim()),
        Span::styled(fit_name(&name, room), theme.name(frame.category)),
        Span::styled(chain, theme.accent()),
        Span::styled(note, theme.accent()),
        Span::styled(waits, theme.dim()),
    ]
}
