//! Folders that are the user's alone.

use super::layout::{no_link, scratch_in};
use crate::decoders::messages;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Makes a folder that nobody but the user can look into, with the folders that it lies in.
pub(super) fn make_folder(folder: PathBuf) -> io::Result<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder)?;
    no_link(&folder)?;
    Ok(folder)
}

/// Whether other users can write to a folder. On Windows nobody can in a folder of another user.
#[cfg(unix)]
pub(super) fn is_open(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    folder
        .metadata()
        .is_ok_and(|meta| meta.permissions().mode() & 0o022 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_open(_folder: &Path) -> bool {
    false
}

/// Keeps other users from looking into a folder.
#[cfg(unix)]
pub(super) fn close(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if folder.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
pub(super) fn close(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// The user, who is whom files belong to that are made now. Checks that the folder belongs to the same: in a folder such as
/// `/tmp` someone else may have made it before.
pub(super) fn user_of(folder: &Path) -> io::Result<u32> {
    let probe = scratch_in(folder)?;
    let user = owner(&probe.path().metadata()?);
    if owner(&folder.metadata()?) != user {
        return Err(io::Error::other(messages::BELONGS_ANOTHER_USER));
    }
    probe.close()?;
    Ok(user)
}

/// The number of the user to whom something belongs; 0 where users have none.
#[cfg(unix)]
pub(super) fn owner(meta: &fs::Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(meta)
}

#[cfg(not(unix))]
pub(super) fn owner(_meta: &fs::Metadata) -> u32 {
    0
}
