//! Prints JSON, lines and tables, without characters that could control the terminal.

use crate::text::{self, fit_name, visible, wrap};
use crate::ui::in_ascii;
use anyhow::Result;
use serde::Serialize;
use std::io::{self, Write};

pub(super) fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    write_scrubbed(out, &serde_json::to_string_pretty(value)?)
}

fn write_scrubbed(out: &mut dyn Write, json: &str) -> Result<()> {
    // outside strings nothing can be hostile, and within them `\u` means the same character
    for c in json.chars() {
        if c != '\n' && text::is_hostile(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
        } else {
            out.write_all(c.encode_utf8(&mut [0; 4]).as_bytes())?;
        }
    }
    Ok(writeln!(out)?)
}

pub(super) struct Printer<'a> {
    pub out: &'a mut dyn Write,
    pub width: Option<usize>,
    pub is_ascii: bool,
    /// Whether JSON is written on one line: spaces cost tokens.
    pub has_budget: bool,
}

impl Printer<'_> {
    pub(super) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        match self.has_budget {
            true => write_scrubbed(self.out, &serde_json::to_string(value)?),
            false => write_json(self.out, value),
        }
    }

    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        let line = visible(line.trim_end());
        Ok(match self.is_ascii {
            true => writeln!(self.out, "{}", in_ascii(&line)),
            false => writeln!(self.out, "{line}"),
        }?)
    }

    pub(super) fn wrapped(&mut self, sentence: &str) -> Result<()> {
        let Some(width) = self.width else {
            return self.line(sentence);
        };
        // invisible characters change width when they are made visible
        wrap(&visible(sentence), width.max(20))
            .iter()
            .try_for_each(|line| self.line(line))
    }

    /// Writes a text after a label of this many cells. Nothing is cut, because this is where users can read it all.
    pub(super) fn labeled(&mut self, label: &str, cells: usize, text: &str) -> Result<()> {
        let room = self.width.map(|width| width.saturating_sub(cells).max(20));
        let room = room.unwrap_or(usize::MAX);
        for (row, part) in wrap(&visible(text), room).into_iter().enumerate() {
            let label = if row == 0 { label } else { "" };
            self.line(&format!("{label:<cells$}{part}"))?;
        }
        Ok(())
    }

    pub(super) fn table(&mut self, table: &TextTable) -> Result<()> {
        let mut lines = table.lines(self.width);
        lines.try_for_each(|line| self.line(&line))
    }
}

/// Columns of numbers are right-aligned; the last column is left-aligned and cut in the middle to fit.
pub(super) struct TextTable {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    pub(super) fn new(heads: impl IntoIterator<Item = impl ToString>) -> TextTable {
        TextTable {
            heads: heads.into_iter().map(|head| head.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn lines(&self, width: Option<usize>) -> impl Iterator<Item = String> {
        let last = self.heads.len() - 1;
        let cells = |row: &[String], column: usize| text::width(&row[column]);
        let rows = [&self.heads].into_iter().chain(&self.rows);
        let widest = |column| rows.clone().map(|row| cells(row, column)).max();
        let widths: Vec<usize> = (0..last).filter_map(widest).collect();
        let line = move |row: &Vec<String>| {
            let mut line = String::new();
            for (column, &wide) in widths.iter().enumerate() {
                line.push_str(&" ".repeat(wide - cells(row, column)));
                line.push_str(&row[column]);
                line.push_str("  ");
            }
            let room = width.map(|width| width.saturating_sub(text::width(&line)).max(8));
            line + &fit_name(&visible(&row[last]), room.unwrap_or(usize::MAX))
        };
        rows.map(line)
    }
}

/// Text from files can't control the terminal. If standard error is closed, nobody can be informed.
pub(super) fn print_notice(sentence: &str) {
    let _ = io::stderr().write_all(notice(sentence).as_bytes());
}

pub(super) fn notice(sentence: &str) -> String {
    format!("dotspot: {}\n", visible(sentence))
}

pub(super) fn print_detail(line: &str) {
    let _ = writeln!(io::stderr(), "  {}", visible(line.trim_end()));
}
