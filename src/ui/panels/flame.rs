//! A line of cells for each row of frames. If two frames share a cell, a block character divides it to the eighth.

use crate::analysis::compared::sides_of;
use crate::app::{Area, FlameBar, FlameLayout, FlamePanel, Highlights, Lens, MAX_COUNTED};
use crate::model::{Chance, ComparedValue, FrameId, NodeId};
use crate::names::Category;
use crate::text::{fit_end, fit_name, visible, width};
use crate::ui::pen::Pen;
use crate::ui::theme::flame::{FlameHue, FlameLook};
use crate::ui::{Theme, messages};
use crate::units::{counted, percent, thousands};
use ratatui::prelude::Span;

/// 0 to 7 eighths of a cell, from the left.
const EIGHTHS: [&str; 8] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Between two frames in the middle of a cell, and at its left edge if their colors don't separate them.
const DIVIDERS: [&str; 2] = ["│", "▏"];

pub(super) const SELECTED: &str = "▶";

/// Frames with fewer cells are named without their type.
const METHOD_ONLY: usize = 14;

/// Three letters and `…`: less is meaningless.
const MIN_NAME: usize = 4;

/// The minimum share of the larger value for a difference to be large.
const LARGE_PERCENT: f64 = 50.0;

pub(super) struct DrawnBar {
    /// In eighths of a cell.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) look: FlameLook,
    /// Precedes the name.
    pub(super) mark: &'static str,
    pub(super) text: String,
    pub(super) label: fn(&str, usize) -> String,
}

pub(super) fn draw(pen: &mut Pen, panel: &FlamePanel) {
    let (theme, layout, chart) = (pen.theme, panel.layout(), panel.chart_area());
    for (line, row) in panel.rows.iter().enumerate() {
        let drawn = |bar| drawn(panel, &layout, line, bar, theme);
        let bars: Vec<DrawnBar> = row.iter().map(drawn).collect();
        draw_row(pen, chart, line as u16, &bars);
    }
    let footer = panel.footer();
    let last = footer.height.saturating_sub(1);
    if last > 0 {
        let text = fit_end(&gone_text(panel), usize::from(footer.width));
        pen.put_dim(footer, 0, text);
    }
    let bars = panel.rows.iter().flatten().filter(|bar| !bar.is_gathered);
    let nodes = bars.map(|bar| bar.node);
    let total = panel.measure().inclusive(&panel.lens.view, panel.root);
    let highlights = panel
        .highlights
        .as_ref()
        .map(|highlights| (highlights, total));
    let line = footer_line(&panel.lens, highlights, nodes, footer, theme);
    pen.put(footer, last, line);
}

pub(super) fn draw_row(pen: &mut Pen, chart: Area, line: u16, bars: &[DrawnBar]) {
    let cells = usize::from(chart.width);
    pen.put(chart, line, spans(bars, cells));
    // the selection is visible even if it has no cell of its own
    let marked = bars.iter().find(|bar| bar.mark == SELECTED);
    if let Some(bar) = marked.filter(|bar| bar.from.div_ceil(8) >= bar.to / 8) {
        let at = ((bar.from + bar.to) / 16).min(cells.saturating_sub(1)) as u16;
        let cell = Area::new(chart.x + at, chart.y + line, 1, 1);
        pen.put(cell, 0, Span::styled(SELECTED, bar.look.text));
    }
}

fn drawn(
    panel: &FlamePanel,
    layout: &FlameLayout,
    line: usize,
    bar: &FlameBar,
    theme: Theme,
) -> DrawnBar {
    let (from, to) = (layout.eighth(bar.start), layout.eighth(bar.end));
    let frame = panel.lens.view.tree.frame(bar.node);
    let (hue, text) = match bar.is_gathered {
        true => (FlameHue::Gathered, gathered_text(layout, bar, to - from)),
        false => {
            let name = visible(panel.lens.node_name(bar.node)).into_owned();
            (hue_of(&panel.lens, bar.node), name)
        }
    };
    let is_marked = panel.is_marked(line, bar);
    let highlights = panel.highlights.as_ref().filter(|_| !bar.is_gathered);
    let look = shown_hue(hue, is_marked, highlights, frame);
    let mark = match (is_marked, hue) {
        (true, _) => SELECTED,
        (_, FlameHue::Slower | FlameHue::MuchSlower) => "+",
        (_, FlameHue::Faster | FlameHue::MuchFaster) => "-",
        _ => "",
    };
    DrawnBar {
        from,
        to,
        look: theme.flame(look, bar.is_odd),
        mark,
        label: label_of(&text, panel.lens.view.frames.get(frame).category),
        text,
    }
}

/// The hue of a frame, unless it is selected or a search has not found it.
pub(super) fn shown_hue(
    hue: FlameHue,
    is_selected: bool,
    highlights: Option<&Highlights>,
    frame: FrameId,
) -> FlameHue {
    match highlights {
        _ if is_selected => FlameHue::Selected,
        Some(highlights) if !highlights.frames[frame.index()] => FlameHue::Unlit,
        _ => hue,
    }
}

/// How the text of a frame is fitted into cells.
pub(super) fn label_of(text: &str, category: Category) -> fn(&str, usize) -> String {
    match category {
        _ if text.starts_with('…') => fit_number,
        // their dots don't separate types from methods
        Category::Pseudo => fit_letters,
        _ => fit_label,
    }
}

