//! The cache in the user's cache folder: the built helper, decoded trees, and indexes of large profiles.
//!
//! | path | content |
//! |---|---|
//! | `lock` | empty; locked shared while decoding, exclusively while clearing |
//! | `helper/HASH-TOOLCHAIN/` | a helper built from the sources with this hash |
//! | `helper/HASH-TOOLCHAIN.log` | the compiler's output |
//! | `helper/HASH-TOOLCHAIN.lock` | empty; locked while building |
//! | `trees/NAME-HASH.json` | the call tree of the snapshot with this name and file identity |
//! | `indexes/NAME-HASH.index` | the stored result of reading the profile with this name, see `kept` |
//! | `scratch-…/` | entries under construction |
//!
//! Files with other names are not ours and are left alone. Entries get their final name once they are complete. Trees
//! and indexes are evicted when the cache grows too large.
//!
//! The content is trusted and executed, so the folder must be private. A folder that other users can write to is not
//! used.

mod contents;
mod key;
mod layout;
mod private;

pub(super) use contents::touch;
pub use contents::{CacheContents, CacheEntry, Cleared, EntryKind, clear, contents};
pub(super) use key::TreeKey;
pub(super) use key::plain_char;
pub(crate) use key::{fingerprint, plain_name};
pub(super) use layout::open_lock;

use super::{Environment, System};
use crate::decoders::messages;
use crate::diagnostics::DecodingDiagnostic;
use crate::input::{Failure, ImportError, Progress, Stage, plain};
use crate::units::size;
use layout::{HELPER, INDEXES, LOCK, TREES, scratch_in};
use private::{make_folder, make_private};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The maximum size of decoded trees and indexes together. The least recently used ones are evicted first.
pub const MAX_KEPT_BYTES: u64 = 2_000_000_000;

/// How long to wait for another process that clears the cache.
const CLEARING_LIMIT: Duration = Duration::from_secs(10);
/// The interval between attempts to get a lock that is held elsewhere.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// The path of this user's cache, which may not exist, or which environment variables are missing.
pub fn folder(environment: &Environment) -> Result<PathBuf, String> {
    let (folder, missing) = match environment.system {
        System::Windows => (
            environment.folder("LOCALAPPDATA"),
            messages::LOCALAPPDATA_NOT_SET,
        ),
        System::MacOs => (
            environment.home().map(|home| home.join("Library/Caches")),
            messages::HOME_NOT_SET,
        ),
        System::Linux => {
            let named = environment.folder("XDG_CACHE_HOME");
            let folder = named.or_else(|| environment.home().map(|home| home.join(".cache")));
            (folder, messages::NO_CACHE_VARIABLE)
        }
    };
    folder
        .map(|folder| folder.join("dotspot"))
        .ok_or_else(|| missing.to_string())
}

/// Why nothing can be kept in the cache folder, which may not exist and is not created.
pub fn why_not_writable(folder: &Path) -> Option<String> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let error = tempfile::tempfile_in(there).err()?;
    Some(messages::cache_unusable(&plain(&error)))
}

/// The folder of this user's built helpers, if there is a cache.
pub(super) fn helper_folder(environment: &Environment) -> Option<PathBuf> {
    folder(environment).ok().map(|folder| folder.join(HELPER))
}

/// The cache, protected from being cleared while something is decoded.
pub struct Cache {
    folder: PathBuf,
    _lock: Option<File>,
    /// A temporary folder in place of the user's, and why that can't be used.
    unusable: Option<(TempDir, DecodingDiagnostic)>,
}

impl Cache {
    /// Opens the user's cache, creating it if necessary. Falls back to a temporary folder, which is removed when this
    /// is dropped.
    pub fn open(environment: &Environment, progress: &Progress) -> Result<Cache, ImportError> {
        let reason = match folder(environment) {
            Ok(folder) => match prepare(&folder, progress)? {
                Ok(lock) => {
                    return Ok(Cache {
                        folder,
                        _lock: Some(lock),
                        unusable: None,
                    });
                }
                Err(problem) => messages::cant_use_cache_folder(&folder.display(), &problem),
            },
            Err(missing) => messages::no_cache_folder(&missing),
        };
        let mut builder = tempfile::Builder::new();
        let made = builder
            .prefix("dotspot-")
            .tempdir_in(environment.temporary_folder());
        let temporary = made.map_err(|error| {
            let problem = messages::no_temporary_folder_either(&reason, &plain(&error));
            let failure = Failure::new("decoder assemblies", "", problem).stage(Stage::Output);
            failure.advice(messages::SET_TMPDIR)
        })?;
        let folder = temporary.path().to_path_buf();
        let complaint = DecodingDiagnostic::CacheUnusable { reason };
        Ok(Cache {
            folder,
            _lock: None,
            unusable: Some((temporary, complaint)),
        })
    }

