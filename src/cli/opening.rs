//! How the explorer opens.

use super::load::InitialView;
use super::open::OpenOptions;
use crate::app::{Keymap, Preferences};
use crate::ui::Palette;
use std::sync::Arc;

/// What the explorer shows until its user changes it.
#[derive(Clone, Debug, Default)]
pub(super) struct ScreenSettings {
    /// The theme, if it is not the default for the terminal's background.
    pub palette: Option<Palette>,
    pub keymap: Arc<Keymap>,
    pub preferences: Preferences,
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Opening {
    pub how: OpenOptions,
    pub shown: InitialView,
    pub screen: ScreenSettings,
}

impl std::fmt::Debug for Keymap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keymap")
    }
}
