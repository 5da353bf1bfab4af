//! Tables whose columns are arrays: numbers of rows in other tables, and texts.

use crate::importers::tracks::Quantity;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use std::io::Read;

/// The number of no row.
pub(super) const NONE: u32 = u32::MAX;
/// Times are milliseconds.
pub(super) const NS_PER_MS: u64 = 1_000_000;

/// Numbers of rows.
pub(super) type Rows = Vec<u32>;

/// A column of the tables that say what stacks are.
#[derive(Clone, Copy)]
pub(super) enum Column {
    Prefix,
    Frame,
    Func,
    Name,
    Resource,
    /// The string of the file's name, in versions before 57.
    FileName,
    Source,
    Line,
    Lib,
    SourceFile,
}

/// Their tables and names, in the order of the enumeration.
const COLUMNS: [(&str, &str); 10] = [
    ("stackTable", "prefix"),
    ("stackTable", "frame"),
    ("frameTable", "func"),
    ("funcTable", "name"),
    ("funcTable", "resource"),
    ("funcTable", "fileName"),
    ("funcTable", "source"),
    ("funcTable", "lineNumber"),
    ("resourceTable", "lib"),
    ("sources", "filename"),
];

/// The tables of a thread, or of all threads together. What is not there is empty.
#[derive(Default)]
pub(super) struct Tables {
    pub strings: Vec<Box<str>>,
    /// Those of a thread in versions before 41.
    pub libs: Vec<Box<str>>,
    columns: [Rows; COLUMNS.len()],
}

impl Tables {
    pub(super) fn column(&self, column: Column) -> &Rows {
        &self.columns[column as usize]
    }

    /// Whether there is anything in them.
    pub(super) fn is_any(&self) -> bool {
        let columns = self.columns.iter().any(|column| !column.is_empty());
        columns || !self.strings.is_empty() || !self.libs.is_empty()
    }

    /// Reads the table of this name, if it is one of these, or passes it over.
    ///
    /// # Errors
    /// Errors from the reader. What was read stays.
    pub(super) fn read<R: Read>(
        &mut self,
        name: &str,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        match name {
            "stringArray" | "libs" if reader.peek()? != JsonKind::Array => reader.skip(),
            "stringArray" => reader.each(|reader| {
                self.strings.push(reader.text()?.into());
                Ok(())
            }),
            "libs" => reader.each(|reader| {
                // one without a name has a row, too
                let mut name = Box::from("");
                let read = members(reader, |key, reader| {
                    match key {
                        "name" => name = reader.text()?.into(),
                        _ => reader.skip()?,
                    }
                    Ok(())
                });
                self.libs.push(name);
                read
            }),
            _ if COLUMNS.iter().any(|(table, _)| *table == name) => {
                members(reader, |key, reader| {
                    let column = COLUMNS.iter().position(|column| *column == (name, key));
                    match column {
                        Some(column) => read_rows(reader, &mut self.columns[column]),
                        None => reader.skip(),
                    }
                })
            }
            _ => reader.skip(),
        }
    }
}

/// Passes through the members of an object, of which `read` reads each; anything else, such as `null`, has none.
///
/// # Errors
/// Errors from the reader and of `read`.
pub(super) fn members<R: Read>(
    reader: &mut JsonReader<R>,
    mut read: impl FnMut(&str, &mut JsonReader<R>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Object {
        return reader.skip();
    }
    let mut name = String::new();
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        name.clear();
        name.push_str(key);
        read(&name, reader)?;
    }
    Ok(())
}

/// Reads an array of numbers; anything else, such as `null`, has none.
///
/// # Errors
/// Errors from the reader.
pub(super) fn read_each<R: Read>(
    reader: &mut JsonReader<R>,
    mut take: impl FnMut(Quantity<'_>),
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Array {
        return reader.skip();
    }
    reader.each(|reader| {
        take(Quantity::read(reader)?);
        Ok(())
    })
}

/// Reads a column of numbers of rows; -1 and `null` are of none.
///
/// # Errors
/// Errors from the reader.
pub(super) fn read_rows<R: Read>(
    reader: &mut JsonReader<R>,
    rows: &mut Rows,
) -> Result<(), JsonError> {
    read_each(reader, |value| rows.push(row_of(&value)))
}

/// The row that a number names.
pub(super) fn row_of(value: &Quantity<'_>) -> u32 {
    let row = value.whole().and_then(|row| u32::try_from(row).ok());
    row.unwrap_or(NONE)
}

/// A text, or a number as it is written.
///
/// # Errors
/// Errors from the reader.
pub(super) fn read_text<R: Read>(reader: &mut JsonReader<R>) -> Result<String, JsonError> {
    match reader.peek()? {
        JsonKind::Number => Ok(reader.number()?.text().to_string()),
        _ => reader.text(),
    }
}
