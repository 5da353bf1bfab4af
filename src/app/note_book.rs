//! The user's notes on methods while a profile is explored, and the file they are stored in.

use super::field::Field;
use crate::model::{FrameId, MethodNotes};
use std::sync::Arc;

/// The notes, and the file they are stored in.
#[derive(Clone, Debug, Default)]
pub struct NoteBook {
    /// The notes on methods, written or not.
    pub notes: Arc<MethodNotes>,
    /// The name of the notes file; `None` if the profile is not a file.
    pub file: Option<String>,
    /// Whether they may be written to it: it exists, or the user has agreed.
    pub may_write: bool,
    /// How many notes are being written.
    pub(super) unwritten: usize,
}

/// The dialog in which a note is written.
#[derive(Clone, Debug)]
pub struct NotePrompt {
    /// The method.
    pub frame: FrameId,
    pub field: Field,
    /// Whether the dialog is asking for permission to write the notes file.
    pub asks_to_write: bool,
}
