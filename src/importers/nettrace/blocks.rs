//! An incremental parser for the framing of version 4, for a recording in progress.

use crate::input::cursor::Cursor;

/// The start of every recording of this version.
const START: &[u8] = b"Nettrace\x14\0\0\0!FastSerialization.1";
const BEGIN_OBJECT: u8 = 5;
const END_OBJECT: u8 = 6;
pub(super) const END_OF_STREAM: u8 = 1;
const TRACE_BYTES: usize = 48;
const MAX_NAME_BYTES: usize = 100;
/// As in the readers of files: far more than runtimes write, but not enough to exhaust memory.
const MAX_BLOCK_BYTES: usize = 256 << 20;

/// Splits a recording that arrives in arbitrary pieces into blocks. Only one block is held in memory.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// What has arrived of an incomplete block.
    pending: Vec<u8>,
    /// The number of bytes before that; all of them belong to complete blocks.
    offset: u64,
    /// Whether [`START`] has been received.
    has_begun: bool,
    end: Option<BlockEnd>,
}

/// Why no more blocks follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockEnd {
    /// The recording is complete.
    Whole,
    /// The rest is damaged.
    Damaged,
}

/// What the pending bytes start with.
enum NextObject {
    /// This many bytes without a block.
    Nothing(usize),
    /// A block of this total size, with its name and content.
    Block(usize, std::ops::Range<usize>, std::ops::Range<usize>),
    Ended,
}

impl Blocks {
    /// Accepts more bytes, and passes the name and content of every block that they complete to `take`.
    pub(super) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8], &[u8])) {
        if self.end.is_some() {
            return;
        }
        self.pending.extend_from_slice(bytes);
        let mut at = 0;
        while self.end.is_none() {
            match self.found(at) {
                Ok(None) => break,
                Ok(Some(NextObject::Nothing(count))) => at += count,
                Ok(Some(NextObject::Block(count, name, content))) => {
                    take(&self.pending[name], &self.pending[content]);
                    at += count;
                }
                Ok(Some(NextObject::Ended)) => {
                    at += 1;
                    self.end = Some(BlockEnd::Whole);
                }
                Err(()) => self.end = Some(BlockEnd::Damaged),
            }
        }
        self.pending.drain(..at);
        self.offset += at as u64;
        if self.end.is_some() {
            self.pending = Vec::new();
        }
    }

    /// Whether the recording is complete.
    pub(super) fn is_whole(&self) -> bool {
        self.end == Some(BlockEnd::Whole)
    }

    /// Whether the data is damaged from [`Blocks::whole_bytes`] on.
    pub(super) fn is_damaged(&self) -> bool {
        self.end == Some(BlockEnd::Damaged)
    }

    /// The number of bytes before the first incomplete block.
    pub(super) fn whole_bytes(&self) -> u64 {
        self.offset
    }

    /// What is at `at`; `None` if it is incomplete, an error if it is not a recording.
    fn found(&mut self, at: usize) -> Result<Option<NextObject>, ()> {
        let bytes = &self.pending[at..];
        if !self.has_begun {
            self.has_begun = bytes.len() >= START.len();
            let is_whole = self.has_begun.then_some(NextObject::Nothing(START.len()));
            let is_start =
                bytes.starts_with(START) || (!self.has_begun && START.starts_with(bytes));
            return if is_start { Ok(is_whole) } else { Err(()) };
        }
        let mut cursor = Cursor::new(bytes);
        match cursor.u8() {
            None => return Ok(None),
            Some(END_OF_STREAM) => return Ok(Some(NextObject::Ended)),
            Some(BEGIN_OBJECT) => {}
            Some(_) => return Err(()),
        }
        // the start of a type, no type of its own, and two versions
        let Some(name_bytes) = cursor.skip(2 + 4 + 4).and_then(|()| cursor.u32()) else {
            return Ok(None);
        };
        let name_bytes = name_bytes as usize;
        if name_bytes > MAX_NAME_BYTES {
            return Err(());
        }
        let name = cursor.position()..cursor.position() + name_bytes;
        if cursor.skip(name_bytes + 1).is_none() {
            return Ok(None);
        }
        let size = match &bytes[name.clone()] {
            b"Trace" => TRACE_BYTES,
            _ => {
                let Some(size) = cursor.u32() else {
                    return Ok(None);
                };
                let offset = self.offset + (at + cursor.position()) as u64;
                let padding = (offset.next_multiple_of(4) - offset) as usize;
                if cursor.skip(padding).is_none() {
                    return Ok(None);
                }
                size as usize
            }
        };
        if size > MAX_BLOCK_BYTES {
            return Err(());
        }
        let content = cursor.position()..cursor.position() + size;
        let Some(tag) = bytes.get(content.end) else {
            return Ok(None);
        };
        if *tag != END_OBJECT {
            return Err(());
        }
        let moved = |range: std::ops::Range<usize>| range.start + at..range.end + at;
        Ok(Some(NextObject::Block(
            content.end + 1,
            moved(name),
            moved(content),
        )))
    }
}

/// Writes a block for offset `at` of a file.
pub(super) fn push_block(out: &mut Vec<u8>, at: u64, name: &str, content: &[u8]) {
    const VERSION: u32 = 2;
    out.extend([BEGIN_OBJECT, BEGIN_OBJECT, END_OF_STREAM]);
    out.extend(VERSION.to_le_bytes());
    out.extend(0u32.to_le_bytes());
    out.extend((name.len() as u32).to_le_bytes());
    out.extend(name.as_bytes());
    out.push(END_OBJECT);
    out.extend((content.len() as u32).to_le_bytes());
    while !(at + out.len() as u64).is_multiple_of(4) {
        out.push(0);
    }
    out.extend(content);
    out.push(END_OBJECT);
}

#[cfg(test)]
mod tests;
