//! The pane with the call tree.

use super::Theme;
use super::canvas::{frame_pane, paint, put, put_right};
use super::compared;
use super::note;
use super::text::{bar, number};
use crate::analysis::compared::sides_of;
use crate::app::layout::{Area, Mode, Pane};
use crate::app::{Explorer, PanelKind, SideColumns, Sort, SortColumn, TreeColumns, TreeRow};
use crate::model::NodeId;
use crate::text::visible;
use crate::text::wrap;
use crate::text::{fit_name, width};
use crate::ui::messages;
use crate::units::thousands;
use ratatui::buffer::Buffer;
use ratatui::text::Span;

/// The cells of the pane's title and of what stands around it in the border.
const TITLE_CELLS: usize = 20;

pub(super) fn draw(buffer: &mut Buffer, explorer: &Explorer, theme: Theme) {
    let layout = &explorer.layout;
    if !layout.is_shown(Pane::Tree) {
        return;
    }
    let pane = layout.pane(Pane::Tree);
    let is_focused = explorer.pane == Pane::Tree && explorer.has_focus;
    if layout.mode == Mode::Wide {
        let (title, whole) = match explorer.half {
            Some(PanelKind::Callers) => half_titles(explorer, 1, "Callers"),
            Some(PanelKind::Callees) => half_titles(explorer, 2, "Callees"),
            Some(PanelKind::Inverted) => half_titles(
                explorer,
                1,
                messages::INVERTED_METHODS_EXCLUSIVE_VALUE_BELOW,
            ),
            None => {
                let room = usize::from(pane.width).saturating_sub(TITLE_CELLS);
                ("1 Call tree".into(), whole_text(explorer, room))
            }
        };
        frame_pane(buffer, pane, title, whole, theme.border(is_focused), theme);
    }
    let columns = explorer.tree_columns();
    put(
        buffer,
        layout.header(Pane::Tree),
        0,
        header(explorer, columns, theme),
    );
    let area = layout.rows(Pane::Tree);
    let (rows, selected) = explorer
        .tree
        .screen(&explorer.view, usize::from(area.height));
    for (line, row) in rows.iter().enumerate() {
        let is_selected = line == selected;
        put(
            buffer,
            area,
            line as u16,
            row_spans(explorer, columns, *row, area, is_selected, theme),
        );
        if is_selected {
            paint(buffer, area, line as u16, theme.selected(is_focused));
        }
    }
    if explorer.view.tree.len() == 1 {
        draw_why_empty(buffer, explorer, area, theme);
    }
    if layout.mode == Mode::Wide {
        let (row, of) = explorer.place;
        let place = format!(" {}/{} ", thousands(row as u64), thousands(of as u64));
        let bottom = Area::new(
            pane.x,
            pane.y + pane.height - 1,
            pane.width.saturating_sub(1),
            1,
        );
        put_right(buffer, bottom, 0, vec![Span::styled(place, theme.dim())]);
    }
}

/// Why there is nothing but the root: what the importer said first, as far as it has room.
fn draw_why_empty(buffer: &mut Buffer, explorer: &Explorer, area: Area, theme: Theme) {
    let Some(warning) = explorer.view.alerts().next() else {
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
        put(
            buffer,
            area,
            area.height - 1,
            vec![Span::styled("  w tells more", theme.dim())],
        );
    }
}

