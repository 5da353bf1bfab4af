//! Indexes: large profiles as they were read, stored in the user's cache folder, so that opening them again is fast.
//!
//! An index is a [`Recording`], columns as in memory, in checksummed blocks. It is used only for the file it was made
//! of, read in the same way by the same program; anything else about it, damage included, means that the file is read again. What
//! users add to a profile, such as notes and rules about user code, is not part of it.

mod blocks;
mod key;
pub(crate) mod messages;

use crate::decoders::cache::{Cache, MAX_KEPT_BYTES};
use crate::decoders::{DecoderSettings, Environment};
use crate::importers::ReadOptions;
use crate::input::{FileStates, ImportError, Progress};
use crate::model::{Recording, Source};
use blocks::{BlockReader, BlockWriter};
use borsh::{BorshDeserialize, BorshSerialize};
use key::{IndexKey, size_of};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long reading takes of which the result is kept.
const SLOW: Duration = Duration::from_millis(300);
/// Files that are smaller are read sooner than an index is looked for.
const SMALL_BYTES: u64 = 1 << 20;
/// The environment variable that says what is kept.
const VARIABLE: &str = "DOTSPOT_CACHE";

/// Of which files indexes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Of those that take long to read.
    Slow,
    /// Of all.
    Always,
}

/// Whether the user wants nothing kept, for good: `DOTSPOT_CACHE=off`.
pub(crate) fn is_off(environment: &Environment) -> bool {
    environment
        .variable(VARIABLE)
        .is_some_and(|value| value == "off")
}

/// Keeps what was read, and finds it again. It writes on threads of its own, and waits for them when the last of its clones is
/// dropped.
#[derive(Clone, Debug, Default)]
pub struct ProfileCache(Option<Arc<IndexWriter>>);

#[derive(Debug)]
struct IndexWriter {
    environment: Environment,
    policy: Policy,
    writers: Mutex<Vec<JoinHandle<()>>>,
    is_given_up: Arc<AtomicBool>,
}

impl Drop for IndexWriter {
    fn drop(&mut self) {
        let writers =
            std::mem::take(&mut *self.writers.lock().unwrap_or_else(PoisonError::into_inner));
        // one that panicked has kept nothing, which is no matter
        writers.into_iter().for_each(|writer| drop(writer.join()));
    }
}

/// A file, and what is to be read of it.
pub(crate) struct Question<'a> {
    /// The file.
    pub file: &'a Path,
    /// What is read of it.
    pub reading: &'a ReadOptions,
    /// How it is decoded if it is a dotTrace snapshot.
    pub decoding: &'a DecoderSettings,
}

/// What stands before a recording.
#[derive(BorshSerialize, BorshDeserialize)]
struct IndexHeader {
    /// What it is of: an index of another name is of another file.
    key: IndexKey,
    /// The files beside the profile that were looked at when it was read.
    looked_at: FileStates,
}

/// A file that is being read, of which an index may be kept.
pub(crate) struct Unread {
    key: IndexKey,
    name: String,
    began: Instant,
}

impl ProfileCache {
    /// As the environment variable `DOTSPOT_CACHE` says: `off` keeps nothing, `always` also what was read in no time.
    pub(crate) fn new(environment: &Environment) -> ProfileCache {
        if is_off(environment) {
            return ProfileCache::default();
        }
        let policy = match environment
            .variable(VARIABLE)
            .is_some_and(|value| value == "always")
        {
            true => Policy::Always,
            false => Policy::Slow,
        };
        let (writers, is_given_up) = (Mutex::default(), Arc::default());
        ProfileCache(Some(Arc::new(IndexWriter {
            environment: environment.clone(),
            policy,
            writers,
            is_given_up,
        })))
    }

