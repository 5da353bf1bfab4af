//! The terminal's background color. The terminal's answer arrives between keys at any time, and is filtered out.

use crate::ui::Background;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::io::{self, Write};
use std::time::Duration;

pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_millis(50);

const ANSWER_CHARS: usize = 21;

/// Requests the color (OSC 11).
pub(super) fn ask(to: &mut impl Write) -> io::Result<()> {
    to.write_all(b"\x1b]11;?\x1b\\")?;
    to.flush()
}

#[derive(Default)]
pub(super) struct AnswerReader {
    /// The keys that may start the answer, and their characters after the first.
    held: Vec<Event>,
    text: String,
}

impl AnswerReader {
    /// Returns the answer if this event was its end, otherwise the events that belong to none.
    pub(super) fn take(&mut self, event: Event) -> Result<Background, Vec<Event>> {
        let key = match &event {
            Event::Key(KeyEvent {
                code: KeyCode::Char(c),
                modifiers,
                ..
            }) => Some((*c, *modifiers - KeyModifiers::SHIFT)),
            Event::Key(_) => None,
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
            // the terminator: ESC \\ or BEL
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
