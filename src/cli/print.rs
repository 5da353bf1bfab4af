//! Prints JSON, lines and tables, without characters that could control the terminal.

use crate::text::{self, fit_name, visible, wrap};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// Writes a value as JSON that is safe in a terminal, and ends the line.
pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    write_scrubbed(out, &serde_json::to_string_pretty(value)?)
}

/// Writes a value as JSON on one line: blanks cost tokens.
pub(super) fn write_compact_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    write_scrubbed(out, &serde_json::to_string(value)?)
}

/// Writes JSON so that nothing in it can control a terminal.
fn write_scrubbed(out: &mut dyn Write, text: &str) -> Result<()> {
    // outside strings there is nothing that could be hostile, and within them `\u` is the same character
    for c in text.chars() {
        if c != '\n' && crate::text::is_hostile(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}")?;
            }
        } else {
            let mut bytes = [0; 4];
            out.write_all(c.encode_utf8(&mut bytes).as_bytes())?;
        }
    }
    out.write_all(b"\n")?;
    Ok(())
}

/// Where text for people goes, in lines of at most `width` cells.
pub(super) struct Printer<'a> {
    pub out: &'a mut dyn Write,
    pub width: Option<usize>,
}

impl Printer<'_> {
    /// Writes a line: nothing in it can control a terminal.
    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.out, "{}", visible(line.trim_end()))?)
    }

    /// Writes a sentence, in several lines if it has to be.
    pub(super) fn wrapped(&mut self, sentence: &str) -> Result<()> {
        let Some(width) = self.width else {
            return self.line(sentence);
        };
        // what is not visible yet has another width
        wrap(&visible(sentence), width.max(20))
            .iter()
            .try_for_each(|line| self.line(line))
    }

    pub(super) fn table(&mut self, table: &TextTable) -> Result<()> {
        let mut lines = table.lines(self.width);
        lines.try_for_each(|line| self.line(&line))
    }
}

/// A table for people: columns of numbers flush right, the last column flush left and cut in the middle to fit.
pub(super) struct TextTable {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these heads of columns.
    pub(super) fn new(heads: impl IntoIterator<Item = impl ToString>) -> TextTable {
        TextTable {
            heads: heads.into_iter().map(|head| head.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, a cell for each head.
    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The lines of the table, of at most `width` cells.
    fn lines(&self, width: Option<usize>) -> impl Iterator<Item = String> {
        let last = self.heads.len() - 1;
        let cells = |row: &[String], column: usize| text::width(&row[column]);
        let widths: Vec<usize> = (0..last)
            .map(|column| {
                self.rows
                    .iter()
                    .chain([&self.heads])
                    .map(|row| cells(row, column))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let rows = [&self.heads].into_iter().chain(&self.rows);
        let line = move |row: &Vec<String>| {
            let mut line = String::new();
            for (column, &wide) in widths.iter().enumerate() {
                line.push_str(&" ".repeat(wide - cells(row, column)));
                line.push_str(&row[column]);
                line.push_str("  ");
            }
            let room = width.map_or(usize::MAX, |width| {
                width.saturating_sub(text::width(&line)).max(8)
            });
            line + &fit_name(&visible(&row[last]), room)
        };
        rows.map(line)
    }
}
