//! All colours and styles.
//!
//! Only the terminal's own 16 colours are used, so that a user's theme stays in charge and old terminals show the same; but for the
//! flame graph, which needs more where there are more.
//! No meaning is carried by colour alone: the selected row also has a mark, user code is bold and has no colour, special frames
//! are in italics and brackets, threads are the rows below the root.

use crate::names::Category;
use ratatui::style::{Color, Modifier, Style};

/// The styles of everything on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    colours: Colours,
}

/// How many colours there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colours {
    None,
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    True,
}

/// What the colour of a frame in the flame graph means, in the order of the legend.
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
    /// Callees that are narrower than a cell.
    Gathered,
    /// What a search did not find.
    Unlit,
    Selected,
}

impl FlameHue {
    /// What the legend says of it, if anything.
    pub(super) fn name(self) -> &'static str {
        match self {
            FlameHue::User => "user",
            FlameHue::Library => "library",
            FlameHue::System => "system",
            FlameHue::Native => "native",
            FlameHue::Waiting => "waiting",
            FlameHue::MuchSlower => "slower",
            FlameHue::Slower => "a little slower",
            FlameHue::Unchanged => "the same, or chance",
            FlameHue::Faster => "a little faster",
            FlameHue::MuchFaster => "faster",
            FlameHue::NoCode | FlameHue::Gathered | FlameHue::Unlit | FlameHue::Selected => "",
        }
    }
}

/// Colours of a frame: one of the 16, and of the 256 and of all the two that alternate; behind its name what fills it without colours,
/// nothing where it is reversed.
struct FlameColours(Color, [u8; 2], [u32; 2], &'static str);

/// Colors of Okabe and Ito, which can be told apart with any color vision and are light enough for black text, but for the
/// selected one, which is dark and has white text; none for what has no fill.
fn flame_colours(hue: FlameHue) -> Option<FlameColours> {
    let of = |colour, indexed, rgb, plain| Some(FlameColours(colour, indexed, rgb, plain));
    match hue {
        FlameHue::User => of(Color::Yellow, [214, 220], [0xe69f00, 0xf2b73d], ""),
        FlameHue::Library => of(Color::Cyan, [74, 117], [0x56b4e9, 0x85caf0], "▒"),
        FlameHue::System => of(Color::Gray, [250, 247], [0xbdbdbd, 0xa6a6a6], "·"),
        FlameHue::Native => of(Color::Green, [72, 108], [0x3fa583, 0x66bb9e], "─"),
        FlameHue::MuchSlower => of(Color::Yellow, [208, 214], [0xe8833a, 0xf09a58], ""),
        FlameHue::Slower => of(Color::Yellow, [222, 229], [0xf5cf9f, 0xf8dcb8], "▒"),
        FlameHue::Unchanged => of(Color::Gray, [250, 247], [0xbdbdbd, 0xa6a6a6], "·"),
        FlameHue::Faster => of(Color::Cyan, [152, 153], [0xb5d9ee, 0xc9e4f4], "─"),
        FlameHue::MuchFaster => of(Color::Cyan, [74, 117], [0x56b4e9, 0x85caf0], "░"),
        FlameHue::Selected => of(Color::Magenta, [90, 90], [0x882255, 0x882255], ""),
        FlameHue::Waiting | FlameHue::NoCode | FlameHue::Gathered | FlameHue::Unlit => None,
    }
}

/// How a frame of the flame graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlameLook {
    /// The colour that fills it, if one does; the terminal's own where it is reversed.
    fill: Option<Color>,
    /// Its name, what fills it behind that, and its edge.
    pub text: Style,
    pub rest: Style,
    pub edge: Style,
    /// Whether it has an edge where nothing else parts it from its neighbours.
    pub has_edge: bool,
    pub texture: &'static str,
}

impl FlameLook {
    pub(super) fn is_filled(&self) -> bool {
        self.fill.is_some()
    }

    /// Whether two neighbours can be told apart by what fills them.
    pub(super) fn differ(left: &FlameLook, right: &FlameLook) -> bool {
        left.fill != right.fill
    }

    /// The style of a block that parts a cell between two frames or nothing, if that parts them.
    pub(super) fn parted(left: Option<&FlameLook>, right: Option<&FlameLook>) -> Option<Style> {
        let fill = |look: Option<&FlameLook>| look.and_then(|look| look.fill);
        match (fill(left), fill(right)) {
            (left, right) if left == right => None,
            (Some(left), Some(right)) => Some(match right {
                Color::Reset => Style::new().fg(left).add_modifier(Modifier::REVERSED),
                right => Style::new().fg(left).bg(right),
            }),
            (Some(left), None) => Some(Style::new().fg(left)),
            // the block is the place that has no fill
            (None, Some(right)) => Some(Style::new().fg(right).add_modifier(Modifier::REVERSED)),
            (None, None) => None,
        }
    }
}

