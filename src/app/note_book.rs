//! A person's notes on methods while a profile is explored, and where they are kept.

use super::field::Field;
use crate::model::{FrameId, MethodNotes};
use std::sync::Arc;

/// The notes, and where they are kept.
#[derive(Clone, Debug, Default)]
pub struct NoteBook {
    /// The notes on methods, written or not.
    pub notes: Arc<MethodNotes>,
    /// The name of the file in which they are kept; `None` where the profile is no file.
    pub file: Option<String>,
    /// Whether they may be written to it: it is there, or somebody who was asked agreed.
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
    /// Whether it is asked whether notes may be written to their file.
    pub asks_to_write: bool,
}
