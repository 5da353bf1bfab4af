//! All colours and styles.
//!
//! Only the terminal's own 16 colours are used, so that a user's theme stays in charge and old terminals show the same.
//! No meaning is carried by colour alone: the selected row also has a mark, user code is bold and has no colour, special frames
//! are in italics and brackets, threads are the rows below the root.

use crate::names::Category;
use ratatui::style::{Color, Modifier, Style};

/// The styles of everything on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    has_colour: bool,
}

impl Theme {
    pub const COLOUR: Theme = Theme { has_colour: true };
    /// With bold, dim and reversed text alone, for `NO_COLOR`.
    pub const PLAIN: Theme = Theme { has_colour: false };

    fn coloured(self, colour: Color) -> Style {
        if self.has_colour {
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
        match (is_focused, self.has_colour) {
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
}
