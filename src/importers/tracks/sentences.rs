//! Warnings about files whose frames open and close in time.

use crate::model::format::{counted, thousands};

/// What is said of frames that were closed while others were open inside.
pub(crate) const CROSSED: &str = "ended while others were open inside; they last until those end or the next begins.";
/// What is said of events that go back in time.
pub(crate) const LATE: &str = "before the time that was reached: read as if at that time.";

/// Warnings, a sentence each, in the order in which they were added.
pub(crate) struct Sentences(Vec<String>);

impl Sentences {
    /// None yet but that the file ends too early, if it does, at `broken_off`.
    pub fn new(broken_off: Option<u64>) -> Sentences {
        let sentence =
            |at| format!("The file breaks off at byte {}; what was read up to there is kept.", thousands(at));
        Sentences(broken_off.map(sentence).into_iter().collect())
    }

    /// Adds a sentence.
    pub fn push(&mut self, sentence: impl Into<String>) {
        self.0.push(sentence.into());
    }

    /// Adds that something was met so many times, unless it never was: `3 frames` and the rest.
    pub fn count(&mut self, count: u64, noun: &str, rest: &str) {
        if count > 0 {
            self.0.push(format!("{} {rest}", counted(count, noun)));
        }
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<String> {
        self.0
    }
}
