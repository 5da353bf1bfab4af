//! The colors of the flame graph, which has its own.

use super::{ColorDepth, Theme};
use ratatui::prelude::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlameHue {
    User,
    Library,
    System,
    Native,
    Waiting,
    NoCode,
    MuchSlower,
    Slower,
    Unchanged,
    Faster,
    MuchFaster,
    Gathered,
    /// Frames that don't match the search.
    Dimmed,
    Selected,
}

impl FlameHue {
    /// Its text in the legend, or nothing.
    pub(in crate::ui) fn name(self) -> &'static str {
        match self {
            FlameHue::User => "user",
            FlameHue::Library => "library",
            FlameHue::System => "system",
            FlameHue::Native => "native",
            FlameHue::Waiting => "waiting",
            FlameHue::MuchSlower => "slower",
            FlameHue::Slower => "a little slower",
            FlameHue::Unchanged => "no significant change",
            FlameHue::Faster => "a little faster",
            FlameHue::MuchFaster => "faster",
            FlameHue::NoCode | FlameHue::Gathered | FlameHue::Dimmed | FlameHue::Selected => "",
        }
    }
}

/// One of the 16 colors, two alternating shades for 256 colors and for true color, and the texture without colors; empty
/// if it is reversed instead.
struct FlameColors(Color, [u8; 2], [u32; 2], &'static str);

/// After the palette of Okabe and Ito, distinguishable with any color vision. Black text is readable on all but the selected frame's.
fn flame_colors(hue: FlameHue) -> Option<FlameColors> {
    let colors = |color, indexed, rgb, texture| Some(FlameColors(color, indexed, rgb, texture));
    match hue {
        FlameHue::User => colors(Color::Yellow, [214, 172], [0xe69f00, 0xcf8f00], ""),
        FlameHue::Library => colors(Color::Cyan, [74, 117], [0x56b4e9, 0x78c3ed], "▒"),
        FlameHue::System => colors(Color::Gray, [250, 248], [0xbdbdbd, 0xaaaaaa], "·"),
        FlameHue::Native => colors(Color::Green, [72, 115], [0x3fa583, 0x5cb296], "─"),
        FlameHue::MuchSlower => colors(Color::Yellow, [208, 166], [0xe8833a, 0xd17634], ""),
        FlameHue::Slower => colors(Color::Yellow, [222, 179], [0xf5cf9f, 0xdcba8f], "▒"),
        FlameHue::Unchanged => colors(Color::Gray, [250, 248], [0xbdbdbd, 0xaaaaaa], "·"),
        FlameHue::Faster => colors(Color::Cyan, [152, 116], [0xb5d9ee, 0xa3c3d6], "─"),
        FlameHue::MuchFaster => colors(Color::Cyan, [74, 117], [0x56b4e9, 0x78c3ed], "░"),
        FlameHue::Selected => colors(Color::Magenta, [90, 90], [0x882255, 0x882255], ""),
        FlameHue::Waiting | FlameHue::NoCode | FlameHue::Gathered | FlameHue::Dimmed => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ui) struct FlameLook {
    /// The terminal's own color if it is reversed.
    pub fill: Option<Color>,
    pub text: Style,
    pub rest: Style,
    pub has_edge: bool,
    pub texture: &'static str,
}

impl FlameLook {
    /// The style of a block that divides a cell between two frames, or a frame and nothing.
    pub(in crate::ui) fn separator_style(
        left: Option<&FlameLook>,
        right: Option<&FlameLook>,
    ) -> Option<Style> {
        let fill = |look: Option<&FlameLook>| look.and_then(|look| look.fill);
        match (fill(left), fill(right)) {
            (left, right) if left == right => None,
            (Some(left), Some(right)) => Some(match right {
                Color::Reset => Style::new().fg(left).add_modifier(Modifier::REVERSED),
                right => Style::new().fg(left).bg(right),
            }),
            (Some(left), None) => Some(Style::new().fg(left)),
            (None, Some(right)) => Some(Style::new().fg(right).add_modifier(Modifier::REVERSED)),
            (None, None) => None,
        }
    }
}

impl Theme {
    fn fill_and_text(
        self,
        FlameColors(color, indexed, rgb, _): &FlameColors,
        hue: FlameHue,
        is_odd: bool,
    ) -> Option<(Color, Color)> {
        let (is_dark, odd) = (hue == FlameHue::Selected, usize::from(is_odd));
        let text = |on_light, on_dark| if is_dark { on_dark } else { on_light };
        Some(match self.colors {
            ColorDepth::None => return None,
            ColorDepth::Sixteen => (*color, text(Color::Black, Color::White)),
            ColorDepth::Indexed => {
                let text = text(Color::Indexed(16), Color::Indexed(231));
                (Color::Indexed(indexed[odd]), text)
            }
            ColorDepth::True => {
                let text = text(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255));
                (Color::from_u32(rgb[odd]), text)
            }
        })
    }

    pub(in crate::ui) fn flame(self, hue: FlameHue, is_odd: bool) -> FlameLook {
        let modifiers = match hue {
            FlameHue::User | FlameHue::MuchSlower | FlameHue::NoCode => Modifier::BOLD,
            FlameHue::Native => Modifier::ITALIC,
            FlameHue::Selected => Modifier::BOLD | Modifier::UNDERLINED,
            FlameHue::Waiting | FlameHue::Gathered | FlameHue::Dimmed => Modifier::DIM,
            _ => Modifier::empty(),
        };
        let colors = flame_colors(hue);
        let texture = match (hue, &colors) {
            (FlameHue::Waiting, _) => "░",
            (_, Some(FlameColors(.., plain))) if !self.has_color() && !plain.is_empty() => plain,
            // with 16 colors, both strengths have the same one
            (FlameHue::Slower | FlameHue::Faster, _) if self.colors == ColorDepth::Sixteen => "▒",
            _ => " ",
        };
        if !self.has_color() && colors.is_some() && texture == " " {
            let style = Style::new().add_modifier(Modifier::REVERSED);
            return FlameLook {
                fill: Some(Color::Reset),
                text: style.add_modifier(modifiers),
                rest: style,
                has_edge: true,
                texture,
            };
        }
        let pair = colors.and_then(|colors| self.fill_and_text(&colors, hue, is_odd));
        let plain = match pair {
            Some((fill, text)) => Style::new().fg(text).bg(fill),
            None => Style::new(),
        };
        FlameLook {
            fill: pair.map(|(fill, _)| fill),
            text: plain.add_modifier(modifiers),
            rest: match pair {
                Some(_) => plain,
                None => self.dim(),
            },
            has_edge: hue != FlameHue::Gathered,
            texture,
        }
    }
}
