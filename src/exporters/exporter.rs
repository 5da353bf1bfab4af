use super::limitations::LIMITATIONS;
use super::part::Part;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A JSON document without a newline at the end.
    Json,
    Lines,
    /// A picture, which can't be opened again.
    Picture,
    /// Binary data that is already compressed, and not for terminals.
    Packed,
}

#[derive(Debug)]
pub struct Exporter {
    pub name: &'static str,
    pub extensions: &'static [&'static str],
    pub output: Output,
    /// Why this part can't be written: a sentence with what to do instead; `None` if it can.
    pub refusal: fn(&Part) -> Option<String>,
    /// Writes it, in pieces. O(nodes + what is written), without recursion.
    pub write: fn(&Part, &mut dyn Write) -> io::Result<()>,
}

impl Exporter {
    /// What it can't hold of this part or, without one, of any profile: clauses that `; ` joins.
    pub fn limitations(&self, part: Option<&Part>) -> Vec<&'static str> {
        let rows = LIMITATIONS.iter().filter(|(formats, _, affects)| {
            formats.contains(&self.name) && part.is_none_or(affects)
        });
        rows.map(|(_, clause, _)| *clause).collect()
    }
}