/// What percentages are of, as much of it as has room.
pub(super) fn whole_text(explorer: &Explorer, room: usize) -> String {
    let (view, root, measure) = (&explorer.view, explorer.tree.root(), explorer.measure());
    if let Some(columns) = explorer.tree_columns().sides {
        return compared::change_text(columns, sides_of(view, root));
    }
    let scale = explorer.scale();
    let whole = format!("of {}", scale.with_unit(measure.inclusive(view, root)));
    let part = explorer
        .part_words()
        .filter(|_| explorer.tree.root() == NodeId::ROOT);
    let range = match part {
        Some(_) => format!(", {:.0} % of all", explorer.part_percent()),
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

/// The heads of a comparison's columns.
fn compared_header(
    sides: SideColumns,
    columns: TreeColumns,
    sort: Sort,
    theme: Theme,
) -> Vec<Span<'static>> {
    let style = |column| {
        if sort.column == column {
            theme.accent()
        } else {
            theme.dim()
        }
    };
    let arrow = |column| match (sort.column == column, sort.reversed) {
        (false, _) => "",
        (true, false) => "▾",
        (true, true) => "▴",
    };
    let head = |column| compared::Head {
        arrow: arrow(column),
        style: style(column),
    };
    let heads = [SortColumn::Before, SortColumn::Inclusive, SortColumn::Delta].map(head);
    let mut spans = vec![Span::raw(" ".repeat(usize::from(columns.mark)))];
    spans.extend(compared::header(sides, heads, theme));
    spans.push(Span::styled(
        format!(" {}method", arrow(SortColumn::Name)),
        style(SortColumn::Name),
    ));
    spans
}

fn header(explorer: &Explorer, columns: TreeColumns, theme: Theme) -> Vec<Span<'static>> {
    let sort = explorer.tree.outline.sort();
    if let Some(sides) = columns.sides {
        return compared_header(sides, columns, sort, theme);
    }
    let unit = columns.scale.unit();
    // counts have no unit
    let label = |what: &str| {
        if unit.is_empty() {
            what.to_string()
        } else {
            format!("{what} {unit}")
        }
    };
    // without waiting it is ordered as percentages are
    let by_percent = sort.column == SortColumn::Inclusive
        && explorer.measure().left_out(&explorer.view).is_some();
    let style = |column| {
        if sort.column == column {
            theme.accent()
        } else {
            theme.dim()
        }
    };
    let arrow = |column| match (sort.column == column, sort.reversed) {
        (false, _) => "",
        (true, false) => "▾",
        (true, true) => "▴",
    };
    let right = |text: String, cells: u16, column| {
        let arrow = if by_percent { "" } else { arrow(column) };
        let text = format!("{arrow}{text}");
        Span::styled(
            format!("{text:>width$}", width = usize::from(cells)),
            style(column),
        )
    };
    let mut spans = vec![
        Span::raw(" ".repeat(usize::from(columns.mark))),
        right(label("incl"), columns.inclusive, SortColumn::Inclusive),
        Span::styled(
            format!(
                "{:>width$}",
                if by_percent {
                    format!("{}%", arrow(SortColumn::Inclusive))
                } else {
                    "%".into()
                },
                width = usize::from(columns.percent)
            ),
            if by_percent {
                theme.accent()
            } else {
                theme.dim()
            },
        ),
        Span::raw(" ".repeat(usize::from(columns.bar))),
    ];
    if columns.exclusive > 0 {
        spans.push(right(
            label("excl"),
            columns.exclusive,
            SortColumn::Exclusive,
        ));
    }
    if columns.count > 0 {
        let kind = explorer
            .view
            .metric(explorer.metric)
            .counts
            .map_or("", |kind| kind.name());
        spans.push(right(kind.into(), columns.count, SortColumn::Count));
    }
    spans.push(Span::styled(
        format!(" {}method", arrow(SortColumn::Name)),
        style(SortColumn::Name),
    ));
    spans
}

