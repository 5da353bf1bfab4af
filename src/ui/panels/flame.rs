//! A line of cells for each row of frames. If two frames share a cell, a block character divides it to the nearest eighth.

use crate::analysis::compared::sides_of;
use crate::app::{Area, FlameLayout, FlamePanel, FrameBar, Highlights, Lens, MAX_COUNTED};
use crate::model::{ComparedValue, NodeId, Verdict};
use crate::names::Category;
use crate::text::{fit_end, fit_name, method_from, visible, width};
use crate::ui::pen::Pen;
use crate::ui::text::{EIGHTHS, fitting};
use crate::ui::theme::flame::{FlameHue, FlameLook};
use crate::ui::{Theme, messages};
use crate::units::{counted, percent, thousands};
use ratatui::prelude::Span;

/// Between two frames in the middle of a cell, and at its left edge if their colors don't separate them.
const DIVIDERS: [&str; 2] = ["│", "▏"];

const SELECTED: &str = "▶";

/// Frames with fewer cells are named without their type.
const METHOD_ONLY: usize = 14;

/// Three letters and `…`: less is meaningless.
const MIN_NAME: usize = 4;

/// The minimum share of the larger value for a difference to be large.
const LARGE_PERCENT: f64 = 50.0;

pub(super) struct DrawnBar {
    bar: FrameBar,
    pub(super) is_selected: bool,
    look: FlameLook,
    /// Precedes the name.
    mark: &'static str,
    text: String,
    category: Category,
}

impl DrawnBar {
    pub(super) fn new(
        lens: &Lens,
        highlights: Option<&Highlights>,
        (bar, text): (FrameBar, String),
        is_selected: bool,
        theme: Theme,
    ) -> DrawnBar {
        let frame = lens.view.tree.frame(bar.node);
        let is_unlit = highlights.is_some_and(|highlights| !highlights.frames[frame.index()]);
        let hue = match bar.is_gathered {
            true => FlameHue::Gathered,
            false if is_selected => FlameHue::Selected,
            false if is_unlit => FlameHue::Dimmed,
            false => hue_of(lens, bar.node),
        };
        DrawnBar {
            bar,
            is_selected,
            look: theme.flame(hue, bar.is_odd),
            mark: match hue {
                FlameHue::Selected => SELECTED,
                FlameHue::Slower | FlameHue::MuchSlower => "+",
                FlameHue::Faster | FlameHue::MuchFaster => "-",
                _ => "",
            },
            text,
            category: lens.view.frames.get(frame).category,
        }
    }

    pub(super) fn covers(&self, cell: usize) -> bool {
        (self.bar.from..self.bar.to).contains(&(8 * cell))
    }
}

pub(super) fn draw(pen: &mut Pen, panel: &FlamePanel) {
    let (theme, layout, lens, frames) = (pen.theme, panel.layout(), &panel.lens, &panel.frames);
    for (line, row) in frames.bars.iter().enumerate() {
        let drawn = |&bar: &FrameBar| {
            let text = match bar.is_gathered {
                true => narrow_text(&layout, bar),
                false => visible(lens.node_name(bar.node)).into_owned(),
            };
            let is_selected = panel.is_marked(&bar);
            DrawnBar::new(
                lens,
                frames.highlights.as_ref(),
                (bar, text),
                is_selected,
                theme,
            )
        };
        let bars: Vec<DrawnBar> = row.iter().map(drawn).collect();
        draw_row(pen, frames.chart_area(), line as u16, &bars);
    }
    let footer = frames.footer();
    let last = footer.height.saturating_sub(1);
    if last > 0 {
        let text = fit_end(&gone_text(panel), usize::from(footer.width));
        pen.put_dim(footer, 0, text);
    }
    let bars = frames.bars.iter().flatten().filter(|bar| !bar.is_gathered);
    let nodes = bars.map(|bar| bar.node);
    let total = panel.measure().inclusive(&lens.view, panel.root);
    let highlights = frames.highlights.as_ref();
    let highlights = highlights.map(|highlights| (highlights, total));
    let line = footer_line(lens, highlights, nodes, footer, theme);
    pen.put(footer, last, line);
}

