//! The text field that filters a list while the user types.

use super::{Action, Field};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub field: Field,
    pub is_typed: bool,
}

impl Filter {
    pub fn text(&self) -> &str {
        self.field.text()
    }

    pub fn is_shown(&self) -> bool {
        self.is_typed || !self.text().is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Filter::default();
    }

    /// Returns whether the text has changed.
    pub(super) fn act(&mut self, action: Action) -> bool {
        let before = self.text().to_string();
        match action {
            Action::Accept => self.is_typed = false,
            Action::Back => self.clear(),
            typed => self.field.edit(typed),
        }
        self.text() != before
    }
}

#[cfg(test)]
mod tests;