/// Just an ellipsis if the number does not fit.
fn fit_number(text: &str, cells: usize) -> String {
    // `… 18` of `… 18 async frames`
    let number = text.match_indices(' ').nth(1).map(|(at, _)| &text[..at]);
    let mut candidates = [Some(text), number, Some("…")].into_iter().flatten();
    candidates
        .find(|text| width(text) <= cells)
        .unwrap_or_default()
        .into()
}

/// Without a suffix in brackets and, if there is little room, without its type.
fn fit_label(name: &str, cells: usize) -> String {
    let is_word = |c: char| c.is_ascii_lowercase() || c == '/';
    let bare = name
        .rsplit_once(" (")
        .filter(|(_, end)| end.trim_end_matches(')').chars().all(is_word))
        .map_or(name, |(bare, _)| bare);
    // a dot in brackets belongs to an argument
    let mut depth = 0i32;
    let is_separator = |c: char| {
        depth += i32::from(matches!(c, '<' | '(' | '[')) - i32::from(matches!(c, '>' | ')' | ']'));
        c == '.' && depth == 0
    };
    let method = bare.rsplit(is_separator).next().unwrap_or(bare);
    let method = if method.is_empty() { bare } else { method };
    if width(name) <= cells {
        name.into()
    } else if cells >= METHOD_ONLY || width(bare) <= cells {
        fit_name(bare, cells)
    } else if width(method) <= cells {
        method.into()
    } else {
        // arguments are not shown
        let arguments = method.find('(').filter(|&at| at > 0);
        fit_letters(&method[..arguments.unwrap_or(method.len())], cells)
    }
}

fn fit_letters(text: &str, cells: usize) -> String {
    match width(text) > cells && cells < MIN_NAME {
        true => String::new(),
        false => fit_end(text, cells),
    }
}

/// Such as `…+37`.
fn gathered_text(layout: &FlameLayout, bar: &FlameBar, eighths: usize) -> String {
    if eighths < 4 * 8 {
        return "…".into();
    }
    let count = layout.gathered(bar.node);
    let or_more = if count == MAX_COUNTED { "+" } else { "" };
    format!("…+{}{or_more}", thousands(count as u64))
}

/// By its change in a comparison, or else by whose code it is.
pub(super) fn hue_of(lens: &Lens, node: NodeId) -> FlameHue {
    let view = &lens.view;
    let id = view.tree.frame(node);
    if lens.is_comparison() {
        let sides = sides_of(view, node);
        let verdicts = view.recording.verdicts();
        let verdict = verdicts.and_then(|verdicts| verdicts.of(id, ComparedValue::Inclusive));
        let change = sides.delta().unsigned_abs() as u64;
        let is_large = percent(change, sides.before.max(sides.after)) >= LARGE_PERCENT;
        return match (sides.delta(), is_large) {
            _ if verdict == Some(Chance::Within) => FlameHue::Unchanged,
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

fn spans(bars: &[DrawnBar], cells: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    for (index, bar) in bars.iter().enumerate() {
        let next = bars.get(index + 1).filter(|next| next.from == bar.to);
        let before = index.checked_sub(1).map(|before| &bars[before]);
        let before = before.filter(|before| before.to == bar.from);
        let (first, end) = (bar.from.div_ceil(8), (bar.to / 8).min(cells));
        // a one-cell bar may cover parts of two cells
        if first > at {
            let begins = first - usize::from(bar.from % 8 > 0);
            spans.push(Span::raw(" ".repeat(begins - at)));
            at = begins;
        }
        if bar.from % 8 > 0 && at < first {
            let before = before.map(|before| &before.look);
            spans.push(shared_cell(before, Some(&bar.look), bar.from % 8));
            at = first;
        }
        if end > at {
            spans.extend(name_cells(bar, before, end - at));
            at = end;
        }
        if bar.to % 8 > 0 && next.is_none() && at < cells && at * 8 < bar.to {
            spans.push(shared_cell(Some(&bar.look), None, bar.to % 8));
            at += 1;
        }
    }
    spans
}

/// The left frame gets this many eighths.
fn shared_cell(
    left: Option<&FlameLook>,
    right: Option<&FlameLook>,
    eighths: usize,
) -> Span<'static> {
    let style = FlameLook::separated(left, right);
    match style {
        Some(style) => Span::styled(EIGHTHS[eighths], style),
        None => {
            let look = right.or(left).filter(|look| look.has_edge);
            look.map_or(Span::raw(" "), |look| Span::styled(DIVIDERS[0], look.rest))
        }
    }
}

/// Its edge if nothing else separates it from the previous frame, its name, its texture.
fn name_cells(bar: &DrawnBar, before: Option<&DrawnBar>, cells: usize) -> Vec<Span<'static>> {
    let look = &bar.look;
    let is_same = before.is_some_and(|before| before.look.fill == look.fill);
    let needs_edge = is_same || look.fill.is_none();
    let has_edge = bar.from.is_multiple_of(8) && needs_edge && look.has_edge && bar.from > 0;
    let mut spans = Vec::new();
    let mut room = cells;
    if has_edge {
        spans.push(Span::styled(DIVIDERS[1], look.rest));
        room -= 1;
    }
    let name = match room {
        1..3 if bar.text == "…" => bar.text.clone(),
        0..3 => fit_end(bar.mark, room),
        _ => {
            let label = (bar.label)(&bar.text, room - width(bar.mark));
            format!("{}{label}", bar.mark)
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
        let text = messages::highlighted(&visible(&highlights.query), &methods, &value, &share);
        let text = fit_end(&text, usize::from(footer.width));
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
