//! File names in the cache folder.

use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// What the folder of built helpers is called.
pub(super) const HELPER: &str = "helper";
/// What the folder of decoded trees is called.
pub(super) const TREES: &str = "trees";
/// What the folder of indexes is called.
pub(super) const INDEXES: &str = "indexes";
/// What folders of work under way begin with.
pub(super) const SCRATCH: &str = "scratch-";
/// The file that everyone who decodes holds.
pub(super) const LOCK: &str = "lock";

pub(super) fn scratch_in(folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(SCRATCH).tempdir_in(folder)
}

/// Opens a file to be locked, and makes it if need be.
pub(in crate::decoders) fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}
