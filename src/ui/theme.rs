//! All colors and styles.
//!
//! Where the terminal has 256 colors and says whether it is dark or light, text has colors that can be read on both; elsewhere the
//! terminal's own 16 are used, so that old ones show the same. True color gives bars their heat. The flame graph has colors of its own.
//! No meaning is carried by color alone: the selected row also has a mark, user code is bold and has no color, special frames
//! are in brackets, threads are the rows below the root.

use super::palette::{HEAT_AT, Palette, indexed};
use super::roles::{Background, Role};
use crate::names::Category;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

/// The styles of everything on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    colours: Colours,
    background: Background,
    /// The colors of roles where the terminal has 256 or more; nothing before it is known what is behind text.
    palette: Option<Palette>,
}

/// How many colors there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colours {
    None,
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    True,
}

impl Background {
    /// That of a color as terminals tell it: `rgb:ffff/fafa/f0f0`, with one to four digits a part. `None` if it is none.
    pub fn of(answer: &str) -> Option<Background> {
        let parts = answer.strip_prefix("rgb:")?.split('/');
        let part = |digits: &str| {
            let most = (1u32 << (4 * digits.len().min(4))) - 1;
            let value = u32::from_str_radix(digits, 16).ok()?;
            Some(f64::from(value) / f64::from(most))
        };
        let parts = parts.map(part).collect::<Option<Vec<f64>>>()?;
        let &[red, green, blue] = parts.as_slice() else {
            return None;
        };
        // as bright as eyes see it
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
        Some(match brightness < 0.5 {
            true => Background::Dark,
            false => Background::Light,
        })
    }
}

/// One of the terminal's own 16 colors on dark and on light. Bright ones are greys in some palettes, and none of the dark ones but
/// black can be read on the paper of all.
fn sixteen(role: Role) -> [Color; 2] {
    const PLAIN: Color = Color::Reset;
    let on_dark = match role {
        Role::Text | Role::Ribbon | Role::Dim | Role::Cool => PLAIN,
        Role::Accent | Role::Faster | Role::Selected => Color::Cyan,
        Role::Special => Color::Green,
        Role::Warm | Role::Warning | Role::Slower | Role::Error => Color::Yellow,
    };
    [on_dark, Color::Black]
}

/// The color of a bar at a share between two of a scale.
fn heat_colour(scale: &[Color; 4], share: f64) -> Color {
    let after = HEAT_AT.iter().position(|&at| at >= share);
    let after = after.unwrap_or(HEAT_AT.len() - 1).max(1);
    let (Color::Rgb(r0, g0, b0), Color::Rgb(r1, g1, b1)) = (scale[after - 1], scale[after]) else {
        return scale[after];
    };
    let (from, to) = (HEAT_AT[after - 1], HEAT_AT[after]);
    let way = ((share - from) / (to - from)).clamp(0.0, 1.0);
    let part = |low: u8, high: u8| {
        let [low, high] = [low, high].map(f64::from);
        (low + (high - low) * way).round() as u8
    };
    Color::Rgb(part(r0, r1), part(g0, g1), part(b0, b1))
}

/// What the color of a frame in the flame graph means, in the order of the legend.
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

