//! Names of cache entries, derived from their content.

use crate::importers::snapshot_files;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The maximum number of characters of a snapshot's name in the name of its tree.
const NAME_CHARS: usize = 40;

/// The key of a snapshot's decoded tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeKey(String);

impl TreeKey {
    /// The key of the tree that a decoder makes of a snapshot: the canonical path, the sizes and times of its files,
    /// and `decoder`, which is whatever else the tree depends on. `None` if one of the files can't be accessed.
    pub(crate) fn of(index: &Path, decoder: &[&[u8]]) -> Option<TreeKey> {
        let path = fs::canonicalize(index).ok()?;
        let mut parts = vec![path.as_os_str().as_encoded_bytes().to_vec()];
        for file in snapshot_files(index) {
            parts.push(identity(&file)?);
        }
        parts.extend(decoder.iter().map(|part| part.to_vec()));
        let hash = fingerprint(parts.iter().map(Vec::as_slice));
        Some(TreeKey(format!("{}-{hash}.json", plain_name(index))))
    }

    pub(crate) fn file_name(&self) -> &str {
        &self.0
    }
}

/// A file's name, size and modification time.
fn identity(file: &PathBuf) -> Option<Vec<u8>> {
    let meta = fs::metadata(file).ok()?;
    let since_1970 = meta.modified().ok()?.duration_since(UNIX_EPOCH);
    let mut bytes = file.file_name()?.as_encoded_bytes().to_vec();
    bytes.extend(meta.len().to_le_bytes());
    bytes.extend(since_1970.unwrap_or_default().as_nanos().to_le_bytes());
    Some(bytes)
}

/// Makes a character safe for file names on every system.
pub(crate) fn plain_char(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
        c
    } else {
        '_'
    }
}

pub(crate) fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.chars().take(NAME_CHARS).map(plain_char).collect()
}

/// The first half of SHA-256 over each text preceded by its length, as 32 hexadecimal digits.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests;
