//! File names in the cache folder.

use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The name of the folder of built helpers.
pub(super) const HELPER: &str = "helper";
/// The name of the folder of decoded trees.
pub(super) const TREES: &str = "trees";
/// The name of the folder of indexes.
pub(super) const INDEXES: &str = "indexes";
/// The prefix of folders for work in progress.
pub(super) const SCRATCH: &str = "scratch-";
/// The file that every decoding process locks.
pub(super) const LOCK: &str = "lock";

pub(super) fn scratch_in(folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(SCRATCH).tempdir_in(folder)
}

/// Opens a file to be locked, creating it if necessary.
pub(in crate::decoders) fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}
