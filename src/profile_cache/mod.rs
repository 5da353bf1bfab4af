//! Indexes: large profiles as they were read, stored in the user's cache folder, so that opening them again is fast.
//!
//! An index is a [`Recording`], with columns as in memory, in checksummed blocks. It is used only for the file it was
//! made for, read in the same way by the same program. In any other case, including damage, the file is read again.
//! What users add to a profile, such as notes and rules about user code, is not part of it.

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
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Results that took at least this long to read are kept.
const SLOW: Duration = Duration::from_millis(100);
/// Results of larger files are kept even if they are quick to read: shell completion reads no such file without an
/// index.
pub(crate) const LARGE_BYTES: u64 = 16 << 20;
/// Smaller files are read faster than an index is looked up.
const SMALL_BYTES: u64 = 1 << 20;
/// How long writing an index may take, even if its file was read faster.
const MIN_WRITING: Duration = Duration::from_millis(300);
/// The environment variable that says what to keep.
const VARIABLE: &str = "DOTSPOT_CACHE";

/// Which files get indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Those that are large or slow to read.
    Slow,
    /// All files.
    Always,
}

/// Whether the user has turned the cache off: `DOTSPOT_CACHE=off`.
pub(crate) fn is_off(environment: &Environment) -> bool {
    environment
        .variable(VARIABLE)
        .is_some_and(|value| value == "off")
}

/// Keeps what was read, and finds it again. Writes on threads of its own, and joins them when the last clone is
/// dropped.
#[derive(Clone, Debug, Default)]
pub struct ProfileCache(Option<Arc<IndexWriter>>);

#[derive(Debug)]
struct IndexWriter {
    environment: Environment,
    policy: Policy,
    named: fn(Recording) -> Named,
    writers: Mutex<Vec<JoinHandle<()>>>,
    writing: Progress,
}

impl Drop for IndexWriter {
    fn drop(&mut self) {
        // a panicked writer has kept nothing, which does no harm
        self.writers
            .get_mut()
            .drain(..)
            .for_each(|writer| drop(writer.join()));
    }
}

/// A file, and what to read of it.
pub(crate) struct Question<'a> {
    /// The file.
    pub file: &'a Path,
    /// What is read of it.
    pub reading: &'a ReadOptions,
    /// How to decode it if it is a dotTrace snapshot.
    pub decoding: &'a DecoderSettings,
}

/// Precedes the recording in an index.
#[derive(BorshSerialize, BorshDeserialize)]
struct IndexHeader {
    /// What the index is for: an index under another name is for another file.
    key: IndexKey,
    /// The neighboring files that were looked at while reading the profile.
    looked_at: FileStates,
    /// What completion needs, so that it can stop here.
    named: Named,
}

/// What in a recording can be named on a command line.
#[derive(Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct Named {
    pub metrics: Vec<String>,
    /// The names and ids of threads.
    pub threads: Vec<String>,
    pub processes: Vec<String>,
    /// The list name and full name of each method, in the order they are offered.
    pub methods: Vec<(String, String)>,
}

/// A file being read, whose index may be kept.
pub(crate) struct Unread {
    key: IndexKey,
    name: String,
    began: Instant,
}

impl ProfileCache {
    /// Follows the environment variable `DOTSPOT_CACHE`: `off` keeps nothing, `always` even keeps what was quick to
    /// read. `named` extracts what can be named in a recording.
    pub(crate) fn new(environment: &Environment, named: fn(Recording) -> Named) -> ProfileCache {
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
        ProfileCache(Some(Arc::new(IndexWriter {
            environment: environment.clone(),
            policy,
            named,
            writers: Mutex::default(),
            writing: Progress::default(),
        })))
    }

    /// What can be named in a file, if it has an index. Reads only the start of the index.
    pub(crate) fn named(&self, question: &Question) -> Option<Named> {
        let (cache, key, name) = self.index_of(question, &Progress::default())?;
        read_named(cache.index(&name)?, &key)
    }