fn row_spans(
    explorer: &Explorer,
    columns: TreeColumns,
    row: TreeRow,
    area: Area,
    is_selected: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let (tree, metric, node) = (&explorer.view.tree, explorer.metric, row.node);
    let room = usize::from(area.width).saturating_sub(usize::from(columns.name_from()));
    if let Some(sides) = columns.sides {
        let root = sides_of(&explorer.view, explorer.tree.root());
        // bars are parts of the whole, as percentages are elsewhere
        let largest = u128::from(root.before.max(root.after));
        let mut spans = vec![Span::raw(if is_selected { "▶ " } else { "  " })];
        spans.extend(compared::cells(
            sides,
            sides_of(&explorer.view, node),
            largest,
            theme,
        ));
        spans.push(Span::raw(" "));
        spans.extend(name_spans(explorer, row, room, theme));
        return spans;
    }
    let inclusive = tree.inclusive(metric, node);
    let share = explorer.share(node);
    let scale = columns.scale;
    let cells = usize::from;
    let exclusive = tree.exclusive(metric, node);
    let [samples, own_samples] = explorer.samples(node);
    let measured = explorer.view.metric(metric);
    let mut spans = vec![Span::raw(if is_selected { "▶" } else { " " })];
    spans.extend(number(
        &scale.number(inclusive),
        cells(columns.inclusive) + 1,
        measured.is_rough(inclusive, samples),
        theme,
    ));
    let percent = share.map_or("waits".into(), |share| format!("{share:.1}"));
    spans.push(Span::raw(format!(
        "{percent:>width$}",
        width = cells(columns.percent)
    )));
    let share = share.unwrap_or(0.0);
    if columns.bar > 0 {
        let bar = bar(share / 100.0, cells(columns.bar) - 1);
        spans.push(Span::styled(format!(" {bar}"), theme.heat(share / 100.0)));
    }
    if columns.exclusive > 0 {
        spans.extend(number(
            &scale.number(exclusive),
            cells(columns.exclusive),
            measured.is_rough(exclusive, own_samples),
            theme,
        ));
    }
    if let Some(count) = tree.count(metric, node).filter(|_| columns.count > 0) {
        let style = if is_selected {
            theme.strong()
        } else {
            theme.dim()
        };
        spans.push(Span::styled(
            format!("{:>width$}", thousands(count), width = cells(columns.count)),
            style,
        ));
    }
    if inclusive == 0
        || explorer.share(node).is_none()
        || explorer.view.waiting(metric).is_idle(node)
    {
        // nothing was measured here in this metric, or nothing but waiting
        spans
            .iter_mut()
            .skip(1)
            .for_each(|span| span.style = theme.dim());
    }
    spans.push(Span::raw(" "));
    spans.extend(name_spans(explorer, row, room, theme));
    spans
}

/// Guides, fold mark and name, in `room` cells.
fn name_spans(explorer: &Explorer, row: TreeRow, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let (view, node) = (&explorer.view, row.node);
    let hidden = explorer.tree.hidden_levels().min(row.depth);
    let mut lead = String::new();
    if hidden > 0 {
        lead = format!("‹{} ", thousands(hidden as u64));
    }
    // however deep the row, the fold mark and some of the name have room
    let guides = (row.depth - hidden).min(room.saturating_sub(width(&lead) + 8));
    lead.push_str(&"│".repeat(guides));
    let mark = match (
        view.is_leaf(node),
        explorer.tree.outline.is_open(view, node),
    ) {
        (true, _) => "● ",
        (false, true) => "▾ ",
        (false, false) => "▸ ",
    };
    let chain = view.recursion_of(node).map_or(String::new(), |chain| {
        format!(" ×{}", thousands(u64::from(chain)))
    });
    let note = note::mark(explorer, view.tree.frame(node));
    let room = room.saturating_sub(width(&lead) + 2 + width(&chain) + width(note));
    let frame = view.frames.get(view.tree.frame(node));
    // where all callers of a method are siblings, its overloads have to be told apart
    let shown = match explorer.half {
        Some(PanelKind::Callers | PanelKind::Inverted) => explorer.list_name(view.tree.frame(node)),
        _ => explorer.node_name(node).into(),
    };
    let name = visible(&shown);
    vec![
        Span::styled(lead, theme.dim()),
        Span::styled(mark, theme.dim()),
        Span::styled(fit_name(&name, room), theme.name(frame.category)),
        Span::styled(chain, theme.accent()),
        Span::styled(note, theme.accent()),
    ]
}

/// The title of the pane of a half, and what its percentages are of.
fn half_titles(half: &Explorer, number: u8, what: &str) -> (String, String) {
    let name = visible(half.node_name(NodeId::ROOT)).into_owned();
    (format!("{number} {what}"), format!("of {name}"))
}