pub(super) fn draw_row(pen: &mut Pen, chart: Area, line: u16, bars: &[DrawnBar]) {
    let cells = usize::from(chart.width);
    let part = |first: usize, end: usize| {
        let x = chart.x + first as u16;
        Area::new(x, chart.y + line, (end - first) as u16, 1)
    };
    let mut before: Option<&DrawnBar> = None;
    for (index, drawn) in bars.iter().enumerate() {
        let (from, to) = (drawn.bar.from, drawn.bar.to);
        before = before.filter(|before| before.bar.to == from);
        let (first, end) = (from.div_ceil(8), (to / 8).min(cells));
        if end > first {
            pen.put(part(first, end), 0, name_cells(drawn, before, end - first));
        }
        if from % 8 > 0 {
            let left = before.map(|before| &before.look);
            let span = shared_cell(left, Some(&drawn.look), from % 8);
            pen.put(part(first - 1, first), 0, span);
        }
        let is_last = bars.get(index + 1).is_none_or(|next| next.bar.from > to);
        if to % 8 > 0 && is_last && end >= first && end < cells {
            let span = shared_cell(Some(&drawn.look), None, to % 8);
            pen.put(part(end, end + 1), 0, span);
        }
        // the selection is visible even if it has no cell of its own
        if drawn.is_selected && end <= first {
            let at = ((from + to) / 16).min(cells.saturating_sub(1));
            pen.put(part(at, at + 1), 0, Span::styled(SELECTED, drawn.look.text));
        }
        before = Some(drawn);
    }
}

/// The name of a method without a suffix in brackets and, if there is little room, without its type.
fn label(name: &str, category: Category, cells: usize) -> String {
    if width(name) <= cells {
        return name.into();
    }
    if name.starts_with('…') {
        // `… 18` of `… 18 async frames`
        let number = name.match_indices(' ').nth(1).map(|(at, _)| &name[..at]);
        return fitting(number.into_iter().chain(["…"]), cells).unwrap_or_default();
    }
    // dots in other names don't separate types from methods
    if category == Category::Pseudo {
        return fit_letters(name, cells);
    }
    let bare = name.rsplit_once(" (").map_or(name, |(bare, _)| bare);
    if cells >= METHOD_ONLY || width(bare) <= cells {
        return fit_name(bare, cells);
    }
    let method = &bare[method_from(bare)..];
    match method.find('(') {
        // arguments are not shown
        Some(at) if at > 0 && width(method) > cells => fit_letters(&method[..at], cells),
        _ => fit_letters(method, cells),
    }
}

fn fit_letters(text: &str, cells: usize) -> String {
    match width(text) > cells && cells < MIN_NAME {
        true => String::new(),
        false => fit_end(text, cells),
    }
}

/// Such as `…+37`.
fn narrow_text(layout: &FlameLayout, bar: FrameBar) -> String {
    if bar.to - bar.from < 4 * 8 {
        return "…".into();
    }
    let count = layout.narrow_callees(bar.node);
    let or_more = if count == MAX_COUNTED { "+" } else { "" };
    format!("…+{}{or_more}", thousands(count as u64))
}

fn hue_of(lens: &Lens, node: NodeId) -> FlameHue {
    let view = &lens.view;
    let id = view.tree.frame(node);
    if lens.is_comparison() {
        let sides = sides_of(view, node);
        let verdicts = view.recording.verdicts();
        let verdict = verdicts.and_then(|verdicts| verdicts.of(id, ComparedValue::Inclusive));
        let change = sides.delta().unsigned_abs() as u64;
        let is_large = percent(change, sides.before.max(sides.after)) >= LARGE_PERCENT;
        return match (sides.delta(), is_large) {
            _ if verdict == Some(Verdict::MayBeChance) => FlameHue::Unchanged,
            (0, _) => FlameHue::Unchanged,
            (1.., false) => FlameHue::Slower,
            (1.., true) => FlameHue::MuchSlower,
            (_, false) => FlameHue::Faster,
            (_, true) => FlameHue::MuchFaster,
        };
    }
    let frame = view.frames.get(id);
    let waits = || {
        let waiting = view.waiting(lens.metric).within(&view.tree, node);
        waiting > 0 && waiting == view.tree.inclusive(lens.metric, node)
    };
    match frame.category {
        _ if frame.is_wait => FlameHue::Waiting,
        Category::System | Category::Native if waits() => FlameHue::Waiting,
        Category::User => FlameHue::User,
        Category::Library => FlameHue::Library,
        Category::System => FlameHue::System,
        Category::Native => FlameHue::Native,
        Category::Pseudo => FlameHue::NoCode,
    }
}

