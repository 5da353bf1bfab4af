//! What an index is of: a file as it is now, and what is read of it.

use crate::decoders::DecoderSettings;
use crate::decoders::cache::{fingerprint, plain_name};
use crate::importers::{ReadOptions, profile_states, snapshot_files};
use crate::input::FileStates;
use borsh::{BorshDeserialize, BorshSerialize};
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

/// How many bytes at the head and at the tail of a file are in its key.
const ENDS_BYTES: u64 = 64 * 1024;

/// What an index is of. It is stored in the index, and the index's name is a hash of it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct IndexKey {
    /// The version and the file of this program: another build may read another tree.
    program: (String, FileStates),
    /// The path as given, which messages mention, with what the system says about the file and its sections.
    files: FileStates,
    /// A hash of the head and the tail of the file.
    ends: String,
    /// What is read of it, and how.
    reading: String,
}

impl IndexKey {
    /// The key of what these options read of a file.
    ///
    /// # Errors
    /// The file, or this program, can't be looked at.
    pub(super) fn of(
        path: &Path,
        reading: &ReadOptions,
        decoding: &DecoderSettings,
    ) -> Result<IndexKey> {
        let mut file = File::open(path)?;
        let size_bytes = file.metadata()?.len();
        let mut ends = Vec::new();
        file.by_ref().take(ENDS_BYTES).read_to_end(&mut ends)?;
        file.seek(SeekFrom::Start(size_bytes.saturating_sub(ENDS_BYTES)))?;
        file.take(ENDS_BYTES).read_to_end(&mut ends)?;
        let program = std::env::current_exe()?;
        // one that was replaced can't be told from another
        program.metadata()?;
        Ok(IndexKey {
            program: (env!("CARGO_PKG_VERSION").into(), FileStates::of([program])),
            files: profile_states(path),
            ends: fingerprint([ends.as_slice()]),
            reading: format!(
                "{:?} {:?} {:?}",
                reading.format.map(|format| format.name),
                reading.members,
                decoding.choice
            ),
        })
    }

    /// The name of the index of a file.
    ///
    /// # Errors
    /// None that is known.
    pub(super) fn name(&self, path: &Path) -> Result<String> {
        let hash = fingerprint([borsh::to_vec(self)?.as_slice()]);
        Ok(format!("{}-{hash}.index", plain_name(path)))
    }
}

/// The bytes of a profile: of a snapshot those of all its sections.
pub(super) fn size_of(path: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    let sections = snapshot_files(path);
    sections
        .iter()
        .map(|file| size(file))
        .sum::<u64>()
        .max(size(path))
}
