//! The files and folders of the cache. The folder is private, because its content is trusted and executed.

use crate::decoders::messages;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) const HELPER: &str = "helper";
pub(crate) const INDEXES: &str = "indexes";
pub(super) const SCRATCH: &str = "scratch-";
pub(super) const LOCK: &str = "lock";

pub(super) fn scratch_in(folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(SCRATCH).tempdir_in(folder)
}

pub(super) fn open_lock(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(folder.join(LOCK))
}

/// Creates a folder, with its parents, that only the user can access.
pub(super) fn make_folder(folder: PathBuf) -> io::Result<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    Ok(folder)
}

/// Creates the cache folder and closes it to others. Fails if they may have put something into it.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    make_folder(folder.to_path_buf())?;
    let meta = folder.symlink_metadata()?;
    if meta.is_symlink() {
        return Err(io::Error::other(messages::is_a_link(&folder.display())));
    }
    close(folder, &meta)
}

#[cfg(unix)]
fn close(folder: &Path, meta: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mode = meta.permissions().mode();
    if mode & 0o022 != 0 {
        return Err(io::Error::other(messages::OTHERS_CAN_WRITE_TO_IT));
    }
    // new files belong to the user
    if scratch_in(folder)?.path().metadata()?.uid() != meta.uid() {
        return Err(io::Error::other(messages::OF_ANOTHER_USER));
    }
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Users can't write to each other's folders on Windows.
#[cfg(not(unix))]
fn close(folder: &Path, _meta: &fs::Metadata) -> io::Result<()> {
    scratch_in(folder).map(drop)
}