/// The left frame gets this many eighths.
fn shared_cell(
    left: Option<&FlameLook>,
    right: Option<&FlameLook>,
    eighths: usize,
) -> Span<'static> {
    let style = FlameLook::separator_style(left, right);
    match style {
        Some(style) => Span::styled(EIGHTHS[eighths], style),
        None => {
            let look = right.or(left).filter(|look| look.has_edge);
            look.map_or(Span::raw(" "), |look| Span::styled(DIVIDERS[0], look.rest))
        }
    }
}

fn name_cells(drawn: &DrawnBar, before: Option<&DrawnBar>, cells: usize) -> Vec<Span<'static>> {
    let (look, from, text) = (&drawn.look, drawn.bar.from, &drawn.text);
    let is_same = before.is_some_and(|before| before.look.fill == look.fill);
    let needs_edge = is_same || look.fill.is_none();
    let has_edge = from.is_multiple_of(8) && needs_edge && look.has_edge && from > 0;
    let mut spans = Vec::new();
    let mut room = cells;
    if has_edge {
        spans.push(Span::styled(DIVIDERS[1], look.rest));
        room -= 1;
    }
    let name = match room {
        1..3 if drawn.bar.is_gathered => "…".into(),
        0..3 => fit_end(drawn.mark, room),
        _ => {
            let label = label(text, drawn.category, room - width(drawn.mark));
            format!("{}{label}", drawn.mark)
        }
    };
    let texture = look.texture.repeat(room.saturating_sub(width(&name)));
    spans.push(Span::styled(name, look.text));
    spans.push(Span::styled(texture, look.rest));
    spans
}

/// The legend, or the combined value of the methods that a search highlighted, and its share of a total.
pub(super) fn footer_line(
    lens: &Lens,
    highlights: Option<(&Highlights, u64)>,
    nodes: impl Iterator<Item = NodeId>,
    footer: Area,
    theme: Theme,
) -> Vec<Span<'static>> {
    if let Some((highlights, total)) = highlights {
        let value = lens.scale().with_unit(highlights.value);
        let methods = counted(highlights.methods as u64, "method");
        let share = percent(highlights.value, total);
        let total = lens.scale().with_unit(total);
        let query = visible(&highlights.query);
        let text = messages::highlighted(&query, &methods, &value, &share, &total);
        let text = fit_end(&format!("{text}  "), usize::from(footer.width));
        return vec![Span::styled(text, theme.accent())];
    }
    let mut hues: Vec<FlameHue> = nodes.map(|node| hue_of(lens, node)).collect();
    hues.sort_unstable();
    hues.dedup();
    hues.retain(|hue| !hue.name().is_empty());
    let cells = hues.iter().map(|hue| width(hue.name()) + 5).sum::<usize>();
    if cells > usize::from(footer.width) {
        // a weaker color means the same with a smaller difference
        hues.retain(|hue| !matches!(hue, FlameHue::Slower | FlameHue::Faster));
    }
    let entry = |hue: FlameHue| {
        let look = theme.flame(hue, false);
        let sample = Span::styled(look.texture.repeat(2), look.rest);
        [
            sample,
            Span::styled(format!(" {}  ", hue.name()), theme.dim()),
        ]
    };
    hues.into_iter().flat_map(entry).collect()
}

fn gone_text(panel: &FlamePanel) -> String {
    const NAMED: usize = 5;
    let scale = panel.lens.scale();
    let methods = panel
        .methods_gone
        .iter()
        .take(NAMED)
        .map(|&(frame, value)| {
            let name = visible(panel.lens.frame_name(frame)).into_owned();
            format!("{name} {}", scale.with_unit(value))
        });
    let more = panel.methods_gone.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| messages::more_gone(&thousands(more as u64)));
    let methods: Vec<String> = methods.chain(more).collect();
    messages::gone(&methods.join(", "))
}

#[cfg(test)]
mod tests;
