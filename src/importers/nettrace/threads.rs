//! Threads and their names; resolves the threads of events.

use super::spaces::{SpaceId, Spaces};
use crate::input::cursor::Cursor;
use indexmap::IndexMap;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ThreadKey {
    pub space: SpaceId,
    pub id: u64,
}

/// As described by a block of version 6; events refer to it by an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexedThread {
    pub process: u64,
    pub id: u64,
    pub name: String,
}

impl IndexedThread {
    /// An index, then fields, each preceded by its kind. `None` if truncated.
    pub(super) fn read(row: &[u8]) -> Option<(u64, IndexedThread)> {
        let mut cursor = Cursor::new(row);
        let index = cursor.varuint()?;
        let mut thread = IndexedThread::default();
        while !cursor.is_at_end() {
            match cursor.u8()? {
                1 => thread.name = cursor.utf8_varuint()?.into_owned(),
                2 => thread.process = cursor.varuint()?,
                3 => thread.id = cursor.varuint()?,
                4 => drop((cursor.utf8_varuint()?, cursor.utf8_varuint()?)),
                // unknown kind, so of unknown length
                _ => break,
            }
        }
        Some((index, thread))
    }
}

type ByIndex = HashMap<u64, IndexedThread, foldhash::fast::RandomState>;

#[derive(Default)]
pub(super) struct TracedThreads {
    rows: IndexMap<ThreadKey, String, foldhash::fast::RandomState>,
    /// `None` if events name threads by the operating system's id.
    by_index: Option<ByIndex>,
    /// A cache of threads as named by events, with their rows, by the lowest bits. Most events are from a few threads.
    recent: [Option<(u64, usize)>; RECENT_THREADS],
}

const RECENT_THREADS: usize = 32;

impl TracedThreads {
    /// To be changed. From now on, events refer to threads by index.
    pub(super) fn by_index_mut(&mut self) -> &mut ByIndex {
        self.recent = Default::default();
        self.by_index.get_or_insert_default()
    }

    pub(super) fn key(&self, thread: u64, spaces: &mut Spaces) -> ThreadKey {
        let indexed = self.by_index.as_ref().and_then(|all| all.get(&thread));
        ThreadKey {
            space: match self.by_index {
                None => SpaceId::ONLY,
                // unknown indices belong to a process with id 0
                Some(_) => spaces.of(indexed.map_or(0, |indexed| indexed.process)),
            },
            id: indexed.map_or(thread, |indexed| indexed.id),
        }
    }

    pub(super) fn row(&mut self, thread: u64, spaces: &mut Spaces) -> usize {
        let recent = thread as usize % RECENT_THREADS;
        if let Some((known, row)) = self.recent[recent]
            && known == thread
        {
            return row;
        }
        let key = self.key(thread, spaces);
        let indexed = self.by_index.as_ref().and_then(|all| all.get(&thread));
        let entry = self.rows.entry(key);
        let row = entry.index();
        let name = entry.or_default();
        if let Some(indexed) = indexed.filter(|indexed| !indexed.name.is_empty()) {
            name.clone_from(&indexed.name);
        }
        self.recent[recent] = Some((thread, row));
        row
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&ThreadKey, &str)> {
        self.rows.iter().map(|(key, name)| (key, name.as_str()))
    }

    pub(super) fn row_of(&self, key: &ThreadKey) -> Option<usize> {
        self.rows.get_index_of(key)
    }
}

#[cfg(test)]
mod tests;
