//! What the explorer waits for.

use super::effects::Effect;
use super::page::PageOrigin;

/// What the explorer is waiting for.
#[derive(Default)]
pub(super) struct Pending {
    /// Requests that have yet to be sent to the environment.
    pub effects: Vec<Effect>,
    /// The requested view. There is at most one: a new request replaces the previous one.
    pub view: Option<Effect>,
    /// What the requested page returns to, if not to what is shown now.
    pub page_origin: Option<PageOrigin>,
    /// The row to select in the list of waits, if that was requested.
    pub row: usize,
    /// The progress in percent, once it has taken a while.
    pub percent: Option<u8>,
    /// The file that is being written.
    pub file: Option<String>,
    /// How many notes are being written.
    pub notes: usize,
    /// Whether dotspot quits once everything is written.
    pub leaves_when_written: bool,
}

impl Pending {
    pub(super) fn is_writing(&self) -> bool {
        self.file.is_some() || self.notes > 0
    }
}
