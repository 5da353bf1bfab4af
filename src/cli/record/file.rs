//! The file of a recording: `….part` until it is whole.

use super::voice::Voice;
use crate::input::plain;
use anyhow::{Result, anyhow};
use std::fs::{self, File, OpenOptions};
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
        // another recording may be writing to it
        if overwrites {
            options.create(true).truncate(true)
        } else {
            options.create_new(true)
        };
        let file = options.open(&part).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                anyhow!("{} is there: another recording writes it, or left it; --force overwrites it", part.display())
            }
            _ => anyhow!("{} can't be written: {}", part.display(), plain(&error)),
        })?;
        Ok(PartFile { file, path: path.to_path_buf(), part, overwrites })
    }

    /// The file is whole and gets its name.
    pub(super) fn keep(self, voice: &Voice) -> PathBuf {
        if self.path.exists() && !self.overwrites {
            voice.say(&format!("{} has appeared meanwhile", self.path.display()));
            return self.part;
        }
        match fs::rename(&self.part, &self.path) {
            Ok(()) => self.path,
            Err(error) => {
                voice.say(&format!("{} can't be renamed: {}", self.part.display(), plain(&error)));
                self.part
            }
        }
    }

    /// The file is not whole: it keeps its name, ends behind its first `whole` bytes and has `more` there.
    pub(super) fn keep_part(mut self, whole: u64, more: &[u8], voice: &Voice) -> PathBuf {
        let mut append = || {
            self.file.set_len(whole)?;
            self.file.seek(SeekFrom::Start(whole))?;
            self.file.write_all(more)
        };
        if !more.is_empty()
            && let Err(error) = append()
        {
            voice.say(&format!("the names that came early can't be written: {}", plain(&error)));
        }
        self.part
    }

    /// There is nothing in it.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.part);
    }
}

/// Refuses a file that is there and may not be overwritten.
///
/// # Errors
/// It is so.
pub(super) fn check_new(path: &Path, overwrites: bool) -> Result<()> {
    match path.exists() && !overwrites {
        true => Err(anyhow!("{} exists already; --force overwrites it", path.display())),
        false => Ok(()),
    }
}

/// The name of a recording if nobody says one: `NAME-PID-TIME.nettrace`, in UTC.
pub(super) fn default_name(name: &str, pid: u32, now: SystemTime) -> PathBuf {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
    let name = name.trim_start_matches(['.', '-']);
    let name = if name.is_empty() { "process" } else { name };
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    format!("{name}-{pid}-{}.nettrace", time_text(seconds)).into()
}

/// Seconds since 1970 as `20261122T225934Z`.
fn time_text(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}{:02}{:02}T{hour:02}{minute:02}{second:02}Z", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
