use super::PanelView;
use crate::analysis::compared::sides_of;
use crate::app::{Area, PaneRow, SortColumn, TreeColumns, TreeKind, TreePanel};
use crate::model::NodeId;
use crate::text::{visible, width, wrap};
use crate::ui::pen::Pen;
use crate::ui::strip::WhenColumn;
use crate::ui::text::{
    self, SortHeader, bar, cursor_mark, dim_all_but_first, fitting, number, right,
};
use crate::ui::{Theme, compared, messages, note};
use crate::units::thousands;
use ratatui::prelude::Span;

const TITLE_CELLS: usize = 20;

pub(super) fn draw(pen: &mut Pen, view: &PanelView, panel: &TreePanel) {
    let (area, theme, columns) = (view.rows, pen.theme, panel.columns());
    pen.put(view.header, 0, header(panel, columns, theme));
    let when = WhenColumn::of(view.explorer, &panel.lens.view, area.width);
    let when = when.filter(|_| panel.kind == TreeKind::Calls);
    let with_names = WhenColumn::remaining_area(when.as_ref(), area);
    let height = usize::from(area.height);
    let (rows, selected) = panel.shown.screen(&panel.lens.view, height);
    for (at, row) in rows.iter().enumerate() {
        let (line, is_selected) = (at as u16, at == selected);
        let spans = row_spans(panel, columns, *row, with_names, is_selected, theme);
        pen.put(area, line, spans);
        if let Some(when) = &when {
            when.draw(pen, area, line, &[row.node]);
        }
        if is_selected {
            pen.select(with_names, line, view.is_focused);
        }
    }
    if let Some(when) = &when {
        when.draw_head(pen, view.header);
    }
    if panel.lens.view.tree.len() == 1 {
        match panel.kind.is_upward() {
            true => pen.put_dim(area, 2, messages::NO_USER_CODE_ABOVE),
            false => draw_why_empty(pen, view, panel),
        }
    }
    if let Some(pane) = view.border {
        let position = panel.position.map(|count| thousands(count as u64));
        let width = pane.width.saturating_sub(1);
        let bottom = Area::new(pane.x, pane.y + pane.height - 1, width, 1);
        let position = format!(" {} ", position.join("/"));
        pen.put_right(bottom, 0, Span::styled(position, theme.dim()));
    }
}

pub(super) fn subtitle(panel: &TreePanel, width: u16) -> String {
    match panel.kind {
        TreeKind::Calls => whole_text(panel, usize::from(width).saturating_sub(TITLE_CELLS)),
        _ => format!("of {}", visible(panel.lens.node_name(NodeId::ROOT))),
    }
}

/// The first warning or caution, as many of its lines as fit.
fn draw_why_empty(pen: &mut Pen, view: &PanelView, panel: &TreePanel) {
    let (area, theme) = (view.rows, pen.theme);
    let Some(warning) = panel.lens.view.alerts().next() else {
        return;
    };
    let width = usize::from(area.width.saturating_sub(4));
    let lines = wrap(&visible(&warning.to_string()), width);
    // a row for the root and an empty one above, the same below
    let room = usize::from(area.height.saturating_sub(4));
    for (row, line) in (2..).zip(lines.into_iter().take(room)) {
        let line = Span::styled(format!("  {line}"), theme.warning());
        pen.put(area, row, line);
    }
    if area.height > 2 {
        let more = view.explorer.keymap.fill(messages::MORE_IN_NOTES);
        pen.put_dim(area, area.height - 1, more);
    }
}

/// The total that percentages refer to, as much of its text as fits.
pub(in crate::ui) fn whole_text(panel: &TreePanel, room: usize) -> String {
    let (lens, root, measure) = (&panel.lens, panel.shown.root(), panel.measure());
    let view = &lens.view;
    if let Some(columns) = panel.columns().sides {
        return compared::change_text(columns, sides_of(view, root));
    }
    let scale = lens.scale();
    let total = format!("of {}", scale.with_unit(measure.inclusive(view, root)));
    let part = lens.part().filter(|_| root == NodeId::ROOT);
    let range = match part {
        Some(part) => format!(", {:.0} % of all", part.percent()),
        None if view.range().is_some() => " in this range".into(),
        None => String::new(),
    };
    let waiting = measure.left_out(view);
    let waiting = waiting.map_or(0, |waiting| waiting.within(&view.tree, root));
    let candidates = match waiting {
        0 => vec![format!("{total}{range}"), total],
        waiting => {
            let waiting = format!(", without {} waiting", scale.with_unit(waiting));
            vec![
                format!("{total}{range}{waiting}"),
                format!("{total}{waiting}"),
                format!("{total} of work"),
            ]
        }
    };
    fitting(candidates, room).unwrap_or_default()
}

