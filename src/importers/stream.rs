//! A binary file as a stream with an offset.

use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, plain};
use std::io::{BufReader, Read};

/// Read at once: a size in the file never causes a large allocation.
const CHUNK_BYTES: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Complete,
    Cut { at: u64 },
    Damaged { at: u64, problem: String },
}

impl Ending {
    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        match self {
            Ending::Complete => None,
            Ending::Cut { at } => Some(Diagnostic::file_ends_at(*at)),
            Ending::Damaged { at, problem } => Some(Diagnostic::unreadable_from(*at, problem)),
        }
    }
}

#[derive(Default)]
pub(crate) struct DamagedBlocks {
    count: u64,
    first: Option<(String, u64)>,
    last_offset: Option<u64>,
}

impl DamagedBlocks {
    /// Counts a block, once for each offset.
    pub(crate) fn note(&mut self, block: &str, offset: u64) {
        if self.last_offset.replace(offset) != Some(offset) {
            self.count += 1;
            self.first.get_or_insert_with(|| (block.into(), offset));
        }
    }

    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        let (first_block, first_offset_bytes) = self.first.clone()?;
        Some(Diagnostic::BlocksDamaged {
            blocks: self.count,
            first_block,
            first_offset_bytes,
        })
    }
}

pub(crate) fn pointers(bytes: &[u8], size: usize) -> impl Iterator<Item = u64> + Clone + '_ {
    bytes.chunks_exact(size).map(|pointer| {
        let mut wide = [0; 8];
        wide[..pointer.len()].copy_from_slice(pointer);
        u64::from_le_bytes(wide)
    })
}

/// A row as stored in tables. Memory runs out long before 32 bits do.
pub(crate) fn narrow(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

pub(crate) struct Stream {
    name: String,
    title: &'static str,
    reader: BufReader<Input>,
    pub(crate) offset: u64,
}

impl Stream {
    pub(crate) fn new(input: Input, title: &'static str) -> Stream {
        Stream {
            name: input.name.clone(),
            title,
            reader: BufReader::with_capacity(1 << 16, input),
            offset: 0,
        }
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.reader.get_ref().progress
    }

    pub(crate) fn failure(&self, problem: impl Into<String>) -> Failure {
        Failure::new(&self.name, self.title, problem)
    }

    fn unreadable(&self, error: &std::io::Error) -> Failure {
        let problem = messages::cant_read(&plain(error));
        self.failure(problem).at(self.offset)
    }

    pub(crate) fn read(&mut self, count: usize, buffer: &mut Vec<u8>) -> Result<(), ImportError> {
        buffer.clear();
        while buffer.len() < count {
            let requested = (count - buffer.len()).min(CHUNK_BYTES);
            let got = self
                .reader
                .by_ref()
                .take(requested as u64)
                .read_to_end(buffer);
            let got = got.map_err(|error| self.unreadable(&error))?;
            self.offset += got as u64;
            if got < requested {
                break;
            }
            self.progress().at(0)?;
        }
        Ok(())
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, ImportError> {
        let mut bytes = Vec::with_capacity(N);
        self.read(N, &mut bytes)?;
        Ok(bytes.first_chunk().copied())
    }

    pub(crate) fn u32(&mut self) -> Result<Option<u32>, ImportError> {
        Ok(self.array()?.map(u32::from_le_bytes))
    }
}
