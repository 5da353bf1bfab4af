//! The output file of a recording: named `….part` until it is complete.

use super::super::files::{Destination, folder_of, why_not_written};
use super::super::say::Usage;
use super::reporter::RecordReporter;
use crate::cli::messages;
use crate::importers::{Tally, blocks_of_names};
use crate::input::plain;
use anyhow::{Result, anyhow};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file that is being recorded.
pub(super) struct PartFile {
    pub file: File,
    /// Its final name.
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
        let to = Destination {
            path,
            input: None,
            overwrite: overwrites,
            only_file: true,
        };
        if path.as_os_str() == "-" {
            let sentence = messages::RECORDING_NEEDS_FILE;
            return Err(Usage::new(sentence).into());
        }
        let path = to
            .file()
            .map_err(|error| anyhow!(why_not_written(path, &error)))?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        clear(&part, overwrites)?;
        let failed = |error| anyhow!(messages::cant_write(&part.display(), &plain(&error)));
        // create_new: a file that has appeared there meanwhile is not ours
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let file = options.open(&part).map_err(failed)?;
        // the same read permissions as the file that it replaces
        if let Ok(known) = path.metadata() {
            let _ = file.set_permissions(known.permissions());
        }
        // file systems that have no locks do without; on Windows a lock would keep readers away, too, and with that the live view
        if cfg!(unix) {
            let _ = file.try_lock();
        }
        Ok(PartFile {
            file,
            path,
            part,
            overwrites,
        })
    }

    /// Room in the same folder for what [`PartFile::keep_part`] appends of these names, for when the disk is full: a file without a name.
    /// As blocks of another recording, names take more than they did in their own.
    pub(super) fn room_for(names: &[u8], part: &Path) -> Option<File> {
        let bytes = blocks_of_names(names, 0).len() + BLOCK_PADDING as usize;
        let mut file = tempfile::tempfile_in(folder_of(part)).ok()?;
        file.write_all(&vec![0; bytes]).ok()?;
        Some(file)
    }

    /// Where the file is now; `None` if it was removed, or something else was put in its place.
    pub(super) fn place(&self) -> Option<PathBuf> {
        #[cfg(unix)]
        {
            use std::os::fd::AsRawFd as _;
            use std::os::unix::fs::MetadataExt as _;
            let id = |known: fs::Metadata| (known.dev(), known.ino());
            let own = id(self.file.metadata().ok()?);
            let is_own =
                |path: &PathBuf| path.symlink_metadata().is_ok_and(|known| id(known) == own);
            let moved = || fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd())).ok();
            Some(self.part.clone())
                .filter(is_own)
                .or_else(|| moved().filter(is_own))
        }
        #[cfg(not(unix))]
        Some(self.part.clone()).filter(|part| part.exists())
    }

    /// The file is whole and gets its name; `None` if it is no longer there.
    pub(super) fn keep(self, reporter: &RecordReporter) -> Option<PathBuf> {
        let place = self.place()?;
        if place != self.part {
            reporter.say(&messages::recording_was_moved(&place.display()));
            return Some(place);
        }
        Some(match self.rename() {
            Ok(()) => self.path,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                reporter.say(&messages::has_appeared(&self.path.display()));
                self.part
            }
            Err(error) => {
                reporter.say(&messages::cant_rename(&self.part.display(), &plain(&error)));
                self.part
            }
        })
    }

    /// Renames it. A file that may not be overwritten never is: a second name is made, which fails if it is taken.
    fn rename(&self) -> io::Result<()> {
        if self.overwrites {
            return fs::rename(&self.part, &self.path);
        }
        match fs::hard_link(&self.part, &self.path) {
            Ok(()) => fs::remove_file(&self.part),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists || self.path.exists() => {
                Err(io::ErrorKind::AlreadyExists.into())
            }
            // not every file system knows second names
            Err(_) => fs::rename(&self.part, &self.path),
        }
    }

    /// The file is not whole: it keeps its name, ends behind its first `whole` bytes, where its last block does, and has the names in the
    /// recording `names` there. Where there is no room for these, they take that of the last blocks. Gives how many bytes of the recording and of
    /// names there are.
    ///
    /// # Errors
    /// It can't be cut.
    pub(super) fn keep_part(&mut self, whole: u64, names: &[u8]) -> io::Result<(u64, usize)> {
        let size = self.file.metadata()?.len();
        let whole = match whole <= size {
            true => whole,
            // the last of them were not written
            false => self.whole_within(size)?,
        };
        if whole == 0 {
            return Ok((0, 0));
        }
        let named = self.cut(whole, names).or_else(|_| {
            let names_bytes = blocks_of_names(names, whole).len() as u64 + BLOCK_PADDING;
            match self.whole_within(size.saturating_sub(names_bytes))? {
                0 => Err(io::ErrorKind::StorageFull.into()),
                less => self.cut(less, names),
            }
        });
        named.or_else(|_| self.cut(whole, &[]))
    }

    fn cut(&mut self, whole: u64, names: &[u8]) -> io::Result<(u64, usize)> {
        let names = blocks_of_names(names, whole);
        self.file.set_len(whole)?;
        self.file.seek(SeekFrom::Start(whole))?;
        self.file.write_all(&names)?;
        Ok((whole, names.len()))
    }

    /// How many of the first `most` bytes are whole blocks.
    fn whole_within(&mut self, most: u64) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(0))?;
        let (mut tally, mut buffer) = (Tally::default(), vec![0; 1 << 18]);
        let mut file = (&self.file).take(most);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(tally.whole_bytes()),
                count => tally.push(&buffer[..count]),
            }
        }
    }

    /// There is nothing in it.
    pub(super) fn remove(self) {
        let _ = self.place().map(fs::remove_file);
    }
}

