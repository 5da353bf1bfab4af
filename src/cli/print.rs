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

/// Writes a line for people: nothing in it can control a terminal.
pub(super) fn write_line(out: &mut dyn Write, line: &str) -> Result<()> {
    writeln!(out, "{}", visible(line.trim_end()))?;
    Ok(())
}

/// Writes a sentence for people, in lines of at most `width` cells.
pub(super) fn write_wrapped(
    out: &mut dyn Write,
    sentence: &str,
    width: Option<usize>,
) -> Result<()> {
    let Some(width) = width else {
        return write_line(out, sentence);
    };
    // what is not visible yet has another width
    wrap(&visible(sentence), width.max(20))
        .iter()
        .try_for_each(|line| write_line(out, line))
}

/// Where text for people goes, in lines of at most `width` cells.
pub(super) struct Printer<'a> {
    pub out: &'a mut dyn Write,
    pub width: Option<usize>,
}

impl Printer<'_> {
    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        write_line(self.out, line)
    }

    pub(super) fn wrapped(&mut self, sentence: &str) -> Result<()> {
        write_wrapped(self.out, sentence, self.width)
    }

    pub(super) fn table(&mut self, table: &TextTable) -> Result<()> {
        table.write(self.out, self.width)
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

    /// Writes the table; lines have at most `width` cells.
    pub(super) fn write(&self, out: &mut dyn Write, width: Option<usize>) -> Result<()> {
        let last = self.heads.len() - 1;
        let cells = |row: &Vec<String>, column: usize| text::width(&row[column]);
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
        for row in [&self.heads].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, &wide) in widths.iter().enumerate() {
                line.push_str(&" ".repeat(wide - cells(row, column)));
                line.push_str(&row[column]);
                line.push_str("  ");
            }
            let room = width.map_or(usize::MAX, |width| {
                width.saturating_sub(text::width(&line)).max(8)
            });
            line.push_str(&fit_name(&visible(&row[last]), room));
            write_line(out, &line)?;
        }
        Ok(())
    }
}
