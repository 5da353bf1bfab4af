//! The file of a recording: `….part` until it is whole.

use super::voice::Voice;
use crate::input::plain;
use anyhow::{Result, anyhow};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that is being recorded.
pub(super) struct PartFile {
    pub file: File,
    /// What it is called once it is whole.
    pub path: PathBuf,
    pub part: PathBuf,
    overwrites: bool,
}

impl PartFile {
    /// Creates it.
    ///
    /// # Errors
    /// A file of this name exists and may not be overwritten, or the system does not let us.
    pub(super) fn create(path: &Path, overwrites: bool) -> Result<PartFile> {
        check_new(path, overwrites)?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut options = OpenOptions::new();
        options.write(true);
        if overwrites {
            options.create(true).truncate(false)
        } else {
            options.create_new(true)
        };
        let in_use = || anyhow!("another recording is writing {}", part.display());
        let file = options.open(&part).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists if is_locked(&part) => in_use(),
            std::io::ErrorKind::AlreadyExists => {
                anyhow!(
                    "{} was left by a recording that was cut off; --force overwrites it",
                    part.display()
                )
            }
            _ => anyhow!("{} can't be written: {}", part.display(), plain(&error)),
        })?;
        // file systems that have no locks do without; on Windows a lock would keep readers away, too, and with that the live view
        if cfg!(unix) && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(in_use());
        }
        file.set_len(0)
            .map_err(|error| anyhow!("{} can't be written: {}", part.display(), plain(&error)))?;
        Ok(PartFile {
            file,
            path: path.to_path_buf(),
            part,
            overwrites,
        })
    }

    /// The file is whole and gets its name.
    pub(super) fn keep(self, voice: &Voice) -> PathBuf {
        match self.rename() {
            Ok(()) => self.path,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                voice.say(&format!("{} has appeared meanwhile", self.path.display()));
                self.part
            }
            Err(error) => {
                voice.say(&format!(
                    "{} can't be renamed: {}",
                    self.part.display(),
                    plain(&error)
                ));
                self.part
            }
        }
    }

    /// Renames it. A file that may not be overwritten never is: a second name is made, which fails if it is taken.
    fn rename(&self) -> std::io::Result<()> {
        if self.overwrites {
            return fs::rename(&self.part, &self.path);
        }
        match fs::hard_link(&self.part, &self.path) {
            Ok(()) => fs::remove_file(&self.part),
            Err(error)
                if error.kind() == std::io::ErrorKind::AlreadyExists || self.path.exists() =>
            {
                Err(std::io::ErrorKind::AlreadyExists.into())
            }
            // not every file system knows second names
            Err(_) => fs::rename(&self.part, &self.path),
        }
    }

    /// The file is not whole: it keeps its name, ends behind its first `whole` bytes, where its last block does, and has `more` there.
    pub(super) fn keep_part(mut self, whole: u64, more: &[u8], voice: &Voice) -> PathBuf {
        let mut cut = || {
            self.file.set_len(whole)?;
            self.file.seek(SeekFrom::Start(whole))?;
            self.file.write_all(more)
        };
        if whole > 0
            && let Err(error) = cut()
        {
            voice.say(&format!(
                "{} can't be cut behind its last block: {}",
                self.part.display(),
                plain(&error)
            ));
        }
        self.part
    }

    /// There is nothing in it.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Whether somebody is writing a file.
fn is_locked(path: &Path) -> bool {
    let tried = File::open(path).map(|file| file.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

/// Refuses a file that is there and may not be overwritten.
///
/// # Errors
/// It is so.
fn check_new(path: &Path, overwrites: bool) -> Result<()> {
    match path.exists() && !overwrites {
        true => Err(anyhow!(
            "{} exists already; --force overwrites it",
            path.display()
        )),
        false => Ok(()),
    }
}

/// The name of a recording if nobody says one: `NAME-PID-TIME.nettrace`, in UTC.
pub(super) fn default_name(name: &str, pid: u32, now: SystemTime) -> PathBuf {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .take(80)
        .collect();
    let name = name.trim_start_matches(['.', '-']);
    let name = if name.is_empty() { "process" } else { name };
    let seconds = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs();
    format!("{name}-{pid}-{}.nettrace", time_text(seconds)).into()
}

/// Seconds since 1970 as `20261122T225934Z`.
fn time_text(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(is_leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!(
        "{year}{:02}{:02}T{hour:02}{minute:02}{second:02}Z",
        month + 1,
        days + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_file_that_is_being_written_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nettrace");
        let mut first = PartFile::create(&path, false).unwrap();
        first.file.write_all(b"first").unwrap();
        for overwrites in [false, true] {
            let error = PartFile::create(&path, overwrites)
                .err()
                .unwrap()
                .to_string();
            assert!(
                error.starts_with("another recording is writing ")
                    && error.ends_with("a.nettrace.part"),
                "{error}"
            );
        }
        let part = first.part.clone();
        assert_eq!(content(&part), "first");
        // one that was killed
        drop(first);
        assert!(
            PartFile::create(&path, false)
                .err()
                .unwrap()
                .to_string()
                .contains("was left by a recording")
        );
        assert_eq!(content(&part), "first");
        drop(PartFile::create(&path, true).unwrap());
        assert_eq!(content(&part), "");
    }

    #[test]
    fn a_file_that_has_appeared_is_not_overwritten() {
        #[track_caller]
        fn check(overwrites: bool, appears: bool, expect: &[(&str, &str)]) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a");
            let mut out = PartFile::create(&path, overwrites).unwrap();
            out.file.write_all(b"ours").unwrap();
            if appears {
                fs::write(&path, "theirs").unwrap();
            }
            let kept = out.keep(&Voice::new(false));
            assert_eq!(content(&kept), "ours");
            let mut found: Vec<(String, String)> = fs::read_dir(folder.path())
                .unwrap()
                .map(|item| item.unwrap())
                .map(|item| {
                    (
                        item.file_name().into_string().unwrap(),
                        content(&item.path()),
                    )
                })
                .collect();
            found.sort();
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|(name, text)| (&**name, &**text))
                .collect();
            assert_eq!(found, expect);
        }
        check(false, false, &[("a", "ours")]);
        check(false, true, &[("a", "theirs"), ("a.part", "ours")]);
        check(true, true, &[("a", "ours")]);
    }

    #[test]
    fn a_file_that_is_not_whole_ends_behind_its_last_block() {
        #[track_caller]
        fn check(whole: u64, names: &str, expect: &str) {
            let folder = tempfile::tempdir().unwrap();
            let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
            out.file.write_all(b"blocks and a ha").unwrap();
            assert_eq!(
                content(&out.keep_part(whole, names.as_bytes(), &Voice::new(false))),
                expect
            );
        }
        check(6, "", "blocks");
        check(6, " names", "blocks names");
        // what has no whole block may still tell somebody something
        check(0, "", "blocks and a ha");
    }

    /// Values by `date -u -d @SECONDS`.
    #[test]
    fn names_tell_process_and_time() {
        #[track_caller]
        fn check(name: &str, seconds: u64, expect: &str) {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(default_name(name, 47, now), PathBuf::from(expect));
        }
        check("App", 0, "App-47-19700101T000000Z.nettrace");
        check("App", 951_782_400, "App-47-20000229T000000Z.nettrace");
        check("App", 1_795_388_374, "App-47-20261122T225934Z.nettrace");
        check("App", 4_102_444_799, "App-47-20991231T235959Z.nettrace");
        check("../a b", 0, "_a_b-47-19700101T000000Z.nettrace");
        check("", 0, "process-47-19700101T000000Z.nettrace");
    }
}