/// Colors of a frame: one of the 16, and of the 256 and of all two shades that alternate; behind its name what fills it without colors,
/// nothing where it is reversed.
struct FlameColours(Color, [u8; 2], [u32; 2], &'static str);

/// Colors of Okabe and Ito, which can be told apart with any color vision and are light enough for black text, but for the
/// selected one, which is dark and has white text; none for what has no fill.
fn flame_colours(hue: FlameHue) -> Option<FlameColours> {
    let of = |colour, indexed, rgb, plain| Some(FlameColours(colour, indexed, rgb, plain));
    match hue {
        FlameHue::User => of(Color::Yellow, [214, 172], [0xe69f00, 0xcf8f00], ""),
        FlameHue::Library => of(Color::Cyan, [74, 117], [0x56b4e9, 0x78c3ed], "▒"),
        FlameHue::System => of(Color::Gray, [250, 248], [0xbdbdbd, 0xaaaaaa], "·"),
        FlameHue::Native => of(Color::Green, [72, 115], [0x3fa583, 0x5cb296], "─"),
        FlameHue::MuchSlower => of(Color::Yellow, [208, 166], [0xe8833a, 0xd17634], ""),
        FlameHue::Slower => of(Color::Yellow, [222, 179], [0xf5cf9f, 0xdcba8f], "▒"),
        FlameHue::Unchanged => of(Color::Gray, [250, 248], [0xbdbdbd, 0xaaaaaa], "·"),
        FlameHue::Faster => of(Color::Cyan, [152, 116], [0xb5d9ee, 0xa3c3d6], "─"),
        FlameHue::MuchFaster => of(Color::Cyan, [74, 117], [0x56b4e9, 0x78c3ed], "░"),
        FlameHue::Selected => of(Color::Magenta, [90, 90], [0x882255, 0x882255], ""),
        FlameHue::Waiting | FlameHue::NoCode | FlameHue::Gathered | FlameHue::Unlit => None,
    }
}

/// How a frame of the flame graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlameLook {
    /// The color that fills it, if one does; the terminal's own where it is reversed.
    fill: Option<Color>,
    /// Its name, what fills it behind that, and its edge.
    pub text: Style,
    pub rest: Style,
    pub edge: Style,
    /// Whether it has an edge where nothing else parts it from its neighbors.
    pub has_edge: bool,
    pub texture: &'static str,
}

impl FlameLook {
    pub(super) fn is_filled(&self) -> bool {
        self.fill.is_some()
    }

