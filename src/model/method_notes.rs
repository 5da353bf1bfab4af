//! A person's notes on methods.

use super::{FrameId, Frames, MethodKey};
use crate::text::start_of;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// Notes on methods, found by the names and signatures of these: so they are found in other recordings of the same program, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MethodNotes {
    /// An empty one hides a note on the method that comes from elsewhere.
    by_method: BTreeMap<MethodKey, String>,
}

impl MethodNotes {
    /// The longest note that is kept, in bytes.
    pub const MAX_BYTES: usize = 10_000;

    /// The note on a method.
    pub fn get(&self, method: &MethodKey) -> Option<&str> {
        self.by_method
            .get(method)
            .map(String::as_str)
            .filter(|note| !note.is_empty())
    }

    /// The note on a frame. O(log notes + length of the name).
    pub fn of(&self, frames: &Frames, frame: FrameId) -> Option<&str> {
        // names are long, and usually there are no notes
        if self.by_method.is_empty() {
            None
        } else {
            self.get(&frames.key(frame))
        }
    }

    /// Keeps a note on a method in place of that which was there; an empty one takes it away. What is too long is cut.
    pub fn set(&mut self, method: MethodKey, note: &str) {
        match start_of(note.trim(), Self::MAX_BYTES) {
            "" => self.by_method.remove(&method),
            note => self.by_method.insert(method, note.into()),
        };
    }

    /// Says that there is no note on a method, whatever others say that are [extended](MethodNotes::extend) by these.
    pub fn hide(&mut self, method: MethodKey) {
        self.by_method.insert(method, String::new());
    }

    /// Adds notes, which count where there are others on the same methods.
    pub fn extend(&mut self, newer: &MethodNotes) {
        newer
            .entries()
            .for_each(|(method, note)| self.set(method.clone(), note));
    }

    /// Methods with their notes, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&MethodKey, &str)> {
        self.entries().filter(|(_, note)| !note.is_empty())
    }

    /// All notes with those that are hidden, which have an empty note.
    pub fn entries(&self) -> impl Iterator<Item = (&MethodKey, &str)> {
        self.by_method
            .iter()
            .map(|(method, note)| (method, note.as_str()))
    }
}

#[cfg(test)]
mod tests;
