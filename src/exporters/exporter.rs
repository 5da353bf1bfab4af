//! The definition of an export format: a row of the table.

use super::limitations::{LIMITATIONS, Limitation};
use super::part::Part;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A JSON document without a newline at the end.
    Json,
    /// Lines of text.
    Lines,
    /// A picture, which can't be opened again.
    Picture,
    /// Binary data that is already compressed, and not for terminals.
    Packed,
}

#[derive(Debug)]
pub struct Exporter {
    /// Its name on the command line, which is the same in the table of importers.
    pub name: &'static str,
    /// File extensions, with the dot, in lower case; the default first.
    pub extensions: &'static [&'static str],
    pub output: Output,
    /// Why this part can't be written: a sentence with what to do instead; `None` if it can.
    pub refusal: fn(&Part) -> Option<String>,
    /// Writes it, in pieces. O(nodes + what is written), without recursion.
    pub write: fn(&Part, &mut dyn Write) -> io::Result<()>,
}

impl Exporter {
    /// What it can't hold of this part, on one line; may be empty.
    pub fn limitations_of(&self, part: &Part) -> String {
        self.clauses(|limitation| (limitation.matters)(part))
    }

    /// What it can't hold of any profile, on one line.
    pub fn limitations_in_short(&self) -> String {
        self.clauses(|_| true)
    }

    fn clauses(&self, is_said: impl Fn(&Limitation) -> bool) -> String {
        let said = self.limitations().filter(|row| is_said(row));
        let clauses: Vec<&str> = said.map(|row| row.clause).collect();
        clauses.join("; ")
    }

    /// The limitations that apply.
    pub fn limitations(&self) -> impl Iterator<Item = &'static Limitation> {
        LIMITATIONS
            .iter()
            .filter(|row| row.formats.contains(&self.name))
    }
}
