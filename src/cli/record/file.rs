//! The output file of a recording: named `….part` until it is complete.

use super::super::files::{Destination, why_not_written};
use super::reporter::RecordReporter;
use crate::cli::messages;
use crate::cli::options::refuse_if;
use crate::importers::{Tally, blocks_of_names};
use crate::input::plain;
use crate::units::unix_time;
use anyhow::{Result, anyhow};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempPath;

pub(super) struct PartFile {
    pub file: File,
    pub path: PathBuf,
    pub part: PathBuf,
    overwrites: bool,
}

impl PartFile {
    pub(super) fn create(path: &Path, overwrites: bool) -> Result<PartFile> {
        refuse_if(path.as_os_str() == "-", messages::RECORDING_NEEDS_FILE)?;
        let target = Destination::new(path, overwrites).file();
        let path = target.map_err(|error| anyhow!(why_not_written(path, &error)))?;
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        clear(&part, overwrites)?;
        let failed = |error| anyhow!(messages::cant_write(&part.display(), &plain(&error)));
        // create_new: a file that has appeared in the meantime is not ours
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(windows)]
        {
            use std::os::windows::fs::OpenOptionsExt as _;
            // others may read and rename it, but not write it
            options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE);
        }
        let file = options.open(&part).map_err(failed)?;
        #[cfg(unix)]
        let _ = file.try_lock();
        // the same read permissions as the file that it replaces
        if let Ok(meta) = path.metadata() {
            let _ = file.set_permissions(meta.permissions());
        }
        Ok(PartFile {
            file,
            path,
            part,
            overwrites,
        })
    }

    /// Returns `None` if it was removed or replaced.
    pub(super) fn current_path(&self) -> Option<PathBuf> {
        #[cfg(unix)]
        {
            use std::os::fd::AsRawFd as _;
            use std::os::unix::fs::MetadataExt as _;
            let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
            let file_id = id(self.file.metadata().ok()?);
            let moved = fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd())).ok();
            let mut places = [Some(self.part.clone()), moved].into_iter().flatten();
            places.find(|path| {
                path.symlink_metadata()
                    .is_ok_and(|meta| id(meta) == file_id)
            })
        }
        #[cfg(not(unix))]
        Some(self.part.clone()).filter(|part| part.exists())
    }

    /// Renames the finished file; returns its path, or `None` if it no longer exists.
    pub(super) fn keep(self, reporter: &RecordReporter) -> Option<PathBuf> {
        let place = self.current_path()?;
        if place != self.part {
            reporter.report(&messages::recording_was_moved(&place.display()));
            return Some(place);
        }
        Some(match self.rename() {
            Ok(()) => self.path,
            Err(error) => {
                reporter.report(&messages::cant_rename(&self.part.display(), &plain(&error)));
                self.part
            }
        })
    }

    fn rename(&self) -> io::Result<()> {
        let part = TempPath::try_from_path(&self.part)?;
        let renamed = match self.overwrites {
            true => part.persist(&self.path),
            false => part.persist_noclobber(&self.path),
        };
        renamed.map_err(|failed| {
            // it would be removed otherwise
            let _ = failed.path.keep();
            failed.error
        })
    }

    /// Truncates the `.part` file to its first `complete_bytes`, the end of the last block, and appends the names in the
    /// recording `names`. If there is no room for these, they replace the last blocks. Returns the bytes of the
    /// recording and of the names.
    pub(super) fn keep_part(
        &mut self,
        complete_bytes: u64,
        names: &[u8],
    ) -> io::Result<(u64, usize)> {
        let size = self.file.metadata()?.len();
        let complete_bytes = match complete_bytes <= size {
            true => complete_bytes,
            // the last of them were not written
            false => self.complete_bytes_within(size)?,
        };
        if complete_bytes == 0 {
            return Ok((0, 0));
        }
        self.cut(complete_bytes, names).or_else(|_| {
            let names_bytes = blocks_of_names(names, complete_bytes).len() as u64 + BLOCK_PADDING;
            match self.complete_bytes_within(size.saturating_sub(names_bytes)) {
                Ok(fewer @ 1..) => self.cut(fewer, names).or_else(|_| self.cut(fewer, &[])),
                _ => self.cut(complete_bytes, &[]),
            }
        })
    }

    fn cut(&mut self, complete_bytes: u64, names: &[u8]) -> io::Result<(u64, usize)> {
        let names = blocks_of_names(names, complete_bytes);
        self.file.set_len(complete_bytes)?;
        self.file.seek(SeekFrom::Start(complete_bytes))?;
        self.file.write_all(&names)?;
        Ok((complete_bytes, names.len()))
    }

    /// How many of the first `limit` bytes are complete blocks.
    fn complete_bytes_within(&mut self, limit: u64) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(0))?;
        let (mut tally, mut buffer) = (Tally::default(), vec![0; 1 << 18]);
        let mut file = (&self.file).take(limit);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(tally.blocks.complete_bytes),
                count => tally.push(&buffer[..count]),
            }
        }
    }

    pub(super) fn remove(self) {
        let _ = self.current_path().map(fs::remove_file);
    }
}

const BLOCK_PADDING: u64 = 4096;

/// Removes a leftover `.part`, if allowed; fails if anything else is in the way.
fn clear(part: &Path, overwrites: bool) -> Result<()> {
    match part.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(meta) if meta.is_file() && is_being_written(part) => {
            Err(anyhow!(messages::part_in_use(&part.display())))
        }
        Ok(meta) if meta.is_file() && overwrites => fs::remove_file(part)
            .map_err(|error| anyhow!(messages::cant_remove(&part.display(), &plain(&error)))),
        Ok(_) => Err(anyhow!(messages::part_exists(&part.display()))),
    }
}

/// Another recording locks its file.
#[cfg(unix)]
fn is_being_written(part: &Path) -> bool {
    let lock = File::open(part).map(|file| file.try_lock_shared());
    matches!(lock, Ok(Err(fs::TryLockError::WouldBlock)))
}

/// Another recording shares its file only with readers.
#[cfg(windows)]
fn is_being_written(part: &Path) -> bool {
    let opened = File::options().write(true).open(part);
    opened.is_err_and(|error| error.raw_os_error() == Some(ERROR_SHARING_VIOLATION))
}

#[cfg(windows)]
const FILE_SHARE_READ: u32 = 1;
#[cfg(windows)]
const FILE_SHARE_DELETE: u32 = 4;
#[cfg(windows)]
const ERROR_SHARING_VIOLATION: i32 = 32;

pub(super) fn default_name(name: &str, pid: u32, now: SystemTime) -> PathBuf {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    let name: String = name.take(80).collect();
    let name = name.trim_start_matches(['.', '-']);
    let name = if name.is_empty() { "process" } else { name };
    let since_1970 = now.duration_since(SystemTime::UNIX_EPOCH);
    let time = unix_time(
        since_1970
            .unwrap_or_default()
            .as_secs()
            .saturating_mul(1000),
    );
    // without milliseconds
    let time = time.replace(['-', ':'], "").replace(".000", "");
    format!("{name}-{pid}-{time}.nettrace").into()
}

#[cfg(test)]
mod tests;
