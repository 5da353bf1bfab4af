//! Processes and their address spaces: one up to version 4, any number since version 6. Besides the methods reported
//! by its runtime, a process has mapped files with symbols.
//!
//! Source of these events: `UniversalProviders.md` in microsoft/perfview, and the output of one-collect, in which a
//! symbol's end address is inclusive and a mapping's is exclusive.

use crate::importers::native::frame_name;
use crate::importers::runtime::{AddressSpace, Code, Lifecycle, NativeCode};
use crate::importers::stream::narrow;
use crate::input::cursor::Cursor;
use crate::names::FrameKind;
use indexmap::{IndexMap, IndexSet};
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SpaceId(pub u32);

impl SpaceId {
    pub(super) const ONLY: SpaceId = SpaceId(0);
}

#[derive(Default)]
pub(super) struct Space {
    pub id: u64,
    pub name: String,
    pub memory: AddressSpace,
}

#[derive(Default)]
pub(super) struct Spaces {
    rows: IndexMap<u64, Space, foldhash::fast::RandomState>,
    files: IndexSet<String, foldhash::fast::RandomState>,
    /// In file order, later in address order.
    pub mappings: HashMap<u64, Mapping, foldhash::fast::RandomState>,
}

#[derive(Default)]
pub(super) struct Mapping {
    file: Option<usize>,
    /// Start, end and name.
    symbols: Vec<(u64, u64, Box<str>)>,
}

impl Mapping {
    fn symbol(&self, address: u64) -> Option<&str> {
        let after = self
            .symbols
            .partition_point(|(start, ..)| *start <= address);
        let (_, end, name) = self.symbols[..after].last()?;
        (address < *end).then_some(name)
    }
}

impl Spaces {
    pub(super) fn of(&mut self, id: u64) -> SpaceId {
        let entry = self.rows.entry(id);
        let row = entry.index();
        entry.or_insert_with(|| Space {
            id,
            ..Space::default()
        });
        SpaceId(narrow(row))
    }

    /// An unknown index yields the first process.
    pub(super) fn get(&self, space: SpaceId) -> &Space {
        let row = Some(space.0 as usize).filter(|row| *row < self.rows.len());
        &self.rows[row.unwrap_or(0)]
    }

    pub(super) fn get_mut(&mut self, space: SpaceId) -> Option<&mut Space> {
        let row = self.rows.get_index_mut(space.0 as usize);
        row.map(|(_, row)| row)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Space> {
        self.rows.values()
    }

    pub(super) fn read_name(&mut self, space: SpaceId, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let _id_in_its_container = cursor.varuint()?;
        let name = cursor.utf8_u16()?;
        let row = self.get_mut(space)?;
        if !name.is_empty() {
            row.name = name.into_owned();
        }
        Some(())
    }

    pub(super) fn read_mapping(
        &mut self,
        space: SpaceId,
        payload: &[u8],
        has_process: bool,
        time: u64,
    ) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let id = cursor.varuint()?;
        if has_process {
            cursor.varuint()?;
        }
        let (start, end, _offset) = (cursor.varuint()?, cursor.varuint()?, cursor.varuint()?);
        let (file, _) = self.files.insert_full(cursor.utf8_u16()?.into_owned());
        self.mappings.entry(id).or_default().file = Some(file);
        let files = &mut self.get_mut(space)?.memory.files;
        files.add(Code::NAMELESS, start..end, id, Lifecycle::Begins, time)
    }

    pub(super) fn read_symbol(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let _id = cursor.varuint()?;
        let mapping = cursor.varuint()?;
        let (start, last) = (cursor.varuint()?, cursor.varuint()?);
        let name = cursor.utf8_u16()?;
        let end = last.saturating_add(1);
        if start < end {
            let mapping = self.mappings.entry(mapping).or_default();
            mapping.symbols.push((start, end, name.into()));
        }
        Some(())
    }

    /// Completes method names and sorts symbols by address. Of overlapping symbols, the first one wins.
    pub(super) fn finish(&mut self) {
        for space in self.rows.values_mut() {
            space.memory.methods.finish();
        }
        for Mapping { symbols, .. } in self.mappings.values_mut() {
            symbols.sort_by_key(|(start, ..)| *start);
            let mut free_from = 0;
            symbols.retain(|&(start, end, _)| {
                let is_free = start >= free_from;
                free_from = if is_free { end } else { free_from };
                is_free
            });
        }
    }
}

impl NativeCode for Spaces {
    fn frame(&self, mapping: u64, address: u64) -> (FrameKind, Cow<'_, str>, bool) {
        let mapping = self.mappings.get(&mapping);
        let symbol = mapping
            .and_then(|mapping| mapping.symbol(address))
            .unwrap_or("");
        let file = mapping.and_then(|mapping| self.files.get_index(mapping.file?));
        let (kind, name) = frame_name(symbol, file.map_or("", |file| file));
        (kind, name, !symbol.is_empty())
    }
}

#[cfg(test)]
mod tests;
