//! File names in the cache folder.

use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempDir;

pub(super) const HELPER: &str = "helper";
pub(super) const TREES: &str = "trees";
pub(super) const INDEXES: &str = "indexes";
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
