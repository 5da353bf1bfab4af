use borsh::{BorshDeserialize, BorshSerialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct FileState {
    size_bytes: u64,
    modified_ns: u128,
    /// On Unix: the device, the inode, and the change time, which programs can't set.
    identity: [i64; 4],
}

impl FileState {
    /// Follows links; `None` if it can't be accessed.
    pub(crate) fn of(path: &Path) -> Option<FileState> {
        let known = fs::metadata(path).ok()?;
        let modified = known.modified().ok()?.duration_since(UNIX_EPOCH);
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            let (device, inode) = (known.dev().cast_signed(), known.ino().cast_signed());
            [device, inode, known.ctime(), known.ctime_nsec()]
        };
        #[cfg(not(unix))]
        let identity = [0; 4];
        Some(FileState {
            size_bytes: known.len(),
            modified_ns: modified.unwrap_or_default().as_nanos(),
            identity,
        })
    }
}

/// Of files that may not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct FileStates(Vec<(String, Option<FileState>)>);

impl FileStates {
    pub(crate) fn of(paths: impl IntoIterator<Item = PathBuf>) -> FileStates {
        let mut states = FileStates::default();
        paths.into_iter().for_each(|path| states.add(&path));
        states
    }

    pub(crate) fn add(&mut self, path: &Path) {
        // a file whose name is not valid Unicode always counts as changed
        let name = path.to_string_lossy().into_owned();
        if !self.0.iter().any(|(known, _)| *known == name) {
            self.0.push((name, FileState::of(path)));
        }
    }

    pub(crate) fn are_current(&self) -> bool {
        self.0
            .iter()
            .all(|(path, state)| *state == FileState::of(Path::new(path)))
    }
}

#[cfg(test)]
mod tests;
