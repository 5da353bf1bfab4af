//! What the explorer waits for.

use super::effects::Effect;
use super::page::PageOrigin;

/// What is awaited.
#[derive(Default)]
pub(super) struct Pending {
    /// What the environment is still to be asked for.
    pub effects: Vec<Effect>,
    /// The other view that was asked for. There is at most one: a new request replaces the previous one.
    pub view: Option<Effect>,
    /// What the page that was asked for goes back to, if not to what is shown now.
    pub page_origin: Option<PageOrigin>,
    /// The row to select in the list of what waits, if that was asked for.
    pub row: usize,
    /// How far it is, in percent, once that has taken a while.
    pub percent: Option<u8>,
    /// The file that is being written.
    pub file: Option<String>,
    /// How many notes are being written.
    pub notes: usize,
    /// Whether dotspot leaves when all is written.
    pub leaves_when_written: bool,
}

impl Pending {
    pub(super) fn is_writing(&self) -> bool {
        self.file.is_some() || self.notes > 0
    }
}
