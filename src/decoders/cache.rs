//! The user's cache folder: the built helper, and indexes of profiles.
//!
//! | path | content |
//! |---|---|
//! | `lock` | empty; locked shared while decoding, exclusively while clearing |
//! | `helper/HASH-TOOLCHAIN/` | a helper built from the sources with this hash |
//! | `helper/HASH-TOOLCHAIN.log` | the compiler's output |
//! | `indexes/NAME-HASH.index` | the result of reading the profile with this name, see `profile_cache` |
//! | `scratch-…/` | entries under construction |
//!
//! Files with other names are not ours and are left alone. Entries get their final name once they are complete. A
//! folder that other users can write to is not used.

mod contents;
mod key;
mod layout;

pub use contents::{CacheContents, CacheEntry, ClearedCache, EntryKind, clear, contents};
pub(super) use key::plain_char;
pub(crate) use key::{fingerprint, plain_name};

use super::{Environment, System};
use crate::decoders::messages;
use crate::diagnostics::Diagnostic;
use crate::input::{Failure, ImportError, Stage, plain};
pub(crate) use layout::INDEXES;
use layout::{HELPER, make_folder, make_private, open_lock, scratch_in};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

/// Of all indexes. The least recently used ones are evicted first.
pub const MAX_INDEX_BYTES: u64 = 2_000_000_000;

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

/// Why the cache folder can't be written, even if it does not exist. Doesn't create it.
pub fn why_not_writable(folder: &Path) -> Option<String> {
    let existing = folder.ancestors().find(|folder| folder.exists())?;
    let error = tempfile::tempfile_in(existing).err()?;
    Some(messages::cache_unusable(&plain(&error)))
}

pub(super) fn helper_folder(environment: &Environment) -> Option<PathBuf> {
    folder(environment).ok().map(|folder| folder.join(HELPER))
}

/// Protected from being cleared while something is decoded.
pub struct Cache {
    folder: PathBuf,
    _lock: Option<File>,
    unusable: Option<(TempDir, Diagnostic)>,
}

impl Cache {
    /// Creates the user's cache if necessary. Falls back to a temporary folder, which is removed when this is dropped.
    pub fn open(environment: &Environment) -> Result<Cache, ImportError> {
        let reason = match folder(environment) {
            Ok(folder) => match prepare(&folder) {
                Ok(lock) => {
                    return Ok(Cache {
                        folder,
                        _lock: Some(lock),
                        unusable: None,
                    });
                }
                Err(error) => messages::cant_use_cache_folder(&folder.display(), &plain(&error)),
            },
            Err(missing) => messages::no_cache_folder(&missing),
        };
        let temporary = environment.scratch().map_err(|error| {
            let problem = messages::no_temporary_folder_either(&reason, &plain(&error));
            let failure = Failure::new("decoder assemblies", "", problem).stage(Stage::Output);
            ImportError::from(failure.advice(messages::SET_TMPDIR))
        })?;
        let folder = temporary.path().to_path_buf();
        let warning = Diagnostic::CacheUnusable { reason };
        Ok(Cache {
            folder,
            _lock: None,
            unusable: Some((temporary, warning)),
        })
    }

    pub fn warning(&self) -> Option<&Diagnostic> {
        self.unusable.as_ref().map(|(_, warning)| warning)
    }

    pub fn is_lasting(&self) -> bool {
        self.unusable.is_none()
    }

    /// For incomplete entries. Removed when dropped or, if the process is killed, by a later one.
    pub(super) fn scratch(&self) -> io::Result<TempDir> {
        scratch_in(&self.folder)
    }

    pub(super) fn helpers(&self) -> io::Result<PathBuf> {
        make_folder(self.folder.join(HELPER))
    }

    pub(crate) fn index(&self, name: &str) -> Option<File> {
        let path = self.folder.join(INDEXES).join(name);
        // anything else with this name, such as a pipe, could block forever
        let is_file = path.metadata().is_ok_and(|known| known.is_file());
        let file = is_file.then(|| File::options().read(true).write(true).open(path).ok())??;
        // if that fails, the index may be evicted too early at worst
        let _ = file.set_modified(SystemTime::now());
        Some(file)
    }

    pub(crate) fn remove_index(&self, name: &str) {
        let _ = contents::remove(&self.folder.join(INDEXES).join(name));
    }

    /// Evicts others so that all indexes take at most `max_bytes`.
    pub(crate) fn keep_index(
        &self,
        name: &str,
        max_bytes: u64,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let scratch = self.scratch()?;
        let staging = scratch.path().join(name);
        write(
            &mut File::options()
                .write(true)
                .create_new(true)
                .open(&staging)?,
        )?;
        if staging.metadata()?.len() > max_bytes {
            return Ok(());
        }
        let path = make_folder(self.folder.join(INDEXES))?.join(name);
        fs::rename(staging, &path)?;
        contents::evict_oldest(&self.folder, &path, max_bytes);
        Ok(())
    }
}

/// Returns a lock on the folder, which file systems without locks ignore.
fn prepare(folder: &Path) -> io::Result<File> {
    make_private(folder)?;
    let lock = open_lock(folder)?;
    if lock.try_lock().is_ok() {
        // nobody else is decoding, so what is left is from processes that were killed
        contents::remove_scratch(folder);
        let _ = lock.unlock();
    }
    // another process may be clearing the folder
    let _ = lock.lock_shared();
    Ok(lock)
}

#[cfg(test)]
mod tests;
