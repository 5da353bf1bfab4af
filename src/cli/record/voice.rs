//! Who says what is to be said of a recording.

use super::super::say::say;
use std::sync::{Mutex, PoisonError};

/// Says sentences on standard error, at once or when nothing else is on the terminal.
pub(super) enum Voice {
    /// At once.
    Loud,
    /// When it is dropped.
    Later(Mutex<Vec<String>>),
}

impl Voice {
    /// One that waits until it is dropped, if the explorer has the terminal.
    pub(super) fn new(is_live: bool) -> Voice {
        if is_live {
            Voice::Later(Mutex::default())
        } else {
            Voice::Loud
        }
    }

    /// Says a sentence.
    pub(super) fn say(&self, sentence: &str) {
        match self {
            Voice::Loud => say(sentence),
            Voice::Later(kept) => kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(sentence.into()),
        }
    }

    /// What is to be said later, in one line.
    pub(super) fn kept(&self) -> String {
        match self {
            Voice::Loud => String::new(),
            Voice::Later(kept) => kept
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .join("; "),
        }
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        if let Voice::Later(kept) = self {
            kept.get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
                .for_each(|sentence| say(sentence));
        }
    }
}
