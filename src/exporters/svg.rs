//! A flame graph as an SVG file for a browser: frames can be zoomed and searched, and nothing is fetched from anywhere. It is a picture:
//! no program reads a profile from it.

use super::collapsed_names::written;
use super::exporter::{Exporter, Output};
use super::part::Part;
use crate::exporters::messages;
use crate::model::NodeId;
use crate::names::{Category, FrameKind};
use crate::text::visible;
use crate::units::{Scale, Unit};
use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Direction, Options};
use std::io::{self, Write};

/// The format's row in the table.
pub(super) const EXPORTER: Exporter = Exporter {
    name: "svg",
    extensions: &[".svg"],
    output: Output::Picture,
    refusal: refuse,
    write,
};

/// Frames that are narrower than this part of the whole are not drawn; their values stay in their callers.
const NARROWEST: u64 = 4000;
const WHITE: Color = Color {
    r: 255,
    g: 255,
    b: 255,
};

/// Frames below so many others are not drawn.
const DEEPEST: usize = 400;

fn refuse(part: &Part) -> Option<String> {
    let is_nothing = part.view.tree.inclusive(part.metric, part.root) == 0;
    is_nothing.then(|| messages::NOTHING_TO_DRAW.into())
}

/// Orange, sky blue, grey and green of Okabe and Ito, as in the explorer's flame graph.
fn color(category: Category) -> Color {
    let [r, g, b] = match category {
        Category::User => [0xe6, 0x9f, 0x00],
        Category::Library => [0x56, 0xb4, 0xe9],
        Category::System => [0xbd, 0xbd, 0xbd],
        Category::Native => [0x3f, 0xa5, 0x83],
        Category::Pseudo => [0xdd, 0xdd, 0xdd],
    };
    Color { r, g, b }
}

/// The stacks that are drawn, a line each; own values are those of all callees that are not drawn, too. O(nodes).
fn lines(part: &Part, colors: &mut PaletteMap) -> Vec<String> {
    let (view, tree, metric) = (part.view, &part.view.tree, part.metric);
    let total = tree.inclusive(metric, part.root).max(1);
    let is_drawn = |value: u64, depth: usize| {
        depth <= DEEPEST && u128::from(value) * u128::from(NARROWEST) >= u128::from(total)
    };
    let mut lines = Vec::new();
    // the frames above, where each ends, and the length of the stack before it
    let mut stack = String::new();
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    let end = tree.end(part.root);
    let mut node = part.root;
    while node < end {
        while let Some(&(above, length)) = open.last()
            && tree.end(above) <= node
        {
            stack.truncate(length);
            open.pop();
        }
        let value = tree.inclusive(metric, node);
        if !is_drawn(value, open.len()) {
            node = tree.end(node);
            continue;
        }
        let length = stack.len();
        let frame = tree.frame(node);
        let name = match view.frames.get(frame).kind {
            FrameKind::Method => view.frames.list_name(frame),
            _ => view.name(node).into(),
        };
        let name = written(&name);
        colors.insert(&name, color(view.frames.get(frame).category));
        stack.extend((length > 0).then_some(';'));
        stack.push_str(&name);
        open.push((node, length));
        let callees = tree.children(node);
        let drawn = callees
            .map(|callee| tree.inclusive(metric, callee))
            .filter(|&value| is_drawn(value, open.len()));
        let rest = value.saturating_sub(drawn.fold(0, u64::saturating_add));
        if rest > 0 {
            lines.push(format!("{stack} {rest}"));
        }
        node = NodeId(node.0 + 1);
    }
    lines
}

fn write(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    let metric = part.about_metric();
    let total = part.view.tree.inclusive(part.metric, part.root);
    let mut colors = PaletteMap::default();
    let lines = lines(part, &mut colors);
    let mut options = Options::default();
    let source = &part.view.recording.source.name;
    // the folder is nobody's business
    let name = visible(source.rsplit(['/', '\\']).next().unwrap_or(source));
    let whole = Scale::for_values(metric.unit, total).with_unit(total);
    options.title = format!("{name}: {} {whole}", visible(&metric.name));
    let words = part.view.steps.words(&part.view.recording).join(", ");
    let separator = if words.is_empty() { "" } else { " · " };
    options.subtitle = Some(format!(
        "{}{separator}{}",
        visible(&words),
        messages::PICTURE_COLORS
    ));
    options.bgcolors = Some(BackgroundColor::Flat(WHITE));
    options.direction = Direction::Inverted;
    (options.factor, options.count_name) = match metric.unit {
        // whole numbers are written: nanoseconds are too many digits
        Unit::Milliseconds => (0.001, "µs".into()),
        Unit::Bytes => (1.0, "bytes".into()),
        Unit::Count => (1.0, visible(&metric.name).into_owned()),
    };
    options.name_type = "Frame:".into();
    options.palette_map = Some(&mut colors);
    options.deterministic = true;
    let lines = lines.iter().map(String::as_str);
    let mut picture = Vec::new();
    flamegraph::from_lines(&mut options, lines, &mut picture).map_err(io::Error::other)?;
    // by itself, for it hides why writing failed
    out.write_all(&picture)
}
