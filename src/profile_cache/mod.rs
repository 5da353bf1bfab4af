//! Indexes: large profiles as they were read, in the user's cache folder. An index is a [`Recording`] in checksummed
//! blocks, used only for the file it was made for, read in the same way by the same program.

mod blocks;
mod key;

use crate::decoders::cache::{Cache, INDEXES, MAX_INDEX_BYTES, folder};
use crate::decoders::{DecoderSettings, Environment};
use crate::importers::{ReadOptions, is_named_like_snapshot};
use crate::input::{FileStates, Progress};
use crate::model::{Recording, Source};
use blocks::{BlockReader, BlockWriter, MayContinue};
use borsh::{BorshDeserialize, BorshSerialize};
use key::{IndexKey, size_of};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SLOW: Duration = Duration::from_millis(100);
/// Larger files are always indexed: shell completion reads them only through an index.
pub(crate) const LARGE_BYTES: u64 = 16 << 20;
/// Reading a smaller file is faster than looking up its index.
const SMALL_BYTES: u64 = 1 << 20;
/// Allowed for writing an index, even if its file was read faster.
const MIN_WRITE_TIME: Duration = Duration::from_millis(300);
const VARIABLE: &str = "DOTSPOT_CACHE";

pub(crate) fn index_path(lookup: &CacheLookup) -> Option<PathBuf> {
    let key = IndexKey::of(lookup.file, lookup.reading, lookup.decoding).ok()?;
    let folder = folder(&lookup.decoding.environment).ok()?;
    let path = folder.join(INDEXES).join(key.name(lookup.file).ok()?);
    path.is_file().then_some(path)
}

/// Writes on threads of its own, and joins them when the last clone is dropped.
#[derive(Clone, Debug, Default)]
pub struct ProfileCache(Option<Arc<IndexWriter>>);

#[derive(Debug)]
struct IndexWriter {
    environment: Environment,
    /// Whether to index files that are small or quick to read, too.
    keeps_all: bool,
    find_names: FindNames,
    min_write_time: Duration,
    writers: Mutex<Vec<JoinHandle<()>>>,
    writing: Progress,
}

impl Drop for IndexWriter {
    fn drop(&mut self) {
        for writer in self.writers.get_mut().drain(..) {
            let _ = writer.join();
        }
    }
}

pub(crate) struct CacheLookup<'a> {
    pub file: &'a Path,
    pub reading: &'a ReadOptions,
    pub decoding: &'a DecoderSettings,
}

#[derive(BorshSerialize, BorshDeserialize)]
struct IndexHeader {
    key: IndexKey,
    /// Consulted while reading the profile.
    neighbors: FileStates,
}

/// The names in a recording that a command line can use.
#[derive(Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(crate) struct CompletionNames {
    pub metrics: Vec<String>,
    pub threads: Vec<String>,
    pub processes: Vec<String>,
    /// The hottest methods in the order in which they are offered, each with its list name and its full name.
    pub methods: Vec<(String, String)>,
}

/// Gives up when the function returns `false`.
pub(crate) type FindNames = fn(&Arc<Recording>, &dyn Fn() -> bool) -> Option<CompletionNames>;

pub(crate) struct PendingIndex {
    key: IndexKey,
    name: String,
    began: Instant,
}

impl ProfileCache {
    /// Follows the environment variable `DOTSPOT_CACHE`: `off` writes nothing, `always` even indexes what was quick to
    /// read, however long writing takes.
    pub(crate) fn new(environment: &Environment, find_names: FindNames) -> ProfileCache {
        let policy = environment.variable(VARIABLE);
        if policy.is_some_and(|policy| policy == "off") {
            return ProfileCache::default();
        }
        let keeps_all = policy.is_some_and(|policy| policy == "always");
        ProfileCache(Some(Arc::new(IndexWriter {
            environment: environment.clone(),
            keeps_all,
            find_names,
            min_write_time: if keeps_all {
                Duration::MAX
            } else {
                MIN_WRITE_TIME
            },
            writers: Mutex::default(),
            writing: Progress::default(),
        })))
    }

    /// Reads only the start of the index.
    pub(crate) fn named(&self, lookup: &CacheLookup) -> Option<CompletionNames> {
        let (cache, key, name) = self.index_of(lookup)?;
        read_names(cache.index(&name)?, &key)
    }

    /// Where a file's index is, whether it exists or not.
    fn index_of(&self, lookup: &CacheLookup) -> Option<(Cache, IndexKey, String)> {
        let index_writer = self.0.as_ref()?;
        let key = IndexKey::of(lookup.file, lookup.reading, lookup.decoding).ok()?;
        let name = key.name(lookup.file).ok()?;
        let cache = Cache::open(&index_writer.environment).ok()?;
        Some((cache, key, name))
    }