    /// The location of a file's index, whether it exists or not.
    fn index_of(
        &self,
        question: &Question,
        progress: &Progress,
    ) -> Option<(Cache, IndexKey, String)> {
        let desk = self.0.as_ref()?;
        let key = IndexKey::of(question.file, question.reading, question.decoding).ok()?;
        let name = key.name(question.file).ok()?;
        let cache = Cache::open(&desk.environment, progress).ok()?;
        Some((cache, key, name))
    }

    /// The kept result for a file or, if there is none, what to pass to [`ProfileCache::keep`] after reading it.
    /// Neither if nothing is kept.
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
        let (cache, key, name) = self.index_of(question, progress).ok_or(None)?;
        if let Some(recording) = taken(&cache, &name, &key, progress) {
            return Ok(recording);
        }
        Err(Some(Unread {
            key,
            name,
            began: Instant::now(),
        }))
    }

    /// Keeps what was read of a file, on a separate thread, if the file is large or was slow to read. `looked_at` are
    /// the neighboring files that the result depends on.
    pub(crate) fn keep(
        &self,
        question: &Question,
        unread: Unread,
        recording: &Recording,
        looked_at: FileStates,
    ) {
        let Some(desk) = &self.0 else { return };
        let took = unread.began.elapsed();
        let is_snapshot = recording.source.format == Source::DTP;
        let is_worth_it =
            desk.policy == Policy::Always || took >= SLOW || size_of(question.file) > LARGE_BYTES;
        // other decoders keep their own trees
        let is_ours = !is_snapshot || recording.source.decoder == Source::NATIVE;
        // if the file has changed meanwhile, it is not the one that was read
        let is_same = || {
            IndexKey::of(question.file, question.reading, question.decoding)
                .is_ok_and(|key| key == unread.key)
        };
        if !is_worth_it || !is_ours || !is_same() || !looked_at.are_current() {
            return;
        }
        let (recording, environment) = (recording.clone(), desk.environment.clone());
        let (writing, named) = (desk.writing.clone(), desk.named);
        // the user waits for the writer at the end, but no longer than for the reader
        let until = Instant::now() + took.max(MIN_WRITING);
        let writer = std::thread::spawn(move || {
            let header = IndexHeader {
                key: unread.key,
                looked_at,
                named: named(recording.clone()),
            };
            // if it can't be written, it is missing next time, and `dotspot cache` says why
            let _ = write_index(&environment, &unread.name, &header, &recording, || {
                writing.check_cancelled().is_ok() && Instant::now() < until
            });
        });
        desk.writers.lock().push(writer);
    }

    /// Abandons what is being written.
    pub(crate) fn give_up(&self) {
        if let Some(desk) = &self.0 {
            desk.writing.cancel();
        }
    }
}

/// Loads an index. A damaged one is removed; one for something else will be replaced later.
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
            if progress.check_cancelled().is_ok() {
                cache.forget_index(name);
            }
            None
        }
    }
}

/// Reads what can be named from an index. It is near the start, so little is read of a large index.
fn read_named(from: impl Read, key: &IndexKey) -> Option<Named> {
    let header = IndexHeader::deserialize_reader(&mut BlockReader::new(from)).ok()?;
    (header.key == *key && header.looked_at.are_current()).then_some(header.named)
}

/// The recording in an index; `None` if the key differs, or a neighboring file has changed.
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
    has_more: impl Fn() -> bool,
) -> Result<(), ImportError> {
    let cache = Cache::open(environment, &Progress::default())?;
    if cache.is_lasting() {
        let written = cache.keep_index(name, MAX_KEPT_BYTES, |file| {
            let mut writer = BlockWriter::new(Stoppable {
                out: file,
                has_more,
            });
            header.serialize(&mut writer)?;
            recording.write(&mut writer)?;
            writer.finish()
        });
        drop(written);
    }
    Ok(())
}

/// A reader that fails when cancelled.
struct Watched {
    of: File,
    progress: Progress,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.progress.check_cancelled().map_err(io::Error::other)?;
        self.of.read(into)
    }
}

/// A writer that fails once `has_more` returns `false`.
struct Stoppable<W, F> {
    out: W,
    has_more: F,
}

impl<W: Write, F: Fn() -> bool> Write for Stoppable<W, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.has_more)() {
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
mod tests;
