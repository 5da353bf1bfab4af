use super::{FrameId, Frames, MethodKey};
use crate::text::start_of;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// Notes on methods, by name and signature, so that they also apply to other recordings of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct MethodNotes {
    /// An empty note hides one from another source.
    by_method: BTreeMap<MethodKey, String>,
}

impl MethodNotes {
    pub const MAX_BYTES: usize = 10_000;

    pub fn get(&self, method: &MethodKey) -> Option<&str> {
        let note = self.by_method.get(method)?;
        (!note.is_empty()).then_some(note)
    }

    pub fn of(&self, frames: &Frames, frame: FrameId) -> Option<&str> {
        // usually there are none, and hashing long names costs time
        if self.by_method.is_empty() {
            None
        } else {
            self.get(&frames.key(frame))
        }
    }

    /// Sets a note, cut to [`Self::MAX_BYTES`]; an empty one removes it.
    pub fn set(&mut self, method: MethodKey, note: &str) {
        match start_of(note.trim(), Self::MAX_BYTES) {
            "" => self.by_method.remove(&method),
            note => self.by_method.insert(method, note.into()),
        };
    }

    /// Hides a note when other notes are [extended](MethodNotes::extend) by these.
    pub fn hide(&mut self, method: MethodKey) {
        self.by_method.insert(method, String::new());
    }

    pub fn extend(&mut self, newer: &MethodNotes) {
        for (method, note) in newer.entries() {
            self.set(method.clone(), note);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&MethodKey, &str)> {
        self.entries().filter(|(_, note)| !note.is_empty())
    }

    /// Includes hidden notes, which are empty.
    pub fn entries(&self) -> impl Iterator<Item = (&MethodKey, &str)> {
        self.by_method
            .iter()
            .map(|(method, note)| (method, note.as_str()))
    }
}

#[cfg(test)]
mod tests;
