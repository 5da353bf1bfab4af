//! A screen as SVG: one text element for each run of cells with the same style, positioned by row and column, so that
//! any monospaced font fits.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write as _;

/// The keys that lead from the first screen to the screen in the README: the hotspots of the complete tree, and the
/// hottest user method in the tree.
pub const KEYS: &str = "p L enter";

/// The size of a cell in pixels; below, the margin around the screen.
const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 18.0;
const MARGIN: f32 = 14.0;
const BACKGROUND: &str = "#16181d";
const FOREGROUND: &str = "#d5d9e0";

/// The style of a run of cells.
#[derive(Clone, PartialEq)]
struct Look {
    color: String,
    behind: Option<String>,
    modifiers: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Look {
        let foreground = color(cell.fg).unwrap_or_else(|| FOREGROUND.into());
        Look {
            color: foreground,
            behind: color(cell.bg),
            modifiers: cell.modifier,
        }
    }

    /// The attributes of a text element.
    fn attributes(&self) -> String {
        let mut attributes = format!(r#"fill="{}""#, self.color);
        let mut add = |modifier, attribute| {
            if self.modifiers.contains(modifier) {
                attributes.push_str(attribute);
            }
        };
        add(Modifier::BOLD, r#" font-weight="bold""#);
        add(Modifier::ITALIC, r#" font-style="italic""#);
        add(Modifier::UNDERLINED, r#" text-decoration="underline""#);
        add(Modifier::DIM, r#" opacity="0.55""#);
        attributes
    }
}

/// A color of the 256-color palette or a true color; `None` for the terminal's default.
fn color(color: Color) -> Option<String> {
    let [red, green, blue] = match color {
        Color::Rgb(red, green, blue) => [red, green, blue],
        // xterm's color cube, and below, its grays
        Color::Indexed(index @ 16..232) => {
            let cube = index - 16;
            let level = |at: u8| if at == 0 { 0 } else { 55 + 40 * at };
            [cube / 36, cube / 6 % 6, cube % 6].map(level)
        }
        Color::Indexed(index @ 232..) => [8 + 10 * (index - 232); 3],
        _ => return None,
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// The screen as an SVG document, with a line for each run.
pub fn svg(screen: &Buffer) -> String {
    let (columns, rows) = (screen.area.width, screen.area.height);
    let (width, height) = (
        f32::from(columns) * WIDTH + 2.0 * MARGIN,
        f32::from(rows) * HEIGHT + 2.0 * MARGIN,
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let look = Look::of(&screen[(column, row)]);
            let end = (column..columns)
                .find(|&at| Look::of(&screen[(at, row)]) != look)
                .unwrap_or(columns);
            let text: String = (column..end).map(|at| screen[(at, row)].symbol()).collect();
            write_run(&mut svg, &look, &text, (column, row), end - column);
            column = end;
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn write_run(svg: &mut String, look: &Look, text: &str, (column, row): (u16, u16), cells: u16) {
    let (x, y) = (
        MARGIN + f32::from(column) * WIDTH,
        MARGIN + f32::from(row) * HEIGHT,
    );
    let width = f32::from(cells) * WIDTH;
    if let Some(behind) = &look.behind {
        writeln!(
            svg,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{HEIGHT}" fill="{behind}"/>"#
        )
        .unwrap();
    }
    if text.trim().is_empty() {
        return;
    }
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let (base, attributes) = (y + 13.5, look.attributes());
    writeln!(
        svg,
        r#"<text x="{x:.1}" y="{base:.1}" textLength="{width:.1}" xml:space="preserve" {attributes}>{text}</text>"#
    )
    .unwrap();
}
