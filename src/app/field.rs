//! A line of text that can be edited.

use super::Action;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    /// Bytes before the cursor; always at a character boundary.
    cursor: usize,
}

impl Field {
    pub fn new(text: &str) -> Field {
        Field {
            text: text.to_string(),
            cursor: text.len(),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    pub(super) fn edit(&mut self, action: Action) {
        match action {
            Action::Type(c) => self.insert(c),
            Action::Paste(text) => text.chars().for_each(|c| self.insert(c)),
            Action::Backspace => self.backspace(),
            Action::DeleteWord => self.delete_word(),
            Action::DeleteLine => self.delete_line(),
            Action::Cursor(by) => self.move_cursor(by),
            _ => {}
        }
    }

    pub fn insert(&mut self, c: char) {
        if !c.is_control() {
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
    }

    pub fn backspace(&mut self) {
        if let Some(c) = self.parts().0.chars().next_back() {
            self.cursor -= c.len_utf8();
            self.text.remove(self.cursor);
        }
    }

    pub fn delete_word(&mut self) {
        let before = self.parts().0.trim_end();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '.' | '/' | '\\');
        // a separator right before the cursor goes too, else a second ctrl-w would do nothing
        let keep = match before.rmatch_indices(is_end).next() {
            Some((at, end)) if at + end.len() < before.len() => at + end.len(),
            Some((at, _)) => at,
            None => 0,
        };
        self.text.replace_range(keep..self.cursor, "");
        self.cursor = keep;
    }

    pub fn delete_line(&mut self) {
        self.text.replace_range(..self.cursor, "");
        self.cursor = 0;
    }

    pub fn move_cursor(&mut self, by: isize) {
        let (before, after) = self.parts();
        let count = by.unsigned_abs();
        if by < 0 {
            let skipped = before.chars().rev().take(count).map(char::len_utf8);
            self.cursor -= skipped.sum::<usize>();
        } else {
            let skipped = after.chars().take(count).map(char::len_utf8);
            self.cursor += skipped.sum::<usize>();
        }
    }
}

#[cfg(test)]
mod tests;
