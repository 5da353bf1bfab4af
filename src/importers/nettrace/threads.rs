//! The threads of a recording: resolves the thread of an event, and its name.

use super::spaces::{SpaceId, Spaces};
use crate::input::cursor::Cursor;
use indexmap::IndexMap;
use std::collections::HashMap;

/// A thread, by its place in [`Threads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ThreadId(pub u32);

impl ThreadId {
    /// Its row in tables.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread and its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ThreadKey {
    pub space: SpaceId,
    /// The operating system's id.
    pub id: u64,
}

/// A thread as a block of version 6 describes it. Kinds of events name it by an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexedThread {
    pub process: u64,
    pub id: u64,
    pub name: String,
}

impl IndexedThread {
    /// Reads a row: an index, then what is known, each after its kind. `None` if it is truncated.
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
                // of an unknown kind, and so of an unknown length
                _ => break,
            }
        }
        Some((index, thread))
    }
}

/// The threads with something to show, in file order.
#[derive(Default)]
pub(super) struct TracedThreads {
    /// The name next to each, empty if the file does not say it.
    rows: IndexMap<ThreadKey, String, foldhash::fast::RandomState>,
    /// What the indices mean now; `None` where events name threads by the operating system's id.
    by_index: Option<HashMap<u64, IndexedThread, foldhash::fast::RandomState>>,
    /// Threads as events name them with their rows, each at its number's last bits: most events are of few threads.
    recent: [Option<(u64, usize)>; RECENT_THREADS],
}

const RECENT_THREADS: usize = 32;

impl TracedThreads {
    /// No threads; events will name them by indices.
    pub(super) fn indexed() -> TracedThreads {
        TracedThreads {
            by_index: Some(HashMap::default()),
            ..TracedThreads::default()
        }
    }

    /// Notes what an index means from now on.
    pub(super) fn add(&mut self, index: u64, thread: IndexedThread) {
        self.by_index.get_or_insert_default().insert(index, thread);
        self.recent = Default::default();
    }

    /// Forgets what an index means.
    pub(super) fn remove(&mut self, index: u64) {
        self.by_index.get_or_insert_default().remove(&index);
        self.recent = Default::default();
    }

    /// Forgets what all indices mean.
    pub(super) fn forget(&mut self) {
        self.by_index.get_or_insert_default().clear();
        self.recent = Default::default();
    }

    /// The process of the thread that an event names.
    pub(super) fn process_of(&self, thread: u64, spaces: &mut Spaces) -> SpaceId {
        match &self.by_index {
            None => SpaceId::ONLY,
            // an index without a meaning is of nobody, whose id is 0
            Some(by_index) => spaces.of(by_index.get(&thread).map_or(0, |thread| thread.process)),
        }
    }

    /// The thread that an event names, and its process.
    pub(super) fn key(&self, thread: u64, spaces: &mut Spaces) -> ThreadKey {
        let space = self.process_of(thread, spaces);
        let indexed = self.by_index.as_ref().and_then(|all| all.get(&thread));
        ThreadKey {
            space,
            id: indexed.map_or(thread, |indexed| indexed.id),
        }
    }

    /// The row of the thread that an event names.
    pub(super) fn row(&mut self, thread: u64, spaces: &mut Spaces) -> usize {
        let recent = thread as usize % RECENT_THREADS;
        if let Some((known, row)) = self.recent[recent]
            && known == thread
        {
            return row;
        }
        let row = self.looked_up(thread, spaces);
        self.recent[recent] = Some((thread, row));
        row
    }

    fn looked_up(&mut self, thread: u64, spaces: &mut Spaces) -> usize {
        let key = self.key(thread, spaces);
        let indexed = self.by_index.as_ref().and_then(|all| all.get(&thread));
        let entry = self.rows.entry(key);
        let row = entry.index();
        let name = entry.or_default();
        let indexed_name = indexed.map_or("", |indexed| &indexed.name);
        if !indexed_name.is_empty() && indexed_name != name {
            *name = indexed_name.into();
        }
        row
    }

    /// The threads with their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&ThreadKey, &str)> {
        self.rows.iter().map(|(key, name)| (key, name.as_str()))
    }

    /// The row of a thread, if there is something to show of it.
    pub(super) fn row_of(&self, key: &ThreadKey) -> Option<usize> {
        self.rows.get_index_of(key)
    }
}

#[cfg(test)]
mod tests;
