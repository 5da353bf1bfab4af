use crate::decoders::cache::{fingerprint, plain_name};
use crate::decoders::{DecoderSettings, identity};
use crate::importers::{ReadOptions, profile_states, snapshot_files};
use crate::input::FileStates;
use borsh::{BorshDeserialize, BorshSerialize};
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};
use std::path::Path;

const ENDS_BYTES: u64 = 64 * 1024;

/// What an index is for: a file in its current state, and how it is read. Stored in the index, whose name is a hash of
/// it.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct IndexKey {
    /// The version and the file of this program: another build may read another tree.
    program: (String, FileStates),
    /// The path as given, which messages mention, with the state of the file and of its sections.
    files: FileStates,
    ends: String,
    /// What is read of the file, and how.
    reading: String,
}

impl IndexKey {
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
        // without metadata, a replaced program can't be detected
        program.metadata()?;
        Ok(IndexKey {
            program: (env!("CARGO_PKG_VERSION").into(), FileStates::of([program])),
            files: profile_states(path),
            ends: fingerprint([ends.as_slice()]),
            reading: format!(
                "{:?} {:?} {}",
                reading.format.map(|format| format.name),
                reading.members,
                identity(decoding)
            ),
        })
    }

    pub(super) fn name(&self, path: &Path) -> Result<String> {
        let hash = fingerprint([borsh::to_vec(self)?.as_slice()]);
        Ok(format!("{}-{hash}.index", plain_name(path)))
    }
}

/// Of a snapshot, all its sections.
pub(super) fn size_of(path: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    let sections: u64 = snapshot_files(path).iter().map(|file| size(file)).sum();
    sections.max(size(path))
}
