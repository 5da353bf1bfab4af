//! Rows of a screen as colored text, for terminals that the explorer does not take over.

use super::{Theme, draw_on};
use crate::app::App;
use ratatui::buffer::Cell;
use ratatui::prelude::{Buffer, Color, Modifier, Rect};

/// Each with the escape sequences that color it.
pub fn colored_rows(app: &App, theme: Theme, rows: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, app.size.0, app.size.1));
    draw_on(&mut buffer, app, theme);
    let mut text = String::new();
    for y in 0..rows.min(app.size.1) {
        let mut last = String::new();
        for x in 0..app.size.0 {
            let cell = &buffer[(x, y)];
            let look = style_of(cell);
            if look != last {
                text.push_str(&look);
                last = look;
            }
            text.push_str(cell.symbol());
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

/// ECMA-48, SGR.
fn style_of(cell: &Cell) -> String {
    const MODIFIERS: [(Modifier, &str); 5] = [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::ITALIC, ";3"),
        (Modifier::UNDERLINED, ";4"),
        (Modifier::REVERSED, ";7"),
    ];
    let mut look = String::from("\x1b[0");
    for (modifier, code) in MODIFIERS {
        if cell.modifier.contains(modifier) {
            look.push_str(code);
        }
    }
    for (color, place) in [(cell.fg, 30), (cell.bg, 40)] {
        look.push_str(&match color {
            Color::Rgb(red, green, blue) => format!(";{};2;{red};{green};{blue}", place + 8),
            Color::Indexed(index) => format!(";{};5;{index}", place + 8),
            Color::Green => format!(";{}", place + 2),
            Color::Yellow => format!(";{}", place + 3),
            Color::Cyan => format!(";{}", place + 6),
            _ => String::new(),
        });
    }
    look + "m"
}