    /// The indexed result or what to pass to [`ProfileCache::keep`] after reading; neither if nothing is indexed.
    #[allow(clippy::result_large_err, reason = "one per file")]
    pub(crate) fn find(
        &self,
        lookup: &CacheLookup,
        progress: &Progress,
    ) -> Result<Recording, Option<PendingIndex>> {
        let index_writer = self.0.as_ref().ok_or(None)?;
        // decoders other than the native one are slow even for small snapshots
        if !index_writer.keeps_all
            && size_of(lookup.file) < SMALL_BYTES
            && !is_named_like_snapshot(lookup.file)
        {
            return Err(None);
        }
        let (cache, key, name) = self.index_of(lookup).ok_or(None)?;
        if let Some(recording) = load_index(&cache, &name, &key, progress) {
            return Ok(recording);
        }
        Err(Some(PendingIndex {
            key,
            name,
            began: Instant::now(),
        }))
    }

    /// Indexes a large or slow file, on a separate thread.
    pub(crate) fn keep(
        &self,
        lookup: &CacheLookup,
        pending: PendingIndex,
        recording: &Recording,
        neighbors: FileStates,
    ) {
        let Some(index_writer) = &self.0 else { return };
        let took = pending.began.elapsed();
        let is_decoded =
            recording.source.format == Source::DTP && recording.source.decoder != Source::NATIVE;
        let is_worth_it = index_writer.keeps_all
            || took >= SLOW
            || is_decoded
            || size_of(lookup.file) > LARGE_BYTES;
        // if the file has changed in the meantime, it is not the one that was read
        let is_same = || {
            IndexKey::of(lookup.file, lookup.reading, lookup.decoding)
                .is_ok_and(|key| key == pending.key)
        };
        if !is_worth_it || !is_same() || !neighbors.are_current() {
            return;
        }
        let (recording, environment) = (
            Arc::new(recording.clone()),
            index_writer.environment.clone(),
        );
        let (writing, find_names) = (index_writer.writing.clone(), index_writer.find_names);
        let max_time = took.max(index_writer.min_write_time);
        let key = pending.key;
        let header = IndexHeader { key, neighbors };
        let writer = std::thread::spawn(move || {
            // the user waits for the writer at exit, but each step may take no longer than reading did
            let within =
                |begin: Instant| writing.check_cancelled().is_ok() && begin.elapsed() < max_time;
            let begin = Instant::now();
            let names = find_names(&recording, &|| within(begin));
            let begin = Instant::now();
            // a failed write only costs time on the next run, and `dotspot cache` says why
            let Ok(cache) = Cache::open(&environment) else {
                return;
            };
            if cache.is_lasting() {
                let write = |file: &mut File| {
                    write_to(file, &|| within(begin), &header, names.as_ref(), &recording)
                };
                let _ = cache.keep_index(&pending.name, MAX_INDEX_BYTES, write);
            }
        });
        index_writer.writers.lock().push(writer);
    }

    pub(crate) fn abandon(&self) {
        if let Some(index_writer) = &self.0 {
            index_writer.writing.cancel();
        }
    }
}

/// Removes a damaged index; one for something else will be replaced later.
fn load_index(cache: &Cache, name: &str, key: &IndexKey, progress: &Progress) -> Option<Recording> {
    let index = cache.index(name)?;
    let size_bytes = index.metadata().ok()?.len();
    let may_continue = || progress.check_cancelled().is_ok();
    match read_index(index, &may_continue, key) {
        Ok(recording) => {
            progress.add_total_bytes(size_bytes);
            return recording;
        }
        Err(_) if may_continue() => cache.remove_index(name),
        Err(_) => {}
    }
    None
}

/// `None` if collecting them took too long. They are near the start of the index.
fn read_names(from: impl Read, key: &IndexKey) -> Option<CompletionNames> {
    let mut reader = BlockReader::new(from, &|| true);
    if !is_current(&mut reader, key).ok()? {
        return None;
    }
    let names = Vec::<u8>::deserialize_reader(&mut reader).ok()?;
    Option::try_from_slice(&names).ok()?
}

fn skip_names(mut from: impl Read) -> io::Result<()> {
    let len = u32::deserialize_reader(&mut from)?.into();
    match io::copy(&mut from.take(len), &mut io::sink())? {
        skipped if skipped == len => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads the header. `false` if the key differs, or a neighboring file has changed.
fn is_current(reader: &mut impl Read, key: &IndexKey) -> io::Result<bool> {
    let header = IndexHeader::deserialize_reader(reader)?;
    Ok(header.key == *key && header.neighbors.are_current())
}

/// `None` if it is not current.
fn read_index(
    from: impl Read,
    may_continue: MayContinue,
    key: &IndexKey,
) -> io::Result<Option<Recording>> {
    let mut reader = BlockReader::new(from, may_continue);
    if !is_current(&mut reader, key)? {
        return Ok(None);
    }
    skip_names(&mut reader)?;
    let recording = Recording::read(&mut reader)?;
    reader.finish().map(|()| Some(recording))
}

fn write_to(
    out: impl Write,
    may_continue: MayContinue,
    header: &IndexHeader,
    names: Option<&CompletionNames>,
    recording: &Recording,
) -> io::Result<()> {
    let mut writer = BlockWriter::new(out, may_continue);
    header.serialize(&mut writer)?;
    borsh::to_vec(&names)?.serialize(&mut writer)?;
    recording.write(&mut writer)?;
    writer.finish()
}

#[cfg(test)]
mod tests;