fn header(panel: &TreePanel, columns: TreeColumns, theme: Theme) -> Vec<Span<'static>> {
    let sort = panel.shown.outline.sort;
    if let Some(sides) = columns.sides {
        let heads = [SortColumn::Before, SortColumn::Inclusive, SortColumn::Delta];
        let heads = heads.map(|column| SortHeader::of(sort, column));
        let mut spans = vec![Span::raw(" ".repeat(usize::from(columns.mark)))];
        spans.extend(compared::header(sides, heads, theme));
        spans.push(SortHeader::of(sort, SortColumn::Name).name(" ", "method", theme));
        return spans;
    }
    let head = |text: &str, cells: u16, column| {
        SortHeader::of(sort, column).number(text, cells.into(), theme)
    };
    let unit = columns.scale.unit;
    let is_busy = panel.measure().left_out(&panel.lens.view).is_some();
    // an inverted tree has exclusive values
    let kind = match panel.kind {
        _ if is_busy => "busy",
        TreeKind::Inverted => "excl",
        _ => "incl",
    };
    let inclusive = format!("{kind} {unit}");
    let waits = if columns.waiting > 0 { "waits" } else { "" };
    let mut spans = vec![
        Span::raw(" ".repeat(usize::from(columns.mark))),
        head(&inclusive, columns.inclusive, SortColumn::Inclusive),
        right(waits, columns.waiting.into(), theme.dim()),
        right("%", columns.percent.into(), theme.dim()),
        Span::raw(" ".repeat(usize::from(columns.bar))),
    ];
    if columns.exclusive > 0 {
        let text = format!("excl {unit}");
        spans.push(head(&text, columns.exclusive, SortColumn::Exclusive));
    }
    if columns.count > 0 {
        let kind = panel.lens.counts().map_or("", |kind| kind.name());
        spans.push(head(kind, columns.count, SortColumn::Count));
    }
    spans.push(SortHeader::of(sort, SortColumn::Name).name(" ", "method", theme));
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
    let mut spans = vec![cursor_mark(is_selected)];
    if let Some(sides) = columns.sides {
        let [root, node] =
            [panel.shown.root(), row.node].map(|node| sides_of(&panel.lens.view, node));
        // bars are shares of the total, like percentages elsewhere
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
    let waits = match waiting > 0 && columns.waiting > 0 {
        true => columns.scale.number(waiting),
        false => String::new(),
    };
    spans.push(right(waits, columns.waiting.into(), theme.dim()));
    let share = panel.share(node);
    let cells = usize::from(columns.percent);
    spans.push(text::share(share, cells, theme));
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
        let style = match is_selected {
            true => theme.strong(),
            false => theme.dim(),
        };
        spans.push(right(thousands(count), columns.count.into(), style));
    }
    if inclusive == 0 || share.is_none() || view.waiting(id).is_idle(node) {
        dim_all_but_first(spans, theme);
    }
}

fn name_spans(panel: &TreePanel, row: PaneRow, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let (lens, node) = (&panel.lens, row.node);
    let view = &lens.view;
    let hidden = panel.shown.hidden_levels.min(row.depth);
    let mut lead = String::new();
    if hidden > 0 {
        lead = format!("‹{} ", thousands(hidden as u64));
    }
    // however deep the row, the fold mark and part of the name fit
    let guides = (row.depth - hidden).min(room.saturating_sub(width(&lead) + 8));
    // on every other level, so they don't look like a fence
    lead.extend((0..guides).map(|level| if level % 2 == 0 { '│' } else { ' ' }));
    let fold = match (view.is_leaf(node), panel.shown.outline.is_open(view, node)) {
        (true, _) => "  ",
        (false, true) => "▾ ",
        (false, false) => "▸ ",
    };
    let recursion = view.recursion_of(node).map_or(String::new(), |count| {
        format!(" ×{}", thousands(u64::from(count)))
    });
    let waits = match panel.columns().waiting {
        0 => note::waits(lens, node),
        _ => String::new(),
    };
    let room = room.saturating_sub(width(&lead) + 2 + width(&recursion));
    let frame = view.tree.frame(node);
    // the overloads of a caller are siblings, and have to be distinguished
    let name = match panel.kind.is_upward() {
        true => lens.list_name(frame),
        false => lens.node_name(node).into(),
    };
    let name = visible(&name);
    let [name, note, waits] = note::name_with_marks(lens, (frame, &*name), waits, room, theme);
    vec![
        Span::styled(lead + fold, theme.dim()),
        name,
        Span::styled(recursion, theme.accent()),
        note,
        waits,
    ]
}
