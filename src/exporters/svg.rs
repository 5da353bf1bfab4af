//! A flame graph as an SVG file for a browser, with zoom and search; it loads nothing. No program reads a profile from
//! it.

use super::collapsed_names::written;
use super::exporter::{Exporter, Output};
use super::flame;
use super::part::Part;
use crate::analysis::compared::BEFORE;
use crate::exporters::messages;
use crate::model::NodeId;
use crate::names::Category;
use crate::text::{file_name, visible};
use crate::units::{Scale, Unit};
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "svg",
    extensions: &[".svg"],
    output: Output::Picture,
    refusal: refuse,
    write,
};

/// inferno's search button until the mouse is over it.
const FAINT_SEARCH: &str = "text-anchor:end; opacity:0.1;";
const CLEAR_SEARCH: &str = "text-anchor:end; opacity:0.7;";
/// inferno's name for the frame of all stacks.
const ALL: &str = "all";

pub(super) fn refuse(part: &Part) -> Option<String> {
    let is_nothing = part.view.tree.inclusive(part.metric, part.root) == 0;
    is_nothing.then(|| messages::NOTHING_TO_DRAW.into())
}

/// Orange, sky blue, grey and green of Okabe and Ito, as in the explorer's flame graph.
fn color(category: Category) -> Color {
    rgb(match category {
        Category::User => 0xe6_9f_00,
        Category::Library => 0x56_b4_e9,
        Category::System => 0xbd_bd_bd,
        Category::Native => 0x3f_a5_83,
        Category::Pseudo => 0xdd_dd_dd,
    })
}

fn rgb(color: u32) -> Color {
    let [_, r, g, b] = color.to_be_bytes();
    Color { r, g, b }
}

fn lines(part: &Part, colors: &mut PaletteMap) -> Vec<String> {
    let view = part.view;
    let frames = flame::heaviest_first(&flame::frames(part, part.metric.into()));
    let before = view.recording.is_comparison().then_some(BEFORE);
    let metrics = before.into_iter().chain([part.metric]);
    let own_values = metrics.map(|metric| flame::own_values(view, &frames, metric));
    let own_values: Vec<Vec<u64>> = own_values.collect();
    colors.insert(ALL, color(Category::Pseudo));
    let mut lines = Vec::new();
    let mut stack = String::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        if let Some(&length) = open.get(frame.depth) {
            stack.truncate(length);
            open.truncate(frame.depth);
        }
        open.push(stack.len());
        let name = match frame.node {
            // which inferno draws above all stacks
            NodeId::ROOT => String::new(),
            node => without_last_number(written(&flame::name(view, node)).to_string()),
        };
        let category = view.frame(frame.node).category;
        colors.insert(&name, color(category));
        stack.extend((!stack.is_empty() && !name.is_empty()).then_some(';'));
        stack.push_str(&name);
        let stack = if stack.is_empty() { "…" } else { &stack };
        if own_values.iter().any(|own_values| own_values[at] > 0) {
            let values = own_values.iter();
            let values = values.map(|own_values| format!(" {}", own_values[at]));
            lines.push(stack.to_string() + &values.collect::<String>());
        }
    }
    lines
}

/// Keeps the last word from being taken for a value: `lambda 0` gets a non-breaking space.
fn without_last_number(name: String) -> String {
    match name.rsplit_once(' ') {
        Some((first, number)) if number.parse::<f64>().is_ok() => format!("{first}\u{a0}{number}"),
        _ => name,
    }
}

fn write(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    let metric = part.chosen_metric();
    let total = part.view.tree.inclusive(part.metric, part.root);
    let mut colors = PaletteMap::default();
    let lines = lines(part, &mut colors);
    let mut options = Options::default();
    let source = &part.view.recording.source.name;
    let name = visible(file_name(source));
    let whole = Scale::for_values(metric.unit, total).with_unit(total);
    options.title = format!("{name}: {} {whole}", visible(&metric.name));
    let words = part.view.steps.words(&part.view.recording).join(", ");
    let separator = if words.is_empty() { "" } else { " · " };
    let is_comparison = part.view.recording.is_comparison();
    let meanings = [messages::PICTURE_COLORS, messages::PICTURE_OF_CHANGES];
    let meaning = meanings[usize::from(is_comparison)];
    options.subtitle = Some(format!("{}{separator}{meaning}", visible(&words)));
    options.bgcolors = Some(BackgroundColor::Flat(rgb(0xff_ff_ff)));
    options.direction = Direction::Inverted;
    options.text_truncate_direction = TextTruncateDirection::Right;
    // keeps the order of frames instead of sorting by name; lines are taken from the last to the first
    options.flame_chart = true;
    (options.factor, options.count_name) = match metric.unit {
        // values are integers: nanoseconds have too many digits
        Unit::Milliseconds => (0.001, "µs".into()),
        Unit::Bytes => (1.0, "bytes".into()),
        Unit::Count => (1.0, visible(&metric.name).into_owned()),
    };
    options.name_type = "Frame:".into();
    options.palette_map = (!is_comparison).then_some(&mut colors);
    options.deterministic = true;
    let lines = lines.iter().rev().map(String::as_str);
    let mut picture = Vec::new();
    flamegraph::from_lines(&mut options, lines, &mut picture).map_err(io::Error::other)?;
    let picture = String::from_utf8(picture).map_err(io::Error::other)?;
    let mut picture = picture.replacen(FAINT_SEARCH, CLEAR_SEARCH, 1);
    if metric.unit == Unit::Milliseconds {
        picture = in_unit_of_whole(&picture, total);
    }
    // our own error, because inferno's hides why writing failed
    out.write_all(picture.as_bytes())
}

/// Writes the values at the ends of frames' titles in the unit of the whole.
fn in_unit_of_whole(picture: &str, total: u64) -> String {
    const END: &str = "</title>";
    let scale = Scale::for_values(Unit::Milliseconds, total);
    let with_unit = |title: &str| {
        let (name, value) = title.rsplit_once(" (")?;
        let (us, share) = value.split_once(" µs, ")?;
        let us: u64 = us.replace(',', "").parse().ok()?;
        let value = scale.with_unit(us.saturating_mul(1000));
        Some(format!("{name} ({value}, {share}"))
    };
    let mut titles: Vec<Cow<str>> = picture.split(END).map(Cow::from).collect();
    for title in &mut titles {
        if let Some(changed) = with_unit(title) {
            *title = changed.into();
        }
    }
    titles.join(END)
}

#[cfg(test)]
mod tests;
