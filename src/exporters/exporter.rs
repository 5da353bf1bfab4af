use super::limitations::LIMITATIONS;
use super::part::Part;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Without a newline at the end.
    Json,
    Lines,
    /// Can't be opened again.
    Picture,
    /// Compressed binary data, not for terminals.
    Packed,
}

#[derive(Debug)]
pub struct Exporter {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    pub output: Output,
    /// Why this part can't be written, and what to do instead.
    pub refusal: fn(&Part) -> Option<String>,
    /// Writes in pieces. O(nodes + what is written), without recursion.
    pub write: fn(&Part, &mut dyn Write) -> io::Result<()>,
}

impl Exporter {
    /// What it can't hold of this part or, without one, of any profile: clauses to join with `; `.
    pub fn limitations(&self, part: Option<&Part>) -> Vec<&'static str> {
        let rows = LIMITATIONS.iter().filter(|(formats, _, affects)| {
            formats.contains(&self.name) && part.is_none_or(affects)
        });
        rows.map(|(_, clause, _)| *clause).collect()
    }
}