    /// Whether two neighbors can be told apart by what fills them.
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
        background: Background::Unknown,
        palette: None,
    };
    /// With bold, dim and reversed text alone, for `NO_COLOR`.
    pub const PLAIN: Theme = Theme {
        colours: Colours::None,
        background: Background::Unknown,
        palette: None,
    };

    /// What a terminal of this `TERM` can do that says `COLORTERM` of its colors.
    pub fn of_terminal(term: &str, colorterm: &str) -> Theme {
        let colours = match colorterm {
            "truecolor" | "24bit" => Colours::True,
            _ if term.contains("256color") => Colours::Indexed,
            _ => Colours::Sixteen,
        };
        // the console of Linux has no paper
        let background = match term {
            "linux" => Background::Dark,
            _ => Background::Unknown,
        };
        let theme = Theme {
            colours,
            ..Theme::PLAIN
        };
        theme.on(background)
    }

    /// This theme on another background.
    pub fn on(self, background: Background) -> Theme {
        let has_many = matches!(self.colours, Colours::Indexed | Colours::True);
        let is_known = background != Background::Unknown;
        Theme {
            background,
            palette: (has_many && is_known).then(|| Palette::on(background)),
            ..self
        }
    }

    /// This theme in colors that a user has chosen, as far as the terminal has them.
    pub fn with_palette(self, palette: Palette) -> Theme {
        match self.colours {
            _ if palette.is_plain => Theme::PLAIN,
            // a palette of 16 is each terminal's own
            Colours::None | Colours::Sixteen => self,
            Colours::Indexed | Colours::True => Theme {
                background: palette.background,
                palette: Some(palette),
                ..self
            },
        }
    }

    /// Whether it would be another one if the background were known.
    pub fn asks_for_background(self) -> bool {
        self.has_colour() && self.background == Background::Unknown
    }

    fn has_colour(self) -> bool {
        self.colours != Colours::None
    }

    /// Whether text has colors that do not depend on the user's palette.
    fn has_own_colours(self) -> bool {
        self.palette.is_some()
    }

    /// The color of a role, which is the terminal's own where there is nothing better.
    fn colour(self, role: Role) -> Color {
        let [on_dark, on_light] = sixteen(role);
        match (&self.palette, self.background) {
            _ if !self.has_colour() => Color::Reset,
            (Some(palette), _) => self.fitted(palette.roles[role as usize]),
            (None, Background::Light) => on_light,
            (None, Background::Dark | Background::Unknown) => on_dark,
        }
    }

    /// A color as the terminal has it.
    fn fitted(self, colour: Color) -> Color {
        match self.colours {
            Colours::True => colour,
            _ => indexed(colour),
        }
    }

    fn coloured(self, role: Role) -> Style {
        match self.colour(role) {
            Color::Reset => Style::new(),
            colour => Style::new().fg(colour),
        }
    }

    /// The same in bold, which makes up for dark colors in palettes of 16.
    fn bold(self, role: Role) -> Style {
        self.coloured(role).add_modifier(Modifier::BOLD)
    }

    /// Text that is not worth a second look: guides, labels, units.
    pub fn dim(self) -> Style {
        match self.has_colour() && self.background != Background::Unknown {
            true => self.coloured(Role::Dim),
            false => Style::new().add_modifier(Modifier::DIM),
        }
    }

    /// Headings and names of what is looked at.
    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The accent: borders and title of the pane that has the keys, keys in hints.
    pub fn accent(self) -> Style {
        self.bold(Role::Accent)
    }

    /// The border of a pane.
    pub fn border(self, is_focused: bool) -> Style {
        if is_focused {
            self.accent()
        } else {
            self.dim()
        }
    }

    /// What is selected, if the keys go there.
    pub fn selected(self, is_focused: bool) -> Style {
        match (is_focused, self.has_own_colours()) {
            (true, true) => self.coloured(Role::Selected).bg(self.colour(Role::Ribbon)),
            (true, false) => self.cursor(),
            (false, _) => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// A column of the strip of time that was chosen.
    pub fn cursor(self) -> Style {
        self.coloured(Role::Selected)
            .add_modifier(Modifier::REVERSED)
    }

    /// Makes a cell one of the selected row of the pane that has the keys, or of another pane: it is one ribbon in which bars stay bars.
    pub(super) fn select(self, cell: &mut Cell, is_focused: bool) {
        const BARS: [&str; 8] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];
        let eighths = BARS.iter().position(|bar| *bar == cell.symbol());
        if is_focused {
            cell.modifier.remove(Modifier::DIM);
        }
        match (is_focused && !self.has_own_colours(), eighths) {
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
                cell.bg = self.colour(Role::Ribbon);
                if cell.fg == self.colour(Role::Dim) {
                    cell.fg = self.colour(Role::Cool);
                } else if cell.fg == Color::Reset {
                    cell.fg = self.colour(Role::Selected);
                }
            }
            (false, _) => _ = cell.set_style(self.selected(is_focused)),
        }
    }

    /// Gives all text that has no color the one that can be read, and the theme's paper to what has none behind it.
    pub(super) fn finish(self, buffer: &mut Buffer) {
        let text = self.colour(Role::Text);
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

    /// A name by whose code it is.
    pub fn name(self, category: Category) -> Style {
        match category {
            Category::User => self.strong(),
            Category::Library | Category::System => self.dim(),
            Category::Native => self.dim().add_modifier(Modifier::ITALIC),
            Category::Pseudo => self.bold(Role::Special),
        }
    }

    /// A bar by its share of the whole, 0 to 1.
    pub fn heat(self, share: f64) -> Style {
        let heat = self.palette.and_then(|palette| palette.heat);
        if let (Colours::True, Some(heat)) = (self.colours, heat) {
            return Style::new().fg(heat_colour(&heat, share));
        }
        match share {
            ..0.05 if self.background == Background::Unknown => self.dim(),
            ..0.05 => self.coloured(Role::Cool),
            ..0.25 => Style::new(),
            _ => self.bold(Role::Warm),
        }
    }

    /// A difference: slower, faster, none. The two can be told apart by people who can't tell red from green, and by
    /// sign and side without color.
    pub fn change(self, delta: i128) -> Style {
        match delta {
            0 => self.dim(),
            ..0 => self.coloured(Role::Faster),
            _ => self.bold(Role::Slower),
        }
    }

    /// Letters that a search matched.
    pub fn matched(self) -> Style {
        self.bold(Role::Warning).add_modifier(Modifier::UNDERLINED)
    }

    /// Warnings.
    pub fn warning(self) -> Style {
        self.bold(Role::Warning)
    }

    pub fn error(self) -> Style {
        match self.has_own_colours() {
            true => self.bold(Role::Error),
            // red can't be read in any palette of 16
            false => self.matched(),
        }
    }

    /// The colors of a frame and of its name, where there are colors.
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

    /// A frame of the flame graph; neighbors alternate.
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
            // one of the 16 has to do for both strengths
            (FlameHue::Slower | FlameHue::Faster, _) if self.colours == Colours::Sixteen => "▒",
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
    use crate::ui::THEMES;
    use ratatui::layout::Rect;

    fn rgb(colour: Color) -> [f64; 3] {
        match colour {
            Color::Rgb(r, g, b) => [r, g, b].map(f64::from),
            Color::Indexed(index @ 16..) => crate::ui::palette::rgb(index).map(f64::from),
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

    /// A palette: what is behind text, text, the 16 colors, and whether bold text takes the bright ones.
    struct TerminalColours(&'static str, u32, u32, [u32; 16], bool);

    const SOLARIZED: [u32; 16] = [
        0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36,
        0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
    ];
    const XTERM: [u32; 16] = [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
        0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ];
    /// As their makers ship them.
    const PALETTES: [TerminalColours; 7] = [
        TerminalColours("xterm", 0x000000, 0xe5e5e5, XTERM, true),
        TerminalColours(
            "console of Linux",
            0x000000,
            0xaaaaaa,
            [
                0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
                0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
            ],
            true,
        ),
        TerminalColours(
            "PuTTY",
            0x000000,
            0xbbbbbb,
            [
                0x000000, 0xbb0000, 0x00bb00, 0xbbbb00, 0x0000bb, 0xbb00bb, 0x00bbbb, 0xbbbbbb,
                0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
            ],
            true,
        ),
        TerminalColours(
            "Windows Terminal",
            0x0c0c0c,
            0xcccccc,
            [
                0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
                0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
            ],
            true,
        ),
        TerminalColours("Solarized dark", 0x002b36, 0x839496, SOLARIZED, false),
        TerminalColours("Solarized light", 0xfdf6e3, 0x657b83, SOLARIZED, false),
        TerminalColours("xterm on white", 0xffffff, 0x000000, XTERM, true),
    ];

    impl TerminalColours {
        fn background(&self) -> Background {
            let parts = [16, 8, 0].map(|shift| format!("{:02x}", self.1 >> shift & 0xff));
            Background::of(&format!("rgb:{}", parts.join("/"))).unwrap()
        }

        fn colour(&self, colour: Color, is_bold: bool, plain: u32) -> Color {
            let sixteen = match colour {
                Color::Reset => return Color::from_u32(plain),
                Color::Black => 0,
                Color::Green => 2,
                Color::Yellow => 3,
                Color::Cyan => 6,
                Color::Gray => 7,
                other => return other,
            };
            let bright = if is_bold && self.4 { 8 } else { 0 };
            Color::from_u32(self.3[sixteen + bright])
        }

        /// The contrast of a cell as it is drawn.
        #[track_caller]
        fn contrast(&self, theme: Theme, mut cell: Cell) -> f64 {
            if cell.fg == Color::Reset {
                cell.fg = theme.colour(Role::Text);
            }
            let has = |modifier| cell.modifier.contains(modifier);
            assert!(
                !has(Modifier::DIM),
                "{cell:?}: each terminal dims as it likes"
            );
            let text = self.colour(cell.fg, has(Modifier::BOLD), self.2);
            let behind = self.colour(cell.bg, false, self.1);
            contrast(text, behind)
        }
    }

    fn styles(theme: Theme) -> Vec<Style> {
        use Category::{Library, Native, Pseudo, System, User};
        let names = [User, Library, System, Native, Pseudo].map(|of| theme.name(of));
        let heats = (0..=20).map(|share| theme.heat(f64::from(share) / 20.0));
        let changes = [-1, 0, 1].map(|delta| theme.change(delta));
        let others = [
            Style::new(),
            theme.dim(),
            theme.strong(),
            theme.accent(),
            theme.matched(),
            theme.warning(),
            theme.error(),
            theme.selected(true),
            theme.selected(false),
            theme.cursor(),
        ];
        let all = names.into_iter().chain(heats).chain(changes);
        all.chain(others).collect()
    }

    #[test]
    fn everything_can_be_read_in_the_usual_palettes() {
        for (term, colorterm) in [
            ("xterm", ""),
            ("xterm-256color", ""),
            ("xterm", "truecolor"),
        ] {
            for palette in &PALETTES {
                // bold black is a grey there, of 4.0
                if (palette.0, term, colorterm) == ("xterm on white", "xterm", "") {
                    continue;
                }
                let theme = Theme::of_terminal(term, colorterm).on(palette.background());
                for style in styles(theme) {
                    let (mut cell, mut bar) = (Cell::new("x"), Cell::new("█"));
                    cell.set_style(style);
                    bar.set_style(style);
                    let (mut selected, mut selected_bar) = (cell.clone(), bar);
                    theme.select(&mut selected, true);
                    theme.select(&mut selected_bar, true);
                    for cell in [cell, selected, selected_bar] {
                        let contrast = palette.contrast(theme, cell.clone());
                        assert!(
                            contrast >= 4.5,
                            "{} {term} {colorterm}: {contrast:.2} of {cell:?}",
                            palette.0
                        );
                    }
                }
            }
        }
    }

    /// Every theme that comes with dotspot, on its own paper, with 256 and with all colors.
    #[test]
    fn every_theme_can_be_read() {
        for (name, text) in THEMES {
            let (palette, problems) = Palette::parse(name, text);
            assert_eq!(problems, [""; 0], "{name}");
            for (term, colorterm) in [("xterm-256color", ""), ("xterm", "truecolor")] {
                let theme = Theme::of_terminal(term, colorterm).with_palette(palette);
                if palette.is_plain {
                    assert_eq!(theme, Theme::PLAIN);
                    continue;
                }
                let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 6 * styles(theme).len() as u16));
                for (cells, style) in buffer.content.chunks_mut(6).zip(styles(theme)) {
                    for (at, cell) in cells.iter_mut().enumerate() {
                        cell.set_symbol(["x", "█"][at % 2]).set_style(style);
                        if at > 1 {
                            theme.select(cell, at < 4);
                        }
                    }
                }
                theme.finish(&mut buffer);
                let least = if name == "high-contrast" { 7.0 } else { 4.5 };
                for cell in &buffer.content {
                    assert!(!cell.modifier.contains(Modifier::DIM), "{name} {cell:?}");
                    let contrast = contrast(cell.fg, cell.bg);
                    assert!(contrast >= least, "{name} {term} {contrast:.2} of {cell:?}");
                }
            }
        }
    }

    #[test]
    fn a_theme_of_ones_own_says_what_differs() {
        let text =
            "background = \"light\"\n[roles]\naccent = \"#00005f\"\nwarning = 3\nerorr = 88\n";
        let (palette, problems) = Palette::parse("mine.toml", text);
        assert_eq!(
            problems,
            [
                "mine.toml:4: roles.warning: a color is expected: \"#rrggbb\", or a number from 16 to 255 of xterm's colors",
                "mine.toml:5: roles.erorr: roles.erorr is unknown; did you mean roles.error?",
            ]
        );
        let light = Palette::named("light").unwrap();
        let (mut expect, accent) = (light.roles, Color::Rgb(0, 0, 0x5f));
        expect[Role::Accent as usize] = accent;
        assert_eq!(palette.roles, expect);
        assert_eq!(
            (palette.paper, palette.background),
            (None, Background::Light)
        );
        let theme = Theme::of_terminal("xterm-256color", "").with_palette(palette);
        // the cube has this one
        assert_eq!(theme.colour(Role::Accent), Color::Indexed(17));
    }

    /// Without color, too: whatever was dim or bold, and a full bar does not look empty.
    #[test]
    fn the_selected_row_is_one_ribbon() {
        for theme in [Theme::PLAIN, Theme::COLOUR] {
            let looks = styles(theme).into_iter().map(|style| {
                let mut cell = Cell::new("█");
                cell.set_style(style);
                theme.select(&mut cell, true);
                let kept = Modifier::ITALIC | Modifier::UNDERLINED;
                (
                    cell.symbol().to_string(),
                    cell.fg,
                    cell.bg,
                    cell.modifier - kept,
                )
            });
            let looks: Vec<_> = looks.collect();
            assert!(looks.iter().all(|look| *look == looks[0]), "{looks:?}");
            assert_eq!((looks[0].0.as_str(), looks[0].3), ("▒", Modifier::REVERSED));
        }
    }

    #[test]
    fn terminals_say_what_is_behind_text() {
        for (answer, expect) in [
            ("rgb:0000/0000/0000", Some(Background::Dark)),
            ("rgb:1e1e/1e1e/2e2e", Some(Background::Dark)),
            ("rgb:ff/ff/f0", Some(Background::Light)),
            ("rgb:f/f/f", Some(Background::Light)),
            ("rgb:ff/ff", None),
            ("rgb:gg/00/00", None),
            ("", None),
        ] {
            assert_eq!(Background::of(answer), expect, "{answer}");
        }
    }

    #[test]
    fn changes_of_two_strengths_look_different_with_sixteen_colours() {
        for [much, little] in [
            [FlameHue::MuchSlower, FlameHue::Slower],
            [FlameHue::MuchFaster, FlameHue::Faster],
        ] {
            let textures = [much, little].map(|hue| Theme::COLOUR.flame(hue, false).texture);
            assert_eq!(textures, [" ", "▒"]);
        }
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

    /// In CIELAB with the white of D65, as CIE 15 has it: lightness, then green to red, and blue to yellow.
    fn lab(colour: Color) -> [f64; 3] {
        let [r, g, b] = linear(colour);
        let part = |r1: f64, g1: f64, b1: f64| match r1 * r + g1 * g + b1 * b {
            low if low <= 0.008856 => 7.787 * low + 16.0 / 116.0,
            high => high.cbrt(),
        };
        let x = part(0.43395, 0.37622, 0.18983);
        let y = part(0.2126, 0.7152, 0.0722);
        let z = part(0.01772, 0.10947, 0.87281);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Neighbors can be told apart, but don't look like two categories.
    #[test]
    fn shades_that_alternate_are_of_one_hue() {
        for theme in [
            Theme::of_terminal("xterm-256color", ""),
            Theme::of_terminal("", "24bit"),
        ] {
            for hue in FILLED {
                if hue == FlameHue::Selected {
                    continue;
                }
                let [even, odd] =
                    [false, true].map(|is_odd| lab(theme.flame(hue, is_odd).fill.unwrap()));
                let parts = even.iter().zip(odd).map(|(a, b)| (a - b).powi(2));
                let distance = parts.sum::<f64>().sqrt();
                assert!(
                    (5.0..20.0).contains(&distance),
                    "{theme:?} {hue:?}: {distance}"
                );
                let angle = |[_, a, b]: [f64; 3]| b.atan2(a).to_degrees();
                let apart = (angle(even) - angle(odd)).abs();
                // greys have none
                let is_grey = even[1].hypot(even[2]) < 1.0;
                assert!(is_grey || apart < 8.0, "{theme:?} {hue:?}: {apart} degrees");
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
