use super::layout::{HELPER, INDEXES, LOCK, SCRATCH, open_lock};
use crate::decoders::messages;
use crate::input::plain;
use crate::words::words;
use std::fs::{self, DirEntry, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum EntryKind {
        Helper = "helper",
        Index = "index",
        /// Work in progress, or left by a process that was killed.
        Scratch = "scratch",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    pub kind: EntryKind,
    pub path: PathBuf,
    pub size_bytes: u64,
    /// When it was created or, for an index, last used.
    pub last_used: SystemTime,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheContents {
    pub entries: Vec<CacheEntry>,
    pub foreign_files: Vec<PathBuf>,
}

impl CacheContents {
    pub fn size_bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.size_bytes).sum()
    }
}

/// A missing folder is empty. Links are not followed, since dotspot makes none.
pub fn contents(folder: &Path) -> io::Result<CacheContents> {
    let mut found = CacheContents::default();
    let list = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        list => list?,
    };
    for item in list {
        let item = item?;
        let is_folder = item.file_type()?.is_dir();
        match item.file_name().to_str() {
            Some(LOCK) if item.file_type()?.is_file() => {}
            Some(HELPER) if is_folder => list_folder(&item.path(), EntryKind::Helper, &mut found)?,
            Some(INDEXES) if is_folder => list_folder(&item.path(), EntryKind::Index, &mut found)?,
            Some(name) if is_folder && name.starts_with(SCRATCH) => {
                found.entries.extend(entry(EntryKind::Scratch, &item))
            }
            _ => found.foreign_files.push(item.path()),
        }
    }
    let entries = &mut found.entries;
    entries.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    found.foreign_files.sort();
    Ok(found)
}

fn list_folder(room: &Path, kind: EntryKind, found: &mut CacheContents) -> io::Result<()> {
    for item in fs::read_dir(room)? {
        let item = item?;
        match is_ours(kind, &item)? {
            true => found.entries.extend(entry(kind, &item)),
            false => found.foreign_files.push(item.path()),
        }
    }
    Ok(())
}

/// Whether something in the folder of helpers or indexes has one of our names and the expected type.
fn is_ours(kind: EntryKind, item: &DirEntry) -> io::Result<bool> {
    let is_hash =
        |text: &str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (name, item_type) = (item.file_name(), item.file_type()?);
    let name = name.to_str().unwrap_or_default();
    Ok(match kind {
        EntryKind::Helper => {
            let is_log = name.ends_with(".log");
            name.split_once('-').is_some_and(|(hash, _)| is_hash(hash))
                && (is_log && item_type.is_file() || !is_log && item_type.is_dir())
        }
        _ => {
            let stem = name.strip_suffix(".index").filter(|_| item_type.is_file());
            let hash = stem.and_then(|stem| stem.rsplit_once('-'));
            hash.is_some_and(|(_, hash)| is_hash(hash))
        }
    })
}

/// `None` if it has disappeared meanwhile.
fn entry(kind: EntryKind, item: &DirEntry) -> Option<CacheEntry> {
    let meta = item.metadata().ok()?;
    let path = item.path();
    Some(CacheEntry {
        kind,
        size_bytes: match meta.is_dir() {
            true => size_of_folder(&path),
            false => meta.len(),
        },
        path,
        last_used: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

fn size_of_folder(folder: &Path) -> u64 {
    let mut size_bytes = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(folder).into_iter().flatten().flatten() {
            match item.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(item.path()),
                meta => size_bytes += meta.map_or(0, |meta| meta.len()),
            }
        }
    }
    size_bytes
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClearedCache {
    pub removed: Vec<CacheEntry>,
    pub failed: Vec<String>,
    pub foreign_files: Vec<PathBuf>,
}

/// Removes what dotspot made in the folder, and nothing else. The empty lock stays.
pub fn clear(folder: &Path) -> Result<ClearedCache, String> {
    if !folder.exists() {
        return Ok(ClearedCache::default());
    }
    let reason = |error: &io::Error| messages::cant_clear(&folder.display(), &plain(error));
    let lock = open_lock(folder).map_err(|error| reason(&error))?;
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        let sentence = messages::CACHE_IN_USE;
        return Err(format!("{} {sentence}", folder.display()));
    }
    let found = contents(folder).map_err(|error| reason(&error))?;
    let mut cleared = ClearedCache {
        foreign_files: found.foreign_files,
        ..ClearedCache::default()
    };
    for entry in found.entries {
        match remove(&entry.path) {
            Ok(()) => cleared.removed.push(entry),
            Err(error) => {
                let problem = messages::cant_remove(&entry.path.display(), &plain(&error));
                cleared.failed.push(problem);
            }
        }
    }
    for room in [HELPER, INDEXES] {
        let _ = fs::remove_dir(folder.join(room));
    }
    Ok(cleared)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

pub(super) fn remove_scratch(folder: &Path) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_folder = item.file_type().is_ok_and(|kind| kind.is_dir());
        let name = item.file_name();
        if is_folder && name.as_encoded_bytes().starts_with(SCRATCH.as_bytes()) {
            let _ = remove(&item.path());
        }
    }
}

/// Evicts the least recently used indexes, but not `newest`, until all take at most `max_bytes`.
pub(super) fn evict_oldest(folder: &Path, newest: &Path, max_bytes: u64) {
    let mut found = CacheContents::default();
    let _ = list_folder(&folder.join(INDEXES), EntryKind::Index, &mut found);
    let mut size = found.size_bytes();
    found.entries.sort_by_key(|entry| entry.last_used);
    for entry in found.entries.iter().filter(|entry| entry.path != newest) {
        if size <= max_bytes {
            return;
        }
        if remove(&entry.path).is_ok() {
            size -= entry.size_bytes;
        }
    }
}