/// By how much the blocks of names may grow at another place.
const BLOCK_PADDING: u64 = 4096;

/// Sees to it that nothing is in the way of a new `.part`, and removes one that was left behind if it may.
///
/// # Errors
/// Something is in the way: another recording, what one has left, or no file.
fn clear(part: &Path, overwrites: bool) -> Result<()> {
    let Ok(known) = part.symlink_metadata() else {
        return Ok(());
    };
    let part_name = part.display();
    if !known.is_file() {
        return Err(anyhow!(messages::part_is_no_file(&part_name)));
    }
    if is_locked(part) {
        return Err(anyhow!(messages::part_in_use(&part_name)));
    }
    if !overwrites {
        return Err(anyhow!(messages::part_left_behind(&part_name)));
    }
    fs::remove_file(part)
        .map_err(|error| anyhow!(messages::cant_remove(&part_name, &plain(&error))))
}

/// Whether another process is writing a file.
fn is_locked(path: &Path) -> bool {
    let tried = File::open(path).map(|file| file.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
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

    #[cfg(unix)]
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

    /// What is written there takes its room until it is dropped, and nobody sees it.
    #[test]
    fn room_for_names_has_no_name_and_holds_their_blocks() {
        const RECORDED: &[u8] = include_bytes!("../../../snapshots/js-ordered-consume.nettrace");
        let folder = tempfile::tempdir().unwrap();
        let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
        let room = PartFile::room_for(RECORDED, &out.part).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        out.file.write_all(RECORDED).unwrap();
        let (_, names) = out.keep_part(RECORDED.len() as u64, RECORDED).unwrap();
        assert!(room.metadata().unwrap().len() >= names as u64);
        assert!(PartFile::room_for(RECORDED, &folder.path().join("none/a.part")).is_none());
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
            let kept = out.keep(&RecordReporter::new(false)).unwrap();
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

    #[cfg(unix)]
    #[test]
    fn what_was_moved_is_found_and_what_was_replaced_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
        fs::create_dir(&before).unwrap();
        let out = PartFile::create(&before.join("a"), false).unwrap();
        fs::rename(&before, &after).unwrap();
        assert_eq!(
            out.keep(&RecordReporter::new(false)),
            Some(after.join("a.part"))
        );
        let out = PartFile::create(&after.join("b"), false).unwrap();
        fs::remove_file(&out.part).unwrap();
        fs::write(&out.part, "theirs").unwrap();
        assert_eq!(out.keep(&RecordReporter::new(false)), None);
        assert!(!after.join("b").exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_overwritten_keeps_its_readers() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let out = PartFile::create(&path, true).unwrap();
        out.keep(&RecordReporter::new(false)).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_file_that_is_not_whole_ends_behind_its_last_block() {
        #[track_caller]
        fn check(whole: u64, expect: &str) {
            let folder = tempfile::tempdir().unwrap();
            let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
            out.file.write_all(b"blocks and a ha").unwrap();
            assert_eq!(out.keep_part(whole, &[]).unwrap(), (whole, 0));
            assert_eq!(content(&out.part), expect);
        }
        check(6, "blocks");
        // what has no whole block may still tell somebody something
        check(0, "blocks and a ha");
    }

    /// The last blocks came, and were not written.
    #[test]
    fn a_file_that_was_not_written_to_its_end_ends_behind_the_last_block_that_was() {
        const RECORDED: &[u8] = include_bytes!("../../../snapshots/js-ordered-consume.nettrace");
        let folder = tempfile::tempdir().unwrap();
        let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
        out.file.write_all(&RECORDED[..400_001]).unwrap();
        let mut tally = Tally::default();
        tally.push(&RECORDED[..400_001]);
        let (whole, names) = out.keep_part(500_000, RECORDED).unwrap();
        assert_eq!(whole, tally.whole_bytes());
        let kept = fs::read(&out.part).unwrap();
        assert_eq!(kept.len() as u64, whole + names as u64);
        assert!(names > 100_000 && kept.starts_with(&RECORDED[..whole as usize]));
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
