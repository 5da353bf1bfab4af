//! An incremental parser of version 4, for a recording in progress.

use crate::input::cursor::Cursor;

const START: &[u8] = b"Nettrace\x14\0\0\0!FastSerialization.1";
/// Starts an object since version 4, and its type.
pub(super) const BEGIN_OBJECT: u8 = 5;
pub(super) const END_OBJECT: u8 = 6;
/// Follows the last object; also the type of a type.
pub(super) const END_OF_STREAM: u8 = 1;
pub(super) const TRACE_BYTES: usize = 48;
/// Names of objects have at most 13 letters.
pub(super) const MAX_NAME_BYTES: usize = 100;
/// Runtimes write blocks of about 100 kB: a much larger size means damage.
pub(super) const MAX_BLOCK_BYTES: usize = 256 << 20;

/// Splits a recording that arrives in arbitrary pieces into blocks; only one block is in memory.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pending: Vec<u8>,
    /// The bytes before that, all in complete blocks.
    pub(crate) complete_bytes: u64,
    /// Complete, with the names of all methods.
    pub(crate) is_whole: bool,
    /// What follows `complete_bytes` is not a recording.
    pub(crate) is_damaged: bool,
}

enum NextObject<'a> {
    Block(usize, &'a [u8], &'a [u8]),
    Ended,
    Damaged,
}

impl Blocks {
    /// Passes the name and content of every block that the bytes complete to `visit`.
    pub(super) fn push(&mut self, bytes: &[u8], mut visit: impl FnMut(&[u8], &[u8])) {
        if self.is_whole || self.is_damaged {
            return;
        }
        self.pending.extend_from_slice(bytes);
        let mut at = 0;
        if self.complete_bytes == 0 {
            if self.pending.len() < START.len() && START.starts_with(&self.pending) {
                return;
            }
            self.is_damaged = !self.pending.starts_with(START);
            at = if self.is_damaged { 0 } else { START.len() };
        }
        while !self.is_whole && !self.is_damaged {
            match self.next_object(at) {
                None => break,
                Some(NextObject::Block(end, name, content)) => {
                    visit(name, content);
                    at = end;
                }
                Some(NextObject::Ended) => (at, self.is_whole) = (at + 1, true),
                Some(NextObject::Damaged) => self.is_damaged = true,
            }
        }
        self.pending.drain(..at);
        self.complete_bytes += at as u64;
        if self.is_whole || self.is_damaged {
            self.pending = Vec::new();
        }
    }

    fn next_object(&self, at: usize) -> Option<NextObject<'_>> {
        let mut cursor = Cursor::new(&self.pending[at..]);
        match cursor.u8()? {
            END_OF_STREAM => return Some(NextObject::Ended),
            BEGIN_OBJECT => {}
            _ => return Some(NextObject::Damaged),
        }
        // the start of a type, no type of its own, and two versions
        cursor.skip(2 + 4 + 4)?;
        let name_bytes = cursor.u32()? as usize;
        if name_bytes > MAX_NAME_BYTES {
            return Some(NextObject::Damaged);
        }
        let name = cursor.take(name_bytes)?;
        cursor.skip(1)?;
        let size = if name == b"Trace" {
            TRACE_BYTES
        } else {
            let size = cursor.u32()? as usize;
            let offset = self.complete_bytes + (at + cursor.position()) as u64;
            cursor.skip((offset.next_multiple_of(4) - offset) as usize)?;
            size
        };
        if size > MAX_BLOCK_BYTES {
            return Some(NextObject::Damaged);
        }
        let content = cursor.take(size)?;
        Some(match cursor.u8()? {
            END_OBJECT => NextObject::Block(at + cursor.position(), name, content),
            _ => NextObject::Damaged,
        })
    }
}

/// Writes a block for offset `at` of a file.
pub(super) fn push_block(out: &mut Vec<u8>, at: u64, name: &str, content: &[u8]) {
    const VERSION: u32 = 2;
    out.extend([BEGIN_OBJECT, BEGIN_OBJECT, END_OF_STREAM]);
    for number in [VERSION, 0, name.len() as u32] {
        out.extend(number.to_le_bytes());
    }
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
