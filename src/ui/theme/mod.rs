//! All colors and styles. If the terminal has 256 colors and reports whether it is dark or light, text colors are
//! readable on its background; otherwise its own 16 colors are used. No meaning is carried by color alone: the selected
//! row has a mark, user code is bold, special frames are in brackets.

pub(super) mod flame;

use super::palette::{HEAT_AT, Palette, indexed};
use super::roles::{Background, Role};
use crate::names::Category;
use ratatui::buffer::Cell;
use ratatui::prelude::{Buffer, Color, Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    colors: ColorDepth,
    background: Background,
    /// `None` with fewer than 256 colors, or until the background is known.
    palette: Option<Palette>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColorDepth {
    None,
    Sixteen,
    /// xterm's 256.
    Indexed,
    True,
}

impl Background {
    /// As terminals report it: `rgb:ffff/fafa/f0f0`, with one to four digits per component.
    pub fn of(answer: &str) -> Option<Background> {
        let parts = answer.strip_prefix("rgb:")?.split('/');
        let part = |digits: &str| {
            let max = (1u32 << (4 * digits.len().min(4))) - 1;
            let value = u32::from_str_radix(digits, 16).ok()?;
            Some(f64::from(value) / f64::from(max))
        };
        let parts = parts.map(part).collect::<Option<Vec<f64>>>()?;
        let &[red, green, blue] = parts.as_slice() else {
            return None;
        };
        // brightness as eyes perceive it
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        Some(match brightness < 0.5 {
            true => Background::Dark,
            false => Background::Light,
        })
    }
}

/// Colors on dark and on light backgrounds. Bright ones are gray in some palettes; of the dark ones only black is
/// readable everywhere.
fn ansi_colors(role: Role) -> [Color; 2] {
    const PLAIN: Color = Color::Reset;
    let on_dark = match role {
        Role::Text | Role::Ribbon | Role::Dim | Role::Cool => PLAIN,
        Role::Accent | Role::Faster | Role::Selected => Color::Cyan,
        Role::Special => Color::Green,
        Role::Warm | Role::Warning | Role::Slower | Role::Error => Color::Yellow,
    };
    [on_dark, Color::Black]
}

fn heat_color(scale: &[Color; 4], share: f64) -> Color {
    let after = HEAT_AT.iter().position(|&at| at >= share);
    let after = after.unwrap_or(HEAT_AT.len() - 1).max(1);
    let (Color::Rgb(r0, g0, b0), Color::Rgb(r1, g1, b1)) = (scale[after - 1], scale[after]) else {
        return scale[after];
    };
    let (from, to) = (HEAT_AT[after - 1], HEAT_AT[after]);
    let position = ((share - from) / (to - from)).clamp(0.0, 1.0);
    let part = |low: u8, high: u8| {
        let [low, high] = [low, high].map(f64::from);
        (low + (high - low) * position).round() as u8
    };
    Color::Rgb(part(r0, r1), part(g0, g1), part(b0, b1))
}

impl Theme {
    /// Bold, dim and reversed text only, for `NO_COLOR`.
    pub const PLAIN: Theme = Theme {
        colors: ColorDepth::None,
        background: Background::Unknown,
        palette: None,
    };

    pub fn of_terminal(term: &str, colorterm: &str) -> Theme {
        let colors = match colorterm {
            "truecolor" | "24bit" => ColorDepth::True,
            _ if term.contains("256color") => ColorDepth::Indexed,
            _ => ColorDepth::Sixteen,
        };
        // the Linux console has no background of its own
        let background = match term {
            "linux" => Background::Dark,
            _ => Background::Unknown,
        };
        let theme = Theme {
            colors,
            ..Theme::PLAIN
        };
        theme.on(background)
    }

    pub fn on(self, background: Background) -> Theme {
        let has_many = matches!(self.colors, ColorDepth::Indexed | ColorDepth::True);
        let is_known = background != Background::Unknown;
        Theme {
            background,
            palette: (has_many && is_known).then(|| Palette::on(background)),
            ..self
        }
    }

    pub fn with_palette(self, palette: Palette) -> Theme {
        match self.colors {
            _ if palette.is_plain => Theme::PLAIN,
            // each terminal chooses its own palette of 16
            ColorDepth::None | ColorDepth::Sixteen => self,
            ColorDepth::Indexed | ColorDepth::True => Theme {
                background: palette.background,
                palette: Some(palette),
                ..self
            },
        }
    }

    pub fn asks_for_background(self) -> bool {
        self.has_color() && self.background == Background::Unknown
    }

    fn has_color(self) -> bool {
        self.colors != ColorDepth::None
    }

    /// Whether it does not depend on the user's palette of 16.
    fn has_own_colors(self) -> bool {
        self.palette.is_some()
    }

    /// The terminal's own if there is nothing better.
    fn color(self, role: Role) -> Color {
        let [on_dark, on_light] = ansi_colors(role);
        match (&self.palette, self.background) {
            _ if !self.has_color() => Color::Reset,
            (Some(palette), _) => self.fitted(palette.roles[role as usize]),
            (None, Background::Light) => on_light,
            (None, Background::Dark | Background::Unknown) => on_dark,
        }
    }

    fn fitted(self, color: Color) -> Color {
        match self.colors {
            ColorDepth::True => color,
            _ => indexed(color),
        }
    }

    fn colored(self, role: Role) -> Style {
        match self.color(role) {
            Color::Reset => Style::new(),
            color => Style::new().fg(color),
        }
    }

    /// Bold makes up for dark colors in palettes of 16.
    fn bold(self, role: Role) -> Style {
        self.colored(role).add_modifier(Modifier::BOLD)
    }

    pub fn dim(self) -> Style {
        match self.has_color() && self.background != Background::Unknown {
            true => self.colored(Role::Dim),
            false => Style::new().add_modifier(Modifier::DIM),
        }
    }

    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn accent(self) -> Style {
        self.bold(Role::Accent)
    }

    pub fn border(self, is_focused: bool) -> Style {
        match is_focused {
            true => self.accent(),
            false => self.dim(),
        }
    }

    pub fn selected(self, is_focused: bool) -> Style {
        match (is_focused, self.has_own_colors()) {
            (true, true) => self.colored(Role::Selected).bg(self.color(Role::Ribbon)),
            (true, false) => self.cursor(),
            (false, _) => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    pub fn cursor(self) -> Style {
        self.colored(Role::Selected)
            .add_modifier(Modifier::REVERSED)
    }

    /// A ribbon in which bars stay visible.
    pub(super) fn select(self, cell: &mut Cell, is_focused: bool) {
        const BARS: [&str; 8] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];
        let eighths = BARS.iter().position(|bar| *bar == cell.symbol());
        if is_focused {
            cell.modifier.remove(Modifier::DIM);
        }
        match (is_focused && !self.has_own_colors(), eighths) {
            (true, eighths) => {
                cell.modifier.remove(Modifier::BOLD);
                (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
                // reversed, a full block would look empty
                if let Some(eighths) = eighths {
                    cell.set_symbol(if eighths < 3 { "░" } else { "▒" });
                }
                cell.set_style(self.selected(true));
            }
            (false, Some(_)) if is_focused => {
                cell.bg = self.color(Role::Ribbon);
                if cell.fg == self.color(Role::Dim) {
                    cell.fg = self.color(Role::Cool);
                } else if cell.fg == Color::Reset {
                    cell.fg = self.color(Role::Selected);
                }
            }
            (false, _) => _ = cell.set_style(self.selected(is_focused)),
        }
    }

    /// Uncolored text gets the readable color, and cells without a background the theme's.
    pub(super) fn finish(self, buffer: &mut Buffer) {
        let text = self.color(Role::Text);
        let paper = self.palette.and_then(|palette| palette.paper);
        let paper = paper.map(|paper| self.fitted(paper));
        for cell in &mut buffer.content {
            if cell.fg == Color::Reset {
                cell.fg = text;
            }
            if let (Color::Reset, Some(paper)) = (cell.bg, paper) {
                cell.bg = paper;
            }
        }
    }

    pub fn name(self, category: Category) -> Style {
        match category {
            Category::User => self.strong(),
            Category::Library | Category::System => self.dim(),
            Category::Native => self.dim().add_modifier(Modifier::ITALIC),
            Category::Pseudo => self.bold(Role::Special),
        }
    }

    /// By its share of the whole, 0 to 1.
    pub fn heat(self, share: f64) -> Style {
        let heat = self.palette.and_then(|palette| palette.heat);
        if let (ColorDepth::True, Some(heat)) = (self.colors, heat) {
            return Style::new().fg(heat_color(&heat, share));
        }
        match share {
            ..0.05 if self.background == Background::Unknown => self.dim(),
            ..0.05 => self.colored(Role::Cool),
            ..0.25 => Style::new(),
            _ => self.bold(Role::Warm),
        }
    }

    /// Not red and green, which not everyone can distinguish; without color, sign and side differ.
    pub fn change(self, delta: i128) -> Style {
        match delta {
            0 => self.dim(),
            ..0 => self.colored(Role::Faster),
            _ => self.bold(Role::Slower),
        }
    }

    pub fn matched(self) -> Style {
        self.bold(Role::Warning).add_modifier(Modifier::UNDERLINED)
    }

    pub fn warning(self) -> Style {
        self.bold(Role::Warning)
    }

    pub fn error(self) -> Style {
        match self.has_own_colors() {
            true => self.bold(Role::Error),
            // red is not readable in every palette of 16
            false => self.matched(),
        }
    }
}

#[cfg(test)]
mod tests;
