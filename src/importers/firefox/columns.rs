//! Tables whose columns are arrays: numbers of rows in other tables, and texts.

use crate::input::json::{JsonError, JsonKind, JsonReader};
use std::io::Read;

/// The number of no row.
pub(super) const NONE: u32 = u32::MAX;
/// Times are milliseconds.
pub(super) const NS_PER_MS: u64 = 1_000_000;

/// Numbers of rows.
pub(super) type Rows = Vec<u32>;

/// The tables that say what stacks are: of a thread, or of all threads together. What is not there is empty.
#[derive(Default)]
pub(super) struct Tables {
    pub strings: Vec<Box<str>>,
    pub stack_prefix: Rows,
    pub stack_frame: Rows,
    pub frame_func: Rows,
    pub func_name: Rows,
    pub func_resource: Rows,
    /// The string of the file's name, in versions before 57.
    pub func_file: Rows,
    pub func_source: Rows,
    pub func_line: Rows,
    pub resource_lib: Rows,
    pub source_file: Rows,
    /// Libraries, in versions before 41.
    pub libs: Vec<Box<str>>,
}

impl Tables {
    /// Reads an object of nothing but tables.
    ///
    /// # Errors
    /// Those of the reader.
    pub(super) fn read_all<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            let key = key.to_string();
            if !self.read(&key, reader)? {
                reader.skip()?;
            }
        }
        Ok(())
    }

    /// Reads the table of this name, if it is one of these.
    ///
    /// # Errors
    /// Those of the reader.
    pub(super) fn read<R: Read>(
        &mut self,
        name: &str,
        reader: &mut JsonReader<R>,
    ) -> Result<bool, JsonError> {
        match name {
            "stringArray" => reader.each(|reader| {
                let text = reader.text()?.into_boxed_str();
                self.strings.push(text);
                Ok(())
            })?,
            "stackTable" => read_table(
                reader,
                &mut [
                    ("prefix", &mut self.stack_prefix),
                    ("frame", &mut self.stack_frame),
                ],
            )?,
            "frameTable" => read_table(reader, &mut [("func", &mut self.frame_func)])?,
            "funcTable" => read_table(
                reader,
                &mut [
                    ("name", &mut self.func_name),
                    ("resource", &mut self.func_resource),
                    ("fileName", &mut self.func_file),
                    ("source", &mut self.func_source),
                    ("lineNumber", &mut self.func_line),
                ],
            )?,
            "resourceTable" => read_table(reader, &mut [("lib", &mut self.resource_lib)])?,
            "sources" => read_table(reader, &mut [("filename", &mut self.source_file)])?,
            "libs" => read_libs(reader, &mut self.libs)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The entry of a column; none if it is too short, or has none there.
pub(super) fn at(column: &[u32], row: u32) -> Option<u32> {
    let value = column.get(row as usize).copied();
    value.filter(|&value| value != NONE)
}

/// Reads the names of libraries.
///
/// # Errors
/// Those of the reader.
pub(super) fn read_libs<R: Read>(
    reader: &mut JsonReader<R>,
    libs: &mut Vec<Box<str>>,
) -> Result<(), JsonError> {
    reader.each(|reader| {
        let mut name = String::new();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => name = reader.text()?,
                _ => reader.skip()?,
            }
        }
        libs.push(name.into_boxed_str());
        Ok(())
    })
}

/// Reads some columns of a table.
fn read_table<R: Read>(
    reader: &mut JsonReader<R>,
    columns: &mut [(&str, &mut Rows)],
) -> Result<(), JsonError> {
    if !is_object(reader)? {
        return reader.skip();
    }
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match columns.iter_mut().find(|(name, _)| *name == key) {
            Some((_, column)) => read_rows(reader, column)?,
            None => reader.skip()?,
        }
    }
    Ok(())
}

/// Whether an object is due; a table may be `null`.
///
/// # Errors
/// Those of the reader.
pub(super) fn is_object<R: Read>(reader: &mut JsonReader<R>) -> Result<bool, JsonError> {
    Ok(reader.peek()? == JsonKind::Object)
}

/// Reads a column of numbers of rows.
///
/// # Errors
/// Those of the reader.
pub(super) fn read_rows<R: Read>(
    reader: &mut JsonReader<R>,
    column: &mut Rows,
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Array {
        return reader.skip();
    }
    reader.enter_array()?;
    loop {
        let row = match reader.next_short_number() {
            Some(row) => row,
            None if reader.next_element()? => read_row(reader)?,
            None => return Ok(()),
        };
        column.push(row);
    }
}

/// A number of a row; -1 and `null` are of none.
///
/// # Errors
/// Those of the reader.
pub(super) fn read_row<R: Read>(reader: &mut JsonReader<R>) -> Result<u32, JsonError> {
    if reader.peek()? != JsonKind::Number {
        return reader.skip().map(|()| NONE);
    }
    let row = reader.number()?.to_u64();
    Ok(row.and_then(|row| u32::try_from(row).ok()).unwrap_or(NONE))
}
