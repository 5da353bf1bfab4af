//! Deflate, the compression of gzip and zip, with its checksum.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead};

/// How much is unpacked in one go: where data is damaged, the decompressor keeps back what it made of the piece so far.
const PIECE_BYTES: usize = 1024;

/// Why compressed data can't be read on.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It ends too early.
    Cut,
    /// It can't have been written so.
    Damaged,
    /// What it is read from failed.
    Io(io::Error),
}

/// The reader of one deflate stream.
pub(super) struct Inflate {
    state: Decompress,
    crc: Crc,
    is_done: bool,
}

impl Inflate {
    /// At the start of a stream.
    pub(super) fn new() -> Inflate {
        Inflate {
            state: Decompress::new(false),
            crc: Crc::new(),
            is_done: false,
        }
    }

    /// Reads on from `source`, which is left behind the stream's end. 0 is the end.
    ///
    /// # Errors
    /// What was read before is good as far as a checksum can tell.
    pub(super) fn read(
        &mut self,
        source: &mut impl BufRead,
        out: &mut [u8],
    ) -> Result<usize, Trouble> {
        while !self.is_done && !out.is_empty() {
            let packed = match source.fill_buf() {
                Ok(packed) => &packed[..packed.len().min(PIECE_BYTES)],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Trouble::Io(error)),
            };
            let is_end = packed.is_empty();
            let (in_before, out_before) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(packed, out, FlushDecompress::None);
            // both are no more than the lengths of the slices
            let (taken, given) = (
                (self.state.total_in() - in_before) as usize,
                (self.state.total_out() - out_before) as usize,
            );
            source.consume(taken);
            self.is_done = matches!(status, Ok(Status::StreamEnd));
            if given > 0 {
                // should there be an error too, the next call meets it again
                self.crc.update(&out[..given]);
                return Ok(given);
            }
            if status.is_err() || (!self.is_done && !is_end && taken == 0) {
                return Err(Trouble::Damaged);
            }
            if is_end && !self.is_done {
                return Err(Trouble::Cut);
            }
        }
        Ok(0)
    }

    /// The checksum of what came out so far.
    pub(super) fn sum(&self) -> u32 {
        self.crc.sum()
    }

    /// How many bytes came out so far.
    pub(super) fn unpacked(&self) -> u64 {
        self.state.total_out()
    }

    /// How many bytes went in so far.
    pub(super) fn packed(&self) -> u64 {
        self.state.total_in()
    }
}
