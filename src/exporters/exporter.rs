//! The definition of an export format: a row of the table.

use super::limitations::{LIMITATIONS, Limitation};
use super::part::Part;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A JSON document without the end of its line.
    Json,
    /// Lines of text.
    Lines,
    /// A picture, which can't be opened again.
    Picture,
    /// Bytes that are compressed already, and not for terminals.
    Packed,
}

pub struct Exporter {
    /// Its name on the command line: that of the same format in the table of importers.
    pub name: &'static str,
    /// File extensions, with the dot, in lower case; the usual one first.
    pub extensions: &'static [&'static str],
    pub output: Output,
    /// Why this part can't be written, a sentence with what to do instead; `None` if it can.
    pub refusal: fn(&Part) -> Option<String>,
    /// Writes it, in pieces. O(nodes + what is written), without recursion.
    pub write: fn(&Part, &mut dyn Write) -> io::Result<()>,
}

impl Exporter {
    /// What it can't hold of this part, in one line; empty if that is nothing.
    pub fn limitations_of(&self, part: &Part) -> String {
        self.clauses(|limitation| (limitation.matters)(part))
    }

    /// What it can't hold of any profile, in one line.
    pub fn limitations_in_short(&self) -> String {
        self.clauses(|_| true)
    }

    fn clauses(&self, is_said: impl Fn(&Limitation) -> bool) -> String {
        let said = self.limitations().filter(|row| is_said(row));
        let clauses: Vec<&str> = said.map(|row| row.clause).collect();
        clauses.join("; ")
    }

    /// What of a profile it can't hold.
    pub fn limitations(&self) -> impl Iterator<Item = &'static Limitation> {
        LIMITATIONS
            .iter()
            .filter(|row| row.formats.contains(&self.name))
    }
}
