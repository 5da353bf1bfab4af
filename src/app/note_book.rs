//! The dialog in which a note on a method is written.

use super::field::Field;
use crate::model::FrameId;

/// The dialog in which a note is written.
#[derive(Clone, Debug)]
pub struct NotePrompt {
    /// The method.
    pub frame: FrameId,
    pub field: Field,
    /// Whether the dialog is asking for permission to write the notes file.
    pub asks_to_write: bool,
}
