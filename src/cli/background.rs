//! The terminal's background, which the terminal tells when it is asked.
//!
//! The answer comes through the keyboard, between keys, and at any time. So it is taken out of what is typed, whenever it comes.

use crate::ui::Background;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::io::{self, Write};
use std::time::Duration;

/// How long the first screen waits for the answer.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_millis(50);

/// The longest answer: `11;rgb:ffff/ffff/ffff`.
const ANSWER_CHARS: usize = 21;

/// Asks for it (OSC 11).
///
/// # Errors
/// The terminal can't be written to.
pub(super) fn ask(to: &mut impl Write) -> io::Result<()> {
    to.write_all(b"\x1b]11;?\x1b\\")?;
    to.flush()
}

/// What is typed, without the answer.
#[derive(Default)]
pub(super) struct AnswerReader {
    /// The keys that may be the beginning of the answer, and their characters after the first.
    held: Vec<Event>,
    text: String,
}

impl AnswerReader {
    /// Handles an event. Returns the answer if the event completed it, otherwise events that are not part of an answer.
    pub(super) fn take(&mut self, event: Event) -> Result<Background, Vec<Event>> {
        let key = match &event {
            Event::Key(KeyEvent {
                code: KeyCode::Char(c),
                modifiers,
                ..
            }) => Some((*c, *modifiers - KeyModifiers::SHIFT)),
            Event::Key(_) => None,
            // what is not a key may come in between
            _ => return Err(vec![event]),
        };
        let is_begun = !self.held.is_empty();
        self.held.push(event);
        match key {
            Some((']', KeyModifiers::ALT)) if !is_begun => return Err(Vec::new()),
            Some((c, KeyModifiers::NONE)) if is_begun && self.text.len() < ANSWER_CHARS => {
                self.text.push(c);
                return Err(Vec::new());
            }
            // how it ends: ESC \\ or BEL
            Some(('\\', KeyModifiers::ALT) | ('g', KeyModifiers::CONTROL)) if is_begun => {
                let answer = self.text.strip_prefix("11;").and_then(Background::of);
                if let Some(background) = answer {
                    *self = AnswerReader::default();
                    return Ok(background);
                }
            }
            _ => {}
        }
        self.text.clear();
        Err(std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
mod tests;
