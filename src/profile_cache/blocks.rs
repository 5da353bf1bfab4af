//! Blocks of bytes with checksums, so that damage is always detected: length and CRC-32, 32 bits each, little endian,
//! then the bytes. An empty block ends the file.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// Fits into the L2 cache.
const BLOCK_BYTES: usize = 1 << 17;
const HEAD_BYTES: usize = 8;

/// Asked before each block.
pub(super) type MayContinue<'a> = &'a dyn Fn() -> bool;

pub(super) struct BlockWriter<'a, W> {
    out: W,
    may_continue: MayContinue<'a>,
    /// Space for the header, then the bytes of the block so far.
    block: Vec<u8>,
}

impl<'a, W: Write> BlockWriter<'a, W> {
    pub(super) fn new(out: W, may_continue: MayContinue<'a>) -> BlockWriter<'a, W> {
        let mut block = Vec::with_capacity(HEAD_BYTES + BLOCK_BYTES);
        block.resize(HEAD_BYTES, 0);
        BlockWriter {
            out,
            may_continue,
            block,
        }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if self.block.len() > HEAD_BYTES {
            self.write_block()?;
        }
        self.write_block()
    }

    fn write_block(&mut self) -> Result<()> {
        check(self.may_continue)?;
        let (head, bytes) = self.block.split_at_mut(HEAD_BYTES);
        head[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
        self.out.write_all(&self.block)?;
        self.block.truncate(HEAD_BYTES);
        Ok(())
    }
}

impl<W: Write> Write for BlockWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let room = HEAD_BYTES + BLOCK_BYTES - self.block.len();
        let part = &bytes[..bytes.len().min(room)];
        self.block.extend_from_slice(part);
        if part.len() == room {
            self.write_block()?;
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Reads what a [`BlockWriter`] wrote. Changed bytes are an error, and nothing of their block is returned.
pub(super) struct BlockReader<'a, R> {
    from: R,
    may_continue: MayContinue<'a>,
    block: Vec<u8>,
    given: usize,
    has_ended: bool,
}

impl<'a, R: Read> BlockReader<'a, R> {
    pub(super) fn new(from: R, may_continue: MayContinue<'a>) -> BlockReader<'a, R> {
        BlockReader {
            from,
            may_continue,
            block: Vec::new(),
            given: 0,
            has_ended: false,
        }
    }

    /// Checks that everything was read, and that the end mark is there.
    pub(super) fn finish(mut self) -> Result<()> {
        let mut after = [0];
        if self.read(&mut after)? == 0 {
            Ok(())
        } else {
            Err(damaged("there is more than was written"))
        }
    }

    fn read_block(&mut self) -> Result<()> {
        check(self.may_continue)?;
        let mut head = [0; HEAD_BYTES];
        self.from.read_exact(&mut head)?;
        let [a, b, c, d, sum @ ..] = head;
        let len = u32::from_le_bytes([a, b, c, d]) as usize;
        if len > BLOCK_BYTES {
            return Err(damaged("a block is too long"));
        }
        self.block.resize(len, 0);
        self.given = 0;
        self.from.read_exact(&mut self.block)?;
        if crc32fast::hash(&self.block) != u32::from_le_bytes(sum) {
            return Err(damaged("a block has another checksum"));
        }
        self.has_ended = len == 0;
        Ok(())
    }
}

impl<R: Read> Read for BlockReader<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if self.given == self.block.len() && !self.has_ended {
            self.read_block()?;
        }
        let count = into.len().min(self.block.len() - self.given);
        into[..count].copy_from_slice(&self.block[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

fn check(may_continue: MayContinue) -> Result<()> {
    match may_continue() {
        true => Ok(()),
        false => Err(Error::other("abandoned")),
    }
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests;
