use super::messages;
use super::roles::{Background, Role};
use crate::settings::{Entry, Value, read_entries, unknown};
use ratatui::prelude::Color;

pub const THEMES: [(&str, &str); 6] = [
    ("default", include_str!("../../assets/themes/default.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../assets/themes/high-contrast.toml"),
    ),
    (
        "colour-blind",
        include_str!("../../assets/themes/colour-blind.toml"),
    ),
    (
        "solarized",
        include_str!("../../assets/themes/solarized.toml"),
    ),
    ("mono", include_str!("../../assets/themes/mono.toml")),
];

/// The shares at which the heat colors apply.
pub(super) const HEAT_AT: [f64; 4] = [0.0, 0.05, 0.25, 1.0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    pub background: Background,
    /// Painted behind text; `None` to leave the terminal's own.
    pub(super) paper: Option<Color>,
    pub(super) is_plain: bool,
    pub(super) roles: [Color; Role::ALL.len()],
    pub(super) heat: Option<[Color; 4]>,
}

impl Palette {
    pub fn named(name: &str) -> Option<Palette> {
        let (_, text) = THEMES.iter().find(|(known, _)| *known == name)?;
        Some(Palette::parse(name, text).0)
    }

    /// The terminal's background stays; text on a dark one is readable as it is.
    pub(super) fn on(background: Background) -> Palette {
        let mut palette = Palette {
            paper: None,
            ..Palette::default_for(background)
        };
        if background == Background::Dark {
            palette.roles[Role::Text as usize] = Color::Reset;
        }
        palette
    }

    fn default_for(background: Background) -> Palette {
        let name = match background {
            Background::Light => "light",
            Background::Dark | Background::Unknown => "default",
        };
        Palette::named(name).unwrap_or(Palette::EMPTY)
    }

    const EMPTY: Palette = Palette {
        background: Background::Dark,
        paper: None,
        is_plain: false,
        roles: [Color::Reset; Role::ALL.len()],
        heat: None,
    };

    /// Also returns its problems. Roles without a color get that of the built-in theme for the background.
    pub fn parse(file: &str, text: &str) -> (Palette, Vec<String>) {
        let mut palette = Palette::EMPTY;
        let mut named = [None; Role::ALL.len()];
        let problems = read_entries(file, text, |entry| palette.take(entry, &mut named));
        let is_built_in = THEMES.iter().any(|(_, known)| *known == text);
        if !is_built_in {
            let base = Palette::default_for(palette.background);
            palette.roles = base.roles;
            palette.heat = palette.heat.or(base.heat);
        }
        for (color, named) in palette.roles.iter_mut().zip(named) {
            *color = named.unwrap_or(*color);
        }
        (palette, problems)
    }

    fn take(
        &mut self,
        entry: &Entry,
        named: &mut [Option<Color>; Role::ALL.len()],
    ) -> Result<(), String> {
        match entry.key.as_str() {
            "background" => {
                let choices = [("dark", Background::Dark), ("light", Background::Light)];
                self.background = entry.choice(&choices)?;
            }
            "plain" => self.is_plain = entry.boolean()?,
            "paper" => self.paper = Some(color(&entry.value)?),
            "heat" => {
                let Value::List(values) = &entry.value else {
                    return Err(messages::FOUR_COLORS.into());
                };
                let colors = values.iter().map(color);
                let colors = colors.collect::<Result<Vec<Color>, String>>()?;
                let colors = colors.try_into().map_err(|_| messages::FOUR_COLORS)?;
                self.heat = Some(colors);
            }
            key => {
                let name = key.strip_prefix("roles.").unwrap_or_default();
                let role = Role::ALL.iter().position(|role| role.name() == name);
                let others = ["background", "plain", "paper", "heat"];
                if others.contains(&name) {
                    return Err(messages::top_level_entry(&name));
                }
                let unknown_key = || {
                    let roles = Role::ALL.map(|role| format!("roles.{}", role.name()));
                    let known = roles.iter().map(String::as_str).chain(others);
                    unknown(key, &known.collect::<Vec<_>>())
                };
                named[role.ok_or_else(unknown_key)?] = Some(color(&entry.value)?);
            }
        }
        Ok(())
    }
}

/// One of xterm's 256 beyond the first 16, which each terminal chooses itself, or `#rrggbb`.
fn color(value: &Value) -> Result<Color, String> {
    let found = match value {
        Value::Number(index @ 16..=255) => u8::try_from(*index).ok().map(Color::Indexed),
        Value::Text(text) => text
            .strip_prefix('#')
            .filter(|digits| {
                digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
            })
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .map(Color::from_u32),
        _ => None,
    };
    found.ok_or_else(|| messages::COLOR_EXPECTED.into())
}

/// The nearest of xterm's 256, in its cube and its grays.
pub(super) fn indexed(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else {
        return color;
    };
    let distance = |index: &u8| {
        let parts = rgb(*index).into_iter().zip([red, green, blue]);
        let squares = parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
        squares.sum::<u32>()
    };
    Color::Indexed((16..=255).min_by_key(distance).unwrap_or(16))
}

/// One of xterm's colors from 16 on: a cube of six levels, then grays.
pub(super) fn rgb(index: u8) -> [u8; 3] {
    let level = |at: u8| if at == 0 { 0 } else { 55 + 40 * at };
    match index.saturating_sub(16) {
        cube @ ..216 => [cube / 36, cube / 6 % 6, cube % 6].map(level),
        grey => [8 + 10 * (grey - 216); 3],
    }
}
