use crate::importers::dotnet::UNKNOWN_FRAME;
use crate::model::{FrameId, Frames, NameId, Names};
use crate::names::FrameKind;

/// For frames that the file does not name.
pub(crate) const NO_NAME: &str = "[No name]";

/// Any text may be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileFrame<T> {
    pub name: T,
    pub module: T,
    pub file: T,
    pub line: u32,
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

#[derive(Default)]
pub(crate) struct FrameTable {
    names: Names,
    rows: Vec<FileFrame<NameId>>,
}

impl FrameTable {
    pub(crate) fn push(&mut self, frame: FileFrame<&str>) -> usize {
        self.rows.push(frame.map(|text| self.names.intern(text)));
        self.rows.len() - 1
    }

    pub(crate) fn append(&mut self, other: FrameTable) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        for row in &other.rows {
            self.push(row.map(|text| other.names.get(text)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn has(&self, is_match: fn(&str) -> bool) -> bool {
        self.rows
            .iter()
            .any(|row| is_match(self.names.get(row.name)))
    }

    /// Without its module; empty if there is no such row.
    pub(crate) fn name(&self, row: FrameId) -> &str {
        let row = self.rows.get(row.index());
        row.map_or("", |row| self.names.get(row.name))
    }

    /// Rows that differ only in their source location are one frame.
    pub(crate) fn intern(&self, row: FrameId, frames: &mut Frames) -> FrameId {
        let Some(row) = self.rows.get(row.index()) else {
            return frames.intern(FrameKind::Special, NO_NAME, "");
        };
        let (name, module) = (self.names.get(row.name), self.names.get(row.module));
        let is_special = row.is_special || name == UNKNOWN_FRAME;
        let kind = match is_special {
            true => FrameKind::Special,
            false => FrameKind::Method,
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