impl Theme {
    pub const COLOUR: Theme = Theme {
        colours: Colours::Sixteen,
    };
    /// With bold, dim and reversed text alone, for `NO_COLOR`.
    pub const PLAIN: Theme = Theme {
        colours: Colours::None,
    };

    /// What a terminal of this `TERM` can do that says `COLORTERM` of its colours.
    pub fn of_terminal(term: &str, colorterm: &str) -> Theme {
        let colours = match colorterm {
            "truecolor" | "24bit" => Colours::True,
            _ if term.contains("256color") => Colours::Indexed,
            _ => Colours::Sixteen,
        };
        Theme { colours }
    }

    fn has_colour(self) -> bool {
        self.colours != Colours::None
    }

    fn coloured(self, colour: Color) -> Style {
        if self.has_colour() {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    /// Text that is not worth a second look: guides, labels, units.
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Headings and names of what is looked at.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The accent: borders and title of the pane that has the keys, keys in hints.
    pub fn accent(self) -> Style {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// The border of a pane.
    pub fn border(self, is_focused: bool) -> Style {
        if is_focused {
            self.accent()
        } else {
            self.dim()
        }
    }

    /// The selected row of the pane that has the keys, or of another pane.
    pub fn selected(self, is_focused: bool) -> Style {
        match (is_focused, self.has_colour()) {
            (true, true) => Style::new().fg(Color::Black).bg(Color::Cyan),
            (true, false) => Style::new().add_modifier(Modifier::REVERSED),
            (false, _) => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// A name by whose code it is.
    pub fn name(self, category: Category) -> Style {
        match category {
            Category::User => Style::new().add_modifier(Modifier::BOLD),
            Category::Library | Category::System => Style::new().add_modifier(Modifier::DIM),
            Category::Native => Style::new().add_modifier(Modifier::DIM | Modifier::ITALIC),
            Category::Pseudo => self.coloured(Color::Blue).add_modifier(Modifier::BOLD),
        }
    }

    /// A bar by its share of the whole, 0 to 1: dim, plain, warm.
    pub fn heat(self, share: f64) -> Style {
        match share {
            s if s < 0.05 => self.dim(),
            s if s < 0.25 => Style::new(),
            _ => self.coloured(Color::Yellow),
        }
    }

    /// A difference: slower, faster, none. The two are told apart by people who can't tell red from green, and by sign and side without
    /// colour.
    pub fn change(self, delta: i128) -> Style {
        match delta {
            0 => self.dim(),
            // the darker blue can't be read on black
            ..0 => self.coloured(Color::LightBlue),
            _ => self.coloured(Color::Yellow),
        }
    }

    /// Letters that a search matched.
    pub fn matched(self) -> Style {
        self.coloured(Color::Yellow)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// Warnings.
    pub fn warning(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub fn error(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The colours of a frame and of its name, where there are colours.
    fn fill_and_text(
        self,
        FlameColours(colour, indexed, rgb, _): &FlameColours,
        hue: FlameHue,
        is_odd: bool,
    ) -> Option<(Color, Color)> {
        let (is_dark, odd) = (hue == FlameHue::Selected, usize::from(is_odd));
        let text = |on_light, on_dark| if is_dark { on_dark } else { on_light };
        Some(match self.colours {
            Colours::None => return None,
            Colours::Sixteen => (*colour, text(Color::Black, Color::White)),
            Colours::Indexed => {
                let text = text(Color::Indexed(16), Color::Indexed(231));
                (Color::Indexed(indexed[odd]), text)
            }
            Colours::True => {
                let text = text(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255));
                (Color::from_u32(rgb[odd]), text)
            }
        })
    }

    /// A frame of the flame graph; neighbours alternate.
    pub(super) fn flame(self, hue: FlameHue, is_odd: bool) -> FlameLook {
        let modifiers = match hue {
            FlameHue::User | FlameHue::MuchSlower | FlameHue::NoCode => Modifier::BOLD,
            FlameHue::Native => Modifier::ITALIC,
            FlameHue::Selected => Modifier::BOLD | Modifier::UNDERLINED,
            FlameHue::Waiting | FlameHue::Gathered | FlameHue::Unlit => Modifier::DIM,
            _ => Modifier::empty(),
        };
        let colours = flame_colours(hue);
        let texture = match (hue, &colours) {
            (FlameHue::Waiting, _) => "░",
            (_, Some(FlameColours(.., plain))) if !self.has_colour() && !plain.is_empty() => plain,
            _ => " ",
        };
        if !self.has_colour() && colours.is_some() && texture == " " {
            let style = Style::new().add_modifier(Modifier::REVERSED);
            return FlameLook {
                fill: Some(Color::Reset),
                text: style.add_modifier(modifiers),
                rest: style,
                edge: style,
                has_edge: true,
                texture,
            };
        }
        let pair = colours.and_then(|colours| self.fill_and_text(&colours, hue, is_odd));
        let plain = match pair {
            Some((fill, text)) => Style::new().fg(text).bg(fill),
            None => Style::new(),
        };
        let dim = match pair {
            Some(_) => plain,
            None => self.dim(),
        };
        FlameLook {
            fill: pair.map(|(fill, _)| fill),
            text: plain.add_modifier(modifiers),
            rest: dim,
            edge: dim,
            has_edge: hue != FlameHue::Gathered,
            texture,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(colour: Color) -> [f64; 3] {
        match colour {
            Color::Rgb(r, g, b) => [r, g, b].map(f64::from),
            // xterm's cube of colours, and its greys
            Color::Indexed(index @ 16..232) => {
                let level = |at: u8| {
                    if at == 0 {
                        0.0
                    } else {
                        55.0 + 40.0 * f64::from(at)
                    }
                };
                let cube = index - 16;
                [cube / 36, cube / 6 % 6, cube % 6].map(level)
            }
            Color::Indexed(index @ 232..) => [8.0 + 10.0 * f64::from(index - 232); 3],
            colour => panic!("{colour:?} is the terminal's own"),
        }
    }

    fn linear(colour: Color) -> [f64; 3] {
        rgb(colour).map(|value| match value / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        })
    }

    /// As WCAG has it.
    fn contrast(a: Color, b: Color) -> f64 {
        let luminance = |colour| {
            let [r, g, b] = linear(colour);
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let [a, b] = [luminance(a), luminance(b)];
        a.max(b) / a.min(b)
    }

    const FILLED: [FlameHue; 9] = [
        FlameHue::User,
        FlameHue::Library,
        FlameHue::System,
        FlameHue::Native,
        FlameHue::MuchSlower,
        FlameHue::Slower,
        FlameHue::Faster,
        FlameHue::MuchFaster,
        FlameHue::Selected,
    ];

    #[test]
    fn names_in_the_flame_graph_can_be_read() {
        for theme in [
            Theme::of_terminal("xterm-256color", ""),
            Theme::of_terminal("", "24bit"),
        ] {
            for (hue, is_odd) in FILLED
                .into_iter()
                .flat_map(|hue| [(hue, false), (hue, true)])
            {
                let text = theme.flame(hue, is_odd).text;
                let contrast = contrast(text.fg.unwrap(), text.bg.unwrap());
                assert!(contrast >= 4.5, "{theme:?} {hue:?} {is_odd}: {contrast}");
            }
        }
    }

    /// Whose code it is can be told apart by those whose eyes lack one kind of cones, too (Viénot, Brettel, Mollon 1999).
    #[test]
    fn colours_of_code_differ_for_everyone() {
        const ALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        const PROTAN: [[f64; 3]; 3] = [
            [0.11238, 0.88762, 0.0],
            [0.11238, 0.88762, 0.0],
            [0.00401, -0.00401, 1.0],
        ];
        const DEUTAN: [[f64; 3]; 3] = [
            [0.29275, 0.70725, 0.0],
            [0.29275, 0.70725, 0.0],
            [-0.02234, 0.02234, 1.0],
        ];
        for theme in [
            Theme::of_terminal("xterm-256color", ""),
            Theme::of_terminal("", "24bit"),
        ] {
            for eyes in [ALL, PROTAN, DEUTAN] {
                let seen = |hue| {
                    let colour = linear(theme.flame(hue, false).fill.unwrap());
                    let cone =
                        |row: [f64; 3]| row.iter().zip(colour).map(|(a, b)| a * b).sum::<f64>();
                    eyes.map(|row| cone(row).max(0.0).powf(1.0 / 2.2))
                };
                for (at, hue) in FILLED[..4].iter().enumerate() {
                    for other in &FILLED[..at] {
                        let [a, b] = [seen(*hue), seen(*other)];
                        let distance = a
                            .iter()
                            .zip(b)
                            .map(|(a, b)| (a - b).powi(2))
                            .sum::<f64>()
                            .sqrt();
                        assert!(distance > 0.15, "{theme:?} {hue:?} {other:?}: {distance}");
                    }
                }
            }
        }
    }

    #[test]
    fn colours_are_those_that_the_terminal_announces() {
        let of = |term, colorterm| Theme::of_terminal(term, colorterm).colours;
        assert_eq!(of("xterm", ""), Colours::Sixteen);
        assert_eq!(of("xterm-256color", ""), Colours::Indexed);
        assert_eq!(of("xterm-256color", "truecolor"), Colours::True);
    }
}
