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

    /// Inserts a character; control characters are left out.
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

    /// Removes the word before the cursor with the spaces after it.
    pub fn delete_word(&mut self) {
        let before = self.parts().0.trim_end();
        let keep = before
            .rfind(|c: char| c.is_whitespace() || matches!(c, '.' | '/' | '\\'))
            .map_or(0, |at| at + 1);
        // a separator right before the cursor goes too, else a second ctrl-w would do nothing
        let keep = if keep == before.len() {
            keep.saturating_sub(1)
        } else {
            keep
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
        let step = match by {
            ..0 => before
                .chars()
                .rev()
                .take(by.unsigned_abs())
                .map(char::len_utf8)
                .sum::<usize>(),
            _ => after
                .chars()
                .take(by.unsigned_abs())
                .map(char::len_utf8)
                .sum(),
        };
        self.cursor = if by < 0 {
            self.cursor - step
        } else {
            self.cursor + step
        };
    }
}

#[cfg(test)]
mod tests;
