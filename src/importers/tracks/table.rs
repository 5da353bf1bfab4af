//! The frame table of a file.

use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::model::{FrameId, Frames, NameId, Names};
use crate::names::FrameKind;

/// How to show a frame that the file has no name for.
pub(crate) const NO_NAME: &str = "[No name]";

/// A row of a frame table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileFrame<T> {
    /// Its name; empty if it has none.
    pub name: T,
    /// The module, where the name does not hold it, or the empty string.
    pub module: T,
    /// The file of its source, or the empty string.
    pub file: T,
    /// The line in it, 0 if that is not known.
    pub line: u32,
    /// Whether it is not a method of the program.
    pub is_special: bool,
}

impl<T> FileFrame<T> {
    fn map<U>(self, mut text: impl FnMut(T) -> U) -> FileFrame<U> {
        FileFrame {
            name: text(self.name),
            module: text(self.module),
            file: text(self.file),
            line: self.line,
            is_special: self.is_special,
        }
    }
}

/// The frames of a file by their rows. Strings are kept once.
#[derive(Default)]
pub(crate) struct FrameTable {
    names: Names,
    rows: Vec<FileFrame<NameId>>,
}

impl FrameTable {
    /// Adds a row: its number.
    pub(crate) fn push(&mut self, frame: FileFrame<&str>) -> usize {
        self.rows.push(frame.map(|text| self.names.intern(text)));
        self.rows.len() - 1
    }

    /// Adds the rows of another table after those of this one.
    pub(crate) fn append(&mut self, other: FrameTable) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        for row in &other.rows {
            self.push(row.map(|text| other.names.get(text)));
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether any row has a name for which `is_it` holds.
    pub(crate) fn has(&self, is_it: fn(&str) -> bool) -> bool {
        self.rows.iter().any(|row| is_it(self.names.get(row.name)))
    }

    /// The name of a row, without its module; empty if there is no such row.
    pub(crate) fn name(&self, row: FrameId) -> &str {
        self.rows
            .get(row.index())
            .map_or("", |row| self.names.get(row.name))
    }

    /// The frame of a row. Rows that differ in nothing but where their source is are one frame: names are all that tells
    /// methods apart in .NET.
    pub(crate) fn intern(&self, row: FrameId, frames: &mut Frames) -> FrameId {
        let Some(row) = self.rows.get(row.index()) else {
            return frames.intern(FrameKind::Special, NO_NAME, "");
        };
        let (name, module) = (self.names.get(row.name), self.names.get(row.module));
        let kind = if row.is_special || name == UNKNOWN_FRAME {
            FrameKind::Special
        } else {
            FrameKind::Method
        };
        let frame = match (name, module) {
            ("", _) => frames.intern(FrameKind::Special, NO_NAME, ""),
            (name, "") => frames.intern(kind, name, ""),
            (name, module) => frames.intern(kind, &format!("{module}!{name}"), ""),
        };
        frames.set_location(frame, self.names.get(row.file), u64::from(row.line));
        frame
    }
}
