//! Rows of a screen as colored text, for terminals that the explorer does not take over.

use super::{Theme, draw_on};
use crate::app::App;
use ratatui::buffer::Cell;
use ratatui::prelude::{Buffer, Color, Modifier, Rect};

pub fn colored_rows(app: &App, theme: Theme, rows: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, app.size.0, app.size.1));
    draw_on(&mut buffer, app, theme);
    let mut text = String::new();
    for y in 0..rows.min(app.size.1) {
        let mut last = String::new();
        for x in 0..app.size.0 {
            let cell = &buffer[(x, y)];
            let style = style_of(cell);
            if style != last {
                text.push_str(&style);
                last = style;
            }
            text.push_str(cell.symbol());
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

/// The escape sequence for a cell's style: SGR in ECMA-48.
fn style_of(cell: &Cell) -> String {
    const MODIFIERS: [(Modifier, &str); 5] = [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::ITALIC, ";3"),
        (Modifier::UNDERLINED, ";4"),
        (Modifier::REVERSED, ";7"),
    ];
    let mut style = String::from("\x1b[0");
    for (modifier, code) in MODIFIERS {
        if cell.modifier.contains(modifier) {
            style.push_str(code);
        }
    }
    for (color, base) in [(cell.fg, 30), (cell.bg, 40)] {
        style.push_str(&match color {
            Color::Rgb(red, green, blue) => format!(";{};2;{red};{green};{blue}", base + 8),
            Color::Indexed(index) => format!(";{};5;{index}", base + 8),
            Color::Green => format!(";{}", base + 2),
            Color::Yellow => format!(";{}", base + 3),
            Color::Cyan => format!(";{}", base + 6),
            _ => String::new(),
        });
    }
    style + "m"
}