    /// What was kept of a file or, if that is nothing, what to hand over when it was read; neither where nothing is kept.
    #[allow(clippy::result_large_err, reason = "one a file")]
    pub(crate) fn find(
        &self,
        question: &Question,
        progress: &Progress,
    ) -> Result<Recording, Option<Unread>> {
        let desk = self.0.as_ref().ok_or(None)?;
        if desk.policy == Policy::Slow && size_of(question.file) < SMALL_BYTES {
            return Err(None);
        }
        let key =
            IndexKey::of(question.file, question.reading, question.decoding).map_err(|_| None)?;
        let name = key.name(question.file).map_err(|_| None)?;
        let cache = Cache::open(&desk.environment, progress).map_err(|_| None)?;
        if let Some(recording) = taken(&cache, &name, &key, progress) {
            return Ok(recording);
        }
        Err(Some(Unread {
            key,
            name,
            began: Instant::now(),
        }))
    }

    /// Keeps what was read of a file, on a thread of its own, if that took long. `looked_at` are the files beside it on which it
    /// depends.
    pub(crate) fn keep(
        &self,
        question: &Question,
        unread: Unread,
        recording: &Recording,
        looked_at: FileStates,
    ) {
        let Some(desk) = &self.0 else { return };
        let (took, is_snapshot) = (
            unread.began.elapsed(),
            recording.source.format == Source::DTP,
        );
        let is_worth_it = desk.policy == Policy::Always || took >= SLOW;
        // trees of other decoders are kept by these
        let is_ours = !is_snapshot || recording.source.decoder == Source::NATIVE;
        // a file that has changed meanwhile is not the one that was read
        let is_same = || {
            IndexKey::of(question.file, question.reading, question.decoding)
                .is_ok_and(|key| key == unread.key)
        };
        if !is_worth_it || !is_ours || !is_same() || !looked_at.are_current() {
            return;
        }
        let header = IndexHeader {
            key: unread.key,
            looked_at,
        };
        let (recording, environment, given_up) = (
            recording.clone(),
            desk.environment.clone(),
            Arc::clone(&desk.is_given_up),
        );
        // the user waits for the writer in the end, but not longer than for the reader
        let until = Instant::now() + took.max(SLOW);
        let writer = std::thread::spawn(move || {
            // one that can't be written is missed the next time, and `dotspot cache` says why
            let _ = write_index(&environment, &unread.name, &header, &recording, || {
                !given_up.load(Ordering::Relaxed) && Instant::now() < until
            });
        });
        desk.writers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(writer);
    }

    /// Gives up what is being written.
    pub(crate) fn give_up(&self) {
        if let Some(desk) = &self.0 {
            desk.is_given_up.store(true, Ordering::Relaxed);
        }
    }
}

/// Takes in an index. One that is damaged is forgotten; one that is of something else is replaced later.
fn taken(cache: &Cache, name: &str, key: &IndexKey, progress: &Progress) -> Option<Recording> {
    let index = cache.index(name)?;
    let size_bytes = index.metadata().ok()?.len();
    let progress = progress.clone();
    let index = Watched {
        of: index,
        progress: progress.clone(),
    };
    match read_index(index, key) {
        Ok(recording) => {
            progress.add_total_bytes(size_bytes);
            Some(recording?)
        }
        Err(_) => {
            if progress.go_on().is_ok() {
                cache.forget_index(name);
            }
            None
        }
    }
}

/// The recording in an index; `None` if it is of another key, or a file beside the profile has changed.
fn read_index(from: impl Read, key: &IndexKey) -> io::Result<Option<Recording>> {
    let mut reader = BlockReader::new(from);
    let header = IndexHeader::deserialize_reader(&mut reader)?;
    if header.key != *key || !header.looked_at.are_current() {
        return Ok(None);
    }
    let recording = Recording::read(&mut reader)?;
    reader.finish().map(|()| Some(recording))
}

fn write_index(
    environment: &Environment,
    name: &str,
    header: &IndexHeader,
    recording: &Recording,
    goes_on: impl Fn() -> bool,
) -> Result<(), ImportError> {
    let cache = Cache::open(environment, &Progress::default())?;
    if cache.is_lasting() {
        let written = cache.keep_index(name, MAX_KEPT_BYTES, |file| {
            let mut writer = BlockWriter::new(Stoppable { out: file, goes_on });
            header.serialize(&mut writer)?;
            recording.write(&mut writer)?;
            writer.finish()
        });
        drop(written);
    }
    Ok(())
}

