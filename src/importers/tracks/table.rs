//! The frame table of a file.

use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::model::{FrameId, Frames, NameId, Names};
use crate::names::FrameKind;

/// How a frame is shown of which the file has no name.
const NO_NAME: &str = "[No name]";

/// A row of a frame table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileFrame<'a> {
    /// Its name; empty if it has none.
    pub name: &'a str,
    /// The module, where the name does not hold it, or the empty string.
    pub module: &'a str,
    /// The file of its source, or the empty string.
    pub file: &'a str,
    /// The line in it, 0 if that is not known.
    pub line: u32,
    /// Whether it is no method of the program.
    pub is_special: bool,
}

struct FrameTableRow {
    name: NameId,
    module: NameId,
    file: NameId,
    line: u32,
    is_special: bool,
}

/// The frames of a file by their rows. Strings are kept once.
#[derive(Default)]
pub(crate) struct FrameTable {
    names: Names,
    rows: Vec<FrameTableRow>,
}

impl FrameTable {
    /// Adds a row: its number.
    pub(crate) fn push(&mut self, frame: FileFrame<'_>) -> usize {
        let FileFrame {
            name,
            module,
            file,
            line,
            is_special,
        } = frame;
        let mut id = |text| self.names.intern(text);
        let row = FrameTableRow {
            name: id(name),
            module: id(module),
            file: id(file),
            line,
            is_special,
        };
        self.rows.push(row);
        self.rows.len() - 1
    }

    /// Adds the rows of another table behind those of this one.
    pub(crate) fn append(&mut self, other: FrameTable) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        for &FrameTableRow {
            name,
            module,
            file,
            line,
            is_special,
        } in &other.rows
        {
            let text = |id| other.names.get(id);
            self.push(FileFrame {
                name: text(name),
                module: text(module),
                file: text(file),
                line,
                is_special,
            });
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