    pub fn complaint(&self) -> Option<&DecodingDiagnostic> {
        self.unusable.as_ref().map(|(_, complaint)| complaint)
    }

    pub fn is_lasting(&self) -> bool {
        self.unusable.is_none()
    }

    /// A folder for incomplete entries. It is removed when dropped or, if the process is killed, by a later one.
    pub(super) fn scratch(&self) -> io::Result<TempDir> {
        scratch_in(&self.folder)
    }

    pub(super) fn helpers(&self) -> io::Result<PathBuf> {
        make_folder(self.folder.join(HELPER))
    }

    /// The decoded tree with this key, if there is one. Marks it as used.
    pub(super) fn tree(&self, key: &TreeKey) -> Option<PathBuf> {
        let path = self.folder.join(TREES).join(key.file_name());
        if let Ok(file) = File::options().write(true).open(&path) {
            touch(&file);
        }
        path.is_file().then_some(path)
    }

    pub(super) fn forget(tree: &Path) {
        // if it can't be removed, it is read again next time, with the same result
        let _ = contents::remove(tree);
    }

    /// Keeps a decoded tree from a scratch folder, and evicts entries so that all take at most `max_bytes`.
    pub(super) fn keep_tree(&self, key: &TreeKey, tree: &Path, max_bytes: u64) -> io::Result<()> {
        if tree.metadata()?.len() > max_bytes {
            return Err(io::Error::other(messages::tree_too_large(&size(max_bytes))));
        }
        self.keep(tree, TREES, key.file_name(), max_bytes)
    }

    /// Moves a file from a scratch folder to a folder of the cache, and evicts entries so that all take at most
    /// `max_bytes`.
    fn keep(&self, whole: &Path, room: &str, name: &str, max_bytes: u64) -> io::Result<()> {
        let path = make_folder(self.folder.join(room))?.join(name);
        fs::rename(whole, &path)?;
        contents::forget_oldest(&self.folder, &path, max_bytes);
        Ok(())
    }

    /// The index with this name, if there is one. Marks it as used.
    pub(crate) fn index(&self, name: &str) -> Option<File> {
        let path = self.folder.join(INDEXES).join(name);
        // anything else with this name, such as a pipe, could block forever
        let is_file = path.metadata().is_ok_and(|known| known.is_file());
        let file = is_file.then(|| File::options().read(true).write(true).open(path).ok())??;
        touch(&file);
        Some(file)
    }

    pub(crate) fn forget_index(&self, name: &str) {
        // if it can't be removed, it is found to be damaged again next time
        let _ = contents::remove(&self.folder.join(INDEXES).join(name));
    }

    /// Keeps an index once `write` has written it, and evicts entries so that all take at most `max_bytes`.
    pub(crate) fn keep_index(
        &self,
        name: &str,
        max_bytes: u64,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let scratch = self.scratch()?;
        let whole = scratch.path().join(name);
        write(&mut File::options().write(true).create_new(true).open(&whole)?)?;
        if whole.metadata()?.len() > max_bytes {
            return Ok(());
        }
        self.keep(&whole, INDEXES, name, max_bytes)
    }
}

/// Creates the folder if necessary, and checks that only the user can access it. Returns a lock on it, or why it can't
/// be used. Does without locks if the file system has none.
fn prepare(folder: &Path, progress: &Progress) -> Result<Result<File, String>, ImportError> {
    let lock = match make_private(folder).and_then(|()| open_lock(&folder.join(LOCK))) {
        Ok(lock) => lock,
        Err(error) => return Ok(Err(plain(&error))),
    };
    if lock.try_lock().is_ok() {
        // nobody else is decoding, so what is left is from processes that were killed
        contents::remove_scratch(folder);
        let _ = lock.unlock();
    }
    let is_held = hold(|| lock.try_lock_shared(), CLEARING_LIMIT, progress)?;
    Ok(is_held
        .then_some(lock)
        .ok_or(messages::ANOTHER_DOTSPOT_CLEARING.into()))
}

/// Tries to get a lock for up to `limit`; `false` if it was held elsewhere all the time. Does without locks if the file
/// system has none.
pub(super) fn hold(
    ask: impl Fn() -> Result<(), TryLockError>,
    limit: Duration,
    progress: &Progress,
) -> Result<bool, ImportError> {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(true),
            Err(TryLockError::WouldBlock) if start.elapsed() >= limit => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(ASK_AGAIN),
        }
        progress.check_cancelled()?;
    }
}

#[cfg(test)]
mod tests;
