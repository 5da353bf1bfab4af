//! What an index is of: a file as it is now, and what is read of it.

use crate::decoders::Settings;
use crate::decoders::cache::{fingerprint, plain_char};
use crate::importers::{ReadOptions, snapshot_files};
use std::fs::{self, File, Metadata};
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The layout of indexes; another one is another key.
const LAYOUT: &str = "3";
/// How many bytes at the head and at the tail of a file are in its key.
const ENDS_BYTES: u64 = 64 * 1024;
/// How many characters of a file's name are in the name of its index.
const NAME_CHARS: usize = 40;
/// How many files of a folder are looked at.
const MAX_LISTED: usize = 10_000;

/// What an index is kept under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexKey {
    /// The name of the index.
    pub name: String,
}

impl IndexKey {
    /// The key of what these options read of a file: its real path, its path as it was given (of which messages speak), its size,
    /// time, head and tail, and the program that reads it.
    ///
    /// # Errors
    /// The file, or this program, can't be looked at.
    pub(super) fn of(path: &Path, reading: &ReadOptions, decoding: &Settings) -> Result<IndexKey> {
        let mut file = File::open(path)?;
        let meta = file.metadata()?;
        let mut ends = Vec::new();
        file.by_ref().take(ENDS_BYTES).read_to_end(&mut ends)?;
        file.seek(SeekFrom::Start(meta.len().saturating_sub(ENDS_BYTES)))?;
        file.take(ENDS_BYTES).read_to_end(&mut ends)?;
        let mut parts = vec![
            LAYOUT.as_bytes().to_vec(),
            program()?,
            fs::canonicalize(path)?
                .as_os_str()
                .as_encoded_bytes()
                .to_vec(),
            path.as_os_str().as_encoded_bytes().to_vec(),
            state(&meta)?,
            ends,
            reading.format.map_or("", |format| format.name).into(),
            format!("{:?} {:?}", reading.wants_samples, decoding.choice).into(),
        ];
        parts.extend(
            reading
                .members
                .iter()
                .map(|member| member.clone().into_bytes()),
        );
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().take(NAME_CHARS).map(plain_char).collect();
        Ok(IndexKey {
            name: format!(
                "{name}-{}.index",
                fingerprint(parts.iter().map(Vec::as_slice))
            ),
        })
    }
}

/// The bytes of a profile: of a snapshot those of all its sections.
pub(super) fn size_of(path: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    snapshot_files(path)
        .iter()
        .map(|file| size(file))
        .sum::<u64>()
        .max(size(path))
}

/// What is known of all files in the folder of a file: their names, sizes and times.
///
/// # Errors
/// The folder can't be looked at, or has too many files.
pub(super) fn neighbours(path: &Path) -> Result<String> {
    let real = fs::canonicalize(path)?;
    let mut files = Vec::new();
    for item in fs::read_dir(real.parent().unwrap_or(&real))? {
        let item = item?;
        let known = fs::metadata(item.path()).ok();
        let state = known.as_ref().map(state).transpose()?.unwrap_or_default();
        files.push([item.file_name().as_encoded_bytes(), &state].concat());
        if files.len() > MAX_LISTED {
            return Err(std::io::Error::other("the folder has too many files"));
        }
    }
    files.sort_unstable();
    Ok(fingerprint(files.iter().map(Vec::as_slice)))
}

/// A file's size and time of change; on Unix also which file it is, and the time that no program can set.
fn state(meta: &Metadata) -> Result<Vec<u8>> {
    let since_1970 = meta
        .modified()?
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let size = if meta.is_file() { meta.len() } else { 0 };
    let mut state = [
        &size.to_le_bytes()[..],
        &since_1970.as_nanos().to_le_bytes(),
    ]
    .concat();
    #[cfg(unix)]
    if meta.is_file() {
        use std::os::unix::fs::MetadataExt;
        let numbers = [
            meta.dev().cast_signed(),
            meta.ino().cast_signed(),
            meta.ctime(),
            meta.ctime_nsec(),
        ];
        state.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    Ok(state)
}

/// This program: another version may read another tree, and so may another build of this one.
///
/// # Errors
/// It can't be looked at, as after it was replaced: what it keeps could be taken for another's.
fn program() -> Result<Vec<u8>> {
    let file = state(&std::env::current_exe()?.metadata()?)?;
    Ok([env!("CARGO_PKG_VERSION").as_bytes(), &file].concat())
}
