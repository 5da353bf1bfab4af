//! Records the library that decoded a tree: a different library may decode it differently.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The extension of the file beside a tree.
pub(super) const EXTENSION: &str = "library";

/// A library as it was when it read a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Library {
    path: PathBuf,
    size_bytes: u64,
    /// Since 1970.
    modified_ns: u128,
}

impl Library {
    /// A library as it is now; `None` if it can't be looked at.
    pub(crate) fn of(path: &Path) -> Option<Library> {
        let meta = fs::metadata(path).ok()?;
        let since_1970 = meta
            .modified()
            .ok()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Some(Library {
            path: path.to_path_buf(),
            size_bytes: meta.len(),
            modified_ns: since_1970.as_nanos(),
        })
    }

    /// Whether it is there and is another one now. What one that is gone has read is still what is in the snapshot.
    pub(crate) fn has_changed(&self) -> bool {
        Library::of(&self.path).is_some_and(|now| now != *self)
    }

    /// What is noted beside a tree; nothing where the helper could not say what read it.
    pub(in crate::decoders) fn noted(tree: &Path) -> Option<Library> {
        serde_json::from_slice(&fs::read(tree.with_extension(EXTENSION)).ok()?).ok()
    }

    pub(super) fn write(&self, note: &Path) -> io::Result<()> {
        fs::write(note, serde_json::to_vec(self)?)
    }
}