/// Reads until it is to stop.
struct Watched {
    of: File,
    progress: Progress,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.progress.go_on().map_err(io::Error::other)?;
        self.of.read(into)
    }
}

/// Writes until it is to stop.
struct Stoppable<W, F> {
    out: W,
    goes_on: F,
}

impl<W: Write, F: Fn() -> bool> Write for Stoppable<W, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.goes_on)() {
            self.out.write(bytes)
        } else {
            Err(io::Error::other("given up"))
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoders::System;
    use crate::importers::import_with;
    use crate::input::Input;
    use crate::model::testing::recording_of;
    use std::fs;
    use std::path::PathBuf;
    use tempfile::TempDir;

    const BUNDLED: &str = "snapshots/js-ordered-consume.nettrace";

    /// The key of any file.
    fn key_of(file: &Path) -> IndexKey {
        let decoding =
            DecoderSettings::new(Environment::made_up(System::Linux, Path::new("/"), &[]));
        IndexKey::of(file, &ReadOptions::default(), &decoding).unwrap()
    }

    fn bytes_of(recording: &Recording) -> Vec<u8> {
        bytes_with(recording, FileStates::default())
    }

    fn bytes_with(recording: &Recording, looked_at: FileStates) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = BlockWriter::new(&mut bytes);
        let key = key_of(Path::new(BUNDLED));
        IndexHeader { key, looked_at }
            .serialize(&mut writer)
            .unwrap();
        recording.write(&mut writer).unwrap();
        writer.finish().unwrap();
        bytes
    }

    fn read_with(options: &ReadOptions, file: &Path) -> Recording {
        let input = Input::open(file, Progress::default()).unwrap();
        import_with(input, options, |format, input| {
            (format.read)(input, options)
        })
        .unwrap()
    }

    /// Files of all kinds: recordings with samples and repaired stacks, snapshots with offsets and stored hotspots, reports.
    #[test]
    fn a_recording_is_read_as_it_was_written() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = fs::read_dir(folder.join("snapshots"))
            .unwrap()
            .map(|item| item.unwrap().path());
        let files: Vec<PathBuf> = files
            .filter(|path| {
                let kind = path.extension().and_then(|kind| kind.to_str());
                !["md", "toml", "rs"].map(Some).contains(&kind)
            })
            .collect();
        assert!(!files.is_empty());
        for file in &files {
            let recording = read_with(&ReadOptions::default(), file);
            let bytes = bytes_of(&recording);
            let again = read_index(&bytes[..], &key_of(Path::new(BUNDLED)));
            let again = again.unwrap().unwrap();
            assert!(bytes_of(&again) == bytes, "{}", file.display());
            let find = |recording: &Recording| {
                recording
                    .frames
                    .iter()
                    .map(|(id, _)| recording.frames.key(id))
                    .collect::<Vec<_>>()
            };
            for (index, key) in find(&recording).iter().enumerate() {
                let id = crate::model::FrameId::at(index);
                assert_eq!(
                    again.frames.with_key(key),
                    recording.frames.with_key(key),
                    "{}",
                    again.frames.name(id)
                );
            }
        }
    }

    #[test]
    fn damage_is_never_read() {
        let bytes = bytes_of(&recording_of("main;Load;Parse 3|main;Run 5"));
        let key = key_of(Path::new(BUNDLED));
        let read = |bytes: &[u8]| read_index(bytes, &key);
        assert!(read(&bytes).unwrap().is_some());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
        }
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "end {end}");
        }
        assert!(
            read(&[&bytes[..], &[0; 8]].concat()).is_ok_and(|read| read.is_some()),
            "what follows the end is not read"
        );
    }

    /// A cache in a folder of its own, and a profile.
    struct Room {
        home: TempDir,
        file: PathBuf,
        keeper: ProfileCache,
    }

    impl Room {
        fn new(variable: &str) -> Room {
            let home = tempfile::tempdir().unwrap();
            let file = home.path().join("a.nettrace");
            fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(BUNDLED), &file).unwrap();
            let variables = [
                ("XDG_CACHE_HOME", home.path().as_os_str()),
                (VARIABLE, variable.as_ref()),
            ];
            let keeper = ProfileCache::new(&Environment::made_up(
                System::Linux,
                Path::new("/"),
                &variables,
            ));
            Room { home, file, keeper }
        }

        /// Asks for the profile, and keeps it if it was not there. Says whether it was.
        fn ask(&self, reading: &ReadOptions) -> bool {
            let decoding =
                DecoderSettings::new(Environment::made_up(System::Linux, Path::new("/"), &[]));
            let question = Question {
                file: &self.file,
                reading,
                decoding: &decoding,
            };
            match self.keeper.find(&question, &Progress::default()) {
                Ok(found) => {
                    assert!(bytes_of(&found) == bytes_of(&read_with(reading, &self.file)));
                    true
                }
                Err(unread) => {
                    let recording = read_with(reading, &self.file);
                    unread.into_iter().for_each(|unread| {
                        self.keeper
                            .keep(&question, unread, &recording, FileStates::default())
                    });
                    let desk = self.keeper.0.as_ref();
                    let writers =
                        desk.map(|desk| std::mem::take(&mut *desk.writers.lock().unwrap()));
                    writers
                        .into_iter()
                        .flatten()
                        .for_each(|writer| writer.join().unwrap());
                    false
                }
            }
        }

        fn indexes(&self) -> Vec<PathBuf> {
            let list = fs::read_dir(self.home.path().join("dotspot/indexes"));
            list.into_iter()
                .flatten()
                .map(|item| item.unwrap().path())
                .collect()
        }
    }

    #[test]
    fn an_index_is_of_one_file_read_in_one_way() {
        let room = Room::new("always");
        let plain = ReadOptions::default();
        assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
        let other = ReadOptions {
            format: crate::importers::FORMATS
                .iter()
                .find(|format| format.name == "nettrace"),
            ..ReadOptions::default()
        };
        assert_eq!([room.ask(&other), room.ask(&other)], [false, true]);
        assert_eq!(room.indexes().len(), 2);
        let time = room.file.metadata().unwrap().modified().unwrap();
        let touch = |time| {
            File::options()
                .write(true)
                .open(&room.file)
                .unwrap()
                .set_modified(time)
                .unwrap()
        };
        touch(time + Duration::from_secs(1));
        assert!(!room.ask(&plain), "touched");
        // what no program can set tells on Unix that it was touched, and on other systems its bytes could be the same
        touch(time);
        assert_eq!(room.ask(&plain), cfg!(not(unix)), "its time as it was");
        assert!(room.ask(&plain));
        let mut bytes = fs::read(&room.file).unwrap();
        bytes.pop();
        fs::write(&room.file, bytes).unwrap();
        touch(time);
        assert!(!room.ask(&plain), "another size");
    }

    #[cfg(unix)]
    #[test]
    fn a_change_in_the_middle_is_seen_whatever_the_file_says_of_its_time() {
        let room = Room::new("always");
        let plain = ReadOptions::default();
        assert!(!room.ask(&plain));
        let time = room.file.metadata().unwrap().modified().unwrap();
        let mut bytes = fs::read(&room.file).unwrap();
        let middle = bytes.len() / 2;
        assert!(middle > 70_000, "neither head nor tail");
        bytes[middle] ^= 1;
        fs::write(&room.file, bytes).unwrap();
        File::options()
            .write(true)
            .open(&room.file)
            .unwrap()
            .set_modified(time)
            .unwrap();
        assert!(!room.ask(&plain));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_index() {
        let room = Room::new("always");
        let plain = ReadOptions::default();
        assert!(!room.ask(&plain));
        let index = room.indexes().remove(0);
        fs::remove_file(&index).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&index)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(
            [room.ask(&plain), room.ask(&plain)],
            [false, true],
            "the pipe gives way"
        );
    }

    #[test]
    fn what_was_read_beside_other_files_is_not_kept() {
        let room = Room::new("always");
        let reading = ReadOptions::default();
        let decoding =
            DecoderSettings::new(Environment::made_up(System::Linux, Path::new("/"), &[]));
        let question = Question {
            file: &room.file,
            reading: &reading,
            decoding: &decoding,
        };
        let unread = room
            .keeper
            .find(&question, &Progress::default())
            .unwrap_err()
            .unwrap();
        let recording = read_with(&reading, &room.file);
        let map = room.home.path().join("perf-1.map");
        let looked_at = FileStates::of([map.clone()]);
        fs::write(map, "1 1 x").unwrap();
        room.keeper.keep(&question, unread, &recording, looked_at);
        assert!(
            room.keeper
                .0
                .as_ref()
                .unwrap()
                .writers
                .lock()
                .unwrap()
                .is_empty()
        );
        assert_eq!(room.indexes().len(), 0);
    }

    /// The times of samples are left out of what has them, so that the explorer's index serves every command.
    #[test]
    fn an_index_with_samples_serves_who_wants_none() {
        let room = Room::new("always");
        assert!(!room.ask(&ReadOptions::default()));
        assert!(room.ask(&ReadOptions::default()));
        assert_eq!(room.indexes().len(), 1);
    }

    #[test]
    fn a_damaged_index_is_read_past_and_made_again() {
        let room = Room::new("always");
        let plain = ReadOptions::default();
        assert!(!room.ask(&plain));
        let index = room.indexes().remove(0);
        let mut bytes = fs::read(&index).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&index, bytes).unwrap();
        assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
    }

    #[test]
    fn what_depends_on_files_beside_it_is_read_again_when_these_change() {
        let room = Room::new("always");
        let map = room.home.path().join("perf-1.map");
        let index = bytes_with(&recording_of("main 1"), FileStates::of([map.clone()]));
        let is_taken = || {
            let read = read_index(&index[..], &key_of(Path::new(BUNDLED)));
            read.unwrap().is_some()
        };
        assert!(is_taken());
        fs::write(map, "").unwrap();
        assert!(!is_taken());
    }

    /// One that was copied to the name of another file's index, or whose hash is another's, is not believed.
    #[test]
    fn an_index_of_another_file_is_not_taken() {
        let room = Room::new("always");
        let plain = ReadOptions::default();
        assert!(!room.ask(&plain));
        let of_first = room.indexes().remove(0);
        let bytes = fs::read(&of_first).unwrap();
        // another file in its place: the same profile with a byte less
        let mut profile = fs::read(&room.file).unwrap();
        profile.pop();
        fs::write(&room.file, profile).unwrap();
        assert!(!room.ask(&plain));
        let mut others = room.indexes();
        others.retain(|index| *index != of_first);
        fs::write(&others[0], bytes).unwrap();
        assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
    }

    #[test]
    fn small_files_and_quick_ones_are_not_kept() {
        let plain = ReadOptions::default();
        for variable in ["off", "on", ""] {
            // 2.3 MB are read in less than 0.3 s unless a machine is very busy: then they may be kept
            let room = Room::new(variable);
            let before = Instant::now();
            let found = [room.ask(&plain), room.ask(&plain)];
            let is_slow = before.elapsed() >= SLOW && variable != "off";
            assert!(
                is_slow || (found, room.indexes().len()) == ([false, false], 0),
                "{variable:?}"
            );
        }
        let room = Room::new("on");
        fs::write(&room.file, "main;Run 1\n").unwrap();
        let decoding = DecoderSettings::new(Environment::here());
        let question = Question {
            file: &room.file,
            reading: &plain,
            decoding: &decoding,
        };
        assert!(
            room.keeper
                .find(&question, &Progress::default())
                .is_err_and(|unread| unread.is_none())
        );
    }
}
