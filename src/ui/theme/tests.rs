use super::flame::FlameHue;
use super::*;
use crate::ui::THEMES;
use ratatui::layout::Rect;

fn rgb(color: Color) -> [f64; 3] {
    match color {
        Color::Rgb(r, g, b) => [r, g, b].map(f64::from),
        Color::Indexed(index @ 16..) => crate::ui::palette::rgb(index).map(f64::from),
        color => panic!("{color:?} is the terminal's own"),
    }
}

fn linear(color: Color) -> [f64; 3] {
    rgb(color).map(|value| match value / 255.0 {
        low if low <= 0.04045 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    })
}

/// As defined by WCAG.
fn contrast(a: Color, b: Color) -> f64 {
    let luminance = |color| {
        let [r, g, b] = linear(color);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let [a, b] = [luminance(a), luminance(b)];
    a.max(b) / a.min(b)
}

/// A palette: background, text, the 16 colors, and whether bold text uses the bright ones.
struct TerminalColors(&'static str, u32, u32, [u32; 16], bool);

const SOLARIZED: [u32; 16] = [
    0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36,
    0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
];
const XTERM: [u32; 16] = [
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
    0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];
/// As shipped by their authors.
const PALETTES: [TerminalColors; 7] = [
    TerminalColors("xterm", 0x000000, 0xe5e5e5, XTERM, true),
    TerminalColors(
        "console of Linux",
        0x000000,
        0xaaaaaa,
        [
            0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
            0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
        true,
    ),
    TerminalColors(
        "PuTTY",
        0x000000,
        0xbbbbbb,
        [
            0x000000, 0xbb0000, 0x00bb00, 0xbbbb00, 0x0000bb, 0xbb00bb, 0x00bbbb, 0xbbbbbb,
            0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
        true,
    ),
    TerminalColors(
        "Windows Terminal",
        0x0c0c0c,
        0xcccccc,
        [
            0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
            0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2,
        ],
        true,
    ),
    TerminalColors("Solarized dark", 0x002b36, 0x839496, SOLARIZED, false),
    TerminalColors("Solarized light", 0xfdf6e3, 0x657b83, SOLARIZED, false),
    TerminalColors("xterm on white", 0xffffff, 0x000000, XTERM, true),
];

impl TerminalColors {
    fn background(&self) -> Background {
        let parts = [16, 8, 0].map(|shift| format!("{:02x}", self.1 >> shift & 0xff));
        Background::of(&format!("rgb:{}", parts.join("/"))).unwrap()
    }

    fn color(&self, color: Color, is_bold: bool, plain: u32) -> Color {
        let sixteen = match color {
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

    /// The contrast of a cell as drawn.
    #[track_caller]
    fn contrast(&self, theme: Theme, mut cell: Cell) -> f64 {
        if cell.fg == Color::Reset {
            cell.fg = theme.color(Role::Text);
        }
        let has = |modifier| cell.modifier.contains(modifier);
        assert!(
            !has(Modifier::DIM),
            "{cell:?}: each terminal dims as it likes"
        );
        let text = self.color(cell.fg, has(Modifier::BOLD), self.2);
        let behind = self.color(cell.bg, false, self.1);
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
fn everything_is_readable_in_common_palettes() {
    for (term, colorterm) in [
        ("xterm", ""),
        ("xterm-256color", ""),
        ("xterm", "truecolor"),
    ] {
        for palette in &PALETTES {
            // bold black is a gray there, with a contrast of 4.0
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

/// Every built-in theme, on its own background, with 256 and with all colors.
#[test]
fn every_theme_is_readable() {
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
fn a_custom_theme_only_lists_differences() {
    let text = "background = \"light\"\n[roles]\naccent = \"#00005f\"\nwarning = 3\nerorr = 88\npaper = 231\n";
    let (palette, problems) = Palette::parse("mine.toml", text);
    assert_eq!(
        problems,
        [
            "mine.toml:4: roles.warning: expected a color: \"#rrggbb\", or an xterm color number from 16 to 255",
            "mine.toml:5: roles.erorr is unknown; did you mean roles.error?",
            "mine.toml:6: roles.paper is a top-level entry; put it above the line [roles]",
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
    // the cube contains this one
    assert_eq!(theme.color(Role::Accent), Color::Indexed(17));
}

/// Without color, too: dim or bold text stays so, and a full bar does not look empty.
#[test]
fn the_selected_row_is_one_ribbon() {
    for theme in [Theme::PLAIN, Theme::of_terminal("xterm", "")] {
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
fn terminals_report_their_background() {
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
fn changes_of_two_strengths_look_different_with_sixteen_colors() {
    for [much, little] in [
        [FlameHue::MuchSlower, FlameHue::Slower],
        [FlameHue::MuchFaster, FlameHue::Faster],
    ] {
        let textures =
            [much, little].map(|hue| Theme::of_terminal("xterm", "").flame(hue, false).texture);
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

/// Whose code it is can be distinguished even by people who lack one kind of cones (Viénot, Brettel, Mollon 1999).
#[test]
fn colors_of_code_differ_for_everyone() {
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
                let color = linear(theme.flame(hue, false).text.bg.unwrap());
                let cone = |row: [f64; 3]| row.iter().zip(color).map(|(a, b)| a * b).sum::<f64>();
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

/// In CIELAB with the white point D65, as defined by CIE 15: lightness, then green to red, and blue to yellow.
fn lab(color: Color) -> [f64; 3] {
    let [r, g, b] = linear(color);
    let part = |r1: f64, g1: f64, b1: f64| match r1 * r + g1 * g + b1 * b {
        low if low <= 0.008856 => 7.787 * low + 16.0 / 116.0,
        high => high.cbrt(),
    };
    let x = part(0.43395, 0.37622, 0.18983);
    let y = part(0.2126, 0.7152, 0.0722);
    let z = part(0.01772, 0.10947, 0.87281);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Neighbors can be distinguished, but don't look like two categories.
#[test]
fn alternating_shades_share_a_hue() {
    for theme in [
        Theme::of_terminal("xterm-256color", ""),
        Theme::of_terminal("", "24bit"),
    ] {
        for hue in FILLED {
            if hue == FlameHue::Selected {
                continue;
            }
            let [even, odd] =
                [false, true].map(|is_odd| lab(theme.flame(hue, is_odd).text.bg.unwrap()));
            let parts = even.iter().zip(odd).map(|(a, b)| (a - b).powi(2));
            let distance = parts.sum::<f64>().sqrt();
            assert!(
                (5.0..20.0).contains(&distance),
                "{theme:?} {hue:?}: {distance}"
            );
            let angle = |[_, a, b]: [f64; 3]| b.atan2(a).to_degrees();
            let apart = (angle(even) - angle(odd)).abs();
            // grays have none
            let is_grey = even[1].hypot(even[2]) < 1.0;
            assert!(is_grey || apart < 8.0, "{theme:?} {hue:?}: {apart} degrees");
        }
    }
}

#[test]
fn colors_match_what_the_terminal_announces() {
    let colors = |term, colorterm| Theme::of_terminal(term, colorterm).colors;
    assert_eq!(colors("xterm", ""), ColorDepth::Sixteen);
    assert_eq!(colors("xterm-256color", ""), ColorDepth::Indexed);
    assert_eq!(colors("xterm-256color", "truecolor"), ColorDepth::True);
}
