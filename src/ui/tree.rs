//! The pane with the call tree.

use super::canvas::{frame_pane, paint, put, put_right, put_text};
use super::text::{Ordered, bar, dim_behind_first, number, right};
use super::{Theme, compared, note};
use crate::analysis::compared::sides_of;
use crate::app::layout::{Area, Mode, Pane};
use crate::app::{Explorer, PaneRow, PanelKind, SideColumns, Sort, SortColumn, TreeColumns};
use crate::model::NodeId;
use crate::text::{fit_name, visible, width, wrap};
use crate::ui::messages;
use crate::units::thousands;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
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
        let (title, whole) = titles(explorer, pane);
        frame_pane(buffer, pane, title, whole, theme.border(is_focused), theme);
    }
    let columns = explorer.tree_columns();
    let header = header(explorer, columns, theme);
    put(buffer, layout.header(Pane::Tree), 0, header);
    let area = layout.rows(Pane::Tree);
    let height = usize::from(area.height);
    let (rows, selected) = explorer.tree.screen(&explorer.view, height);
    for (line, row) in rows.iter().enumerate() {
        let spans = row_spans(explorer, columns, *row, area, line == selected, theme);
        put(buffer, area, line as u16, spans);
        if line == selected {
            paint(buffer, area, line as u16, theme.selected(is_focused));
        }
    }
    if explorer.view.tree.len() == 1 {
        draw_why_empty(buffer, explorer, area, theme);
    }
    if layout.mode == Mode::Wide {
        let (row, of) = explorer.place;
        let place = format!(" {}/{} ", thousands(row as u64), thousands(of as u64));
        let width = pane.width.saturating_sub(1);
        let bottom = Area::new(pane.x, pane.y + pane.height - 1, width, 1);
        put_right(buffer, bottom, 0, vec![Span::styled(place, theme.dim())]);
    }
}

/// The titles of the pane: what it shows, and what its percentages are of.
fn titles(explorer: &Explorer, pane: Area) -> (String, String) {
    let room = usize::from(pane.width).saturating_sub(TITLE_CELLS);
    let title = match explorer.half {
        Some(PanelKind::Callers) => "1 Callers".into(),
        Some(PanelKind::Callees) => "2 Callees".into(),
        Some(PanelKind::Inverted) => {
            format!("1 {}", messages::INVERTED_TITLE)
        }
        None => return ("1 Call tree".into(), whole_text(explorer, room)),
    };
    let root = visible(explorer.node_name(NodeId::ROOT));
    (title, format!("of {root}"))
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
        put_text(buffer, area, area.height - 1, "  w tells more", theme.dim());
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

fn header(explorer: &Explorer, columns: TreeColumns, theme: Theme) -> Vec<Span<'static>> {
    let sort = explorer.tree.outline.sort();
    if let Some(sides) = columns.sides {
        return compared_header(sides, columns, sort, theme);
    }
    // counts have no unit
    let label = |what: &str| {
        format!("{what} {}", columns.scale.unit())
            .trim_end()
            .to_string()
    };
    // without waiting it is ordered as percentages are
    let by_percent = sort.column == SortColumn::Inclusive
        && explorer.measure().left_out(&explorer.view).is_some();
    let head = |text: String, cells: u16, column| {
        let of = ordered(sort, column);
        let arrow = if by_percent { "" } else { of.arrow() };
        right(format!("{arrow}{text}"), cells.into(), of.style(theme))
    };
    let (arrow, style) = match by_percent {
        true => (ordered(sort, SortColumn::Inclusive).arrow(), theme.accent()),
        false => ("", theme.dim()),
    };
    let mut spans = vec![
        Span::raw(" ".repeat(usize::from(columns.mark))),
        head(label("incl"), columns.inclusive, SortColumn::Inclusive),
        right(format!("{arrow}%"), columns.percent.into(), style),
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
        let counts = explorer.view.recording.metric(explorer.metric).counts;
        let kind = counts.map_or("", |kind| kind.name());
        spans.push(head(kind.into(), columns.count, SortColumn::Count));
    }
    spans.push(ordered(sort, SortColumn::Name).name(" ", theme));
    spans
}

fn row_spans(
    explorer: &Explorer,
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
            [explorer.tree.root(), row.node].map(|node| sides_of(&explorer.view, node));
        // bars are parts of the whole, as percentages are elsewhere
        let largest = u128::from(root.before.max(root.after));
        spans.push(Span::raw(" "));
        spans.extend(compared::cells(sides, node, largest, theme));
    } else {
        value_spans(&mut spans, explorer, columns, row.node, is_selected, theme);
    }
    spans.push(Span::raw(" "));
    spans.extend(name_spans(explorer, row, room, theme));
    spans
}

fn value_spans(
    spans: &mut Vec<Span<'static>>,
    explorer: &Explorer,
    columns: TreeColumns,
    node: NodeId,
    is_selected: bool,
    theme: Theme,
) {
    let (view, tree, id) = (&explorer.view, &explorer.view.tree, explorer.metric);
    let (inclusive, exclusive) = (tree.inclusive(id, node), tree.exclusive(id, node));
    let [samples, own_samples] = explorer.samples(node);
    let number = |value, cells: u16, samples| {
        let is_rough = view.recording.metric(id).is_rough(value, samples);
        number(&columns.scale.number(value), cells.into(), is_rough, theme)
    };
    spans.extend(number(inclusive, columns.inclusive + 1, samples));
    let share = explorer.share(node);
    let percent = share.map_or("waits".into(), |share| format!("{share:.1}"));
    spans.push(right(percent, columns.percent.into(), Style::new()));
    if columns.bar > 0 {
        let share = share.unwrap_or(0.0) / 100.0;
        let bar = bar(share, usize::from(columns.bar) - 1);
        spans.push(Span::styled(format!(" {bar}"), theme.heat(share)));
    }
    if columns.exclusive > 0 {
        spans.extend(number(exclusive, columns.exclusive, own_samples));
    }
    if let Some(count) = tree.count(id, node).filter(|_| columns.count > 0) {
        let style = if is_selected {
            theme.strong()
        } else {
            theme.dim()
        };
        spans.push(right(thousands(count), columns.count.into(), style));
    }
    if inclusive == 0 || share.is_none() || view.waiting(id).is_idle(node) {
        // nothing was measured here in this metric, or nothing but waiting
        dim_behind_first(spans, theme);
    }
}

/// Guides, fold mark and name, in `room` cells.
fn name_spans(explorer: &Explorer, row: PaneRow, room: usize, theme: Theme) -> Vec<Span<'static>> {
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
    // callers of a method are siblings, so its overloads have to be distinguished
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
