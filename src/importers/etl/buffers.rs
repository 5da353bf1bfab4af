//! The file as buffers, each with the events of one processor.
//!
//! Layout: `WMI_BUFFER_HEADER` in Geoff Chappell's notes and snail-server.

use super::xpress;
use crate::importers::messages;
use crate::importers::stream::{Ending, Stream};
use crate::input::ImportError;
use crate::input::cursor::Cursor;
use crate::units::size;

const HEADER_BYTES: usize = 72;
const MAX_BYTES: u32 = 16 << 20;
/// What any file may unpack to, plus [`MAX_RATIO`] times its size. Real traces grow 5 to 10 times.
const FREE_BYTES: u64 = 16 << 20;
const MAX_RATIO: u64 = 40;
const COMPRESSED: u16 = 0x40;
const FIRST_KIND: u16 = 4;
const XPRESS: u16 = 3;

struct BufferHeader {
    bytes: u32,
    /// Where its events end once unpacked, from the start of the header.
    used_bytes: u32,
    processor: u16,
    flags: u16,
    kind: u16,
    /// In the first buffer, that of the others.
    compression: u16,
}

impl BufferHeader {
    fn parse(bytes: &[u8]) -> Option<BufferHeader> {
        let mut cursor = Cursor::new(bytes);
        let (size, used_bytes) = (cursor.u32()?, cursor.u32()?);
        cursor.skip(32)?;
        let processor = cursor.u16()?;
        cursor.skip(2)?;
        let compression = cursor.u16()?;
        cursor.skip(6)?;
        Some(BufferHeader {
            bytes: size,
            used_bytes,
            processor,
            flags: cursor.u16()?,
            kind: cursor.u16()?,
            compression,
        })
    }
}

/// A trace starts with a buffer of type 4 whose first event has a system header of type 1 or 2.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    bytes.get(54..56) == Some(&[4, 0]) && matches!(bytes.get(74..76), Some([1 | 2, 0xC0]))
}

pub(super) struct Buffer<'a> {
    pub offset: u64,
    pub processor: u16,
    pub is_whole: bool,
    pub events: &'a [u8],
}

pub(super) struct Buffers {
    pub(super) stream: Stream,
    compression: Option<u16>,
    packed: Vec<u8>,
    unpacked: Vec<u8>,
    pub(super) unpacked_bytes: u64,
    pub(super) ending: Option<Ending>,
}

impl Buffers {
    pub(super) fn new(stream: Stream) -> Buffers {
        Buffers {
            stream,
            compression: None,
            packed: Vec::new(),
            unpacked: Vec::new(),
            unpacked_bytes: 0,
            ending: None,
        }
    }

    /// `None` at the end. Fails if the compression is unknown, or unpacks to too much.
    pub(super) fn next(&mut self) -> Result<Option<Buffer<'_>>, ImportError> {
        if self.ending.is_some() {
            return Ok(None);
        }
        let offset = self.stream.offset;
        self.stream.read(HEADER_BYTES, &mut self.packed)?;
        let Some(header) = BufferHeader::parse(&self.packed) else {
            let at = self.stream.offset;
            self.ending = Some(match self.packed.is_empty() {
                true => Ending::Complete,
                false => Ending::Cut { at },
            });
            return Ok(None);
        };
        if let Some(problem) = self.contradiction(&header) {
            let at = offset;
            self.ending = Some(Ending::Damaged { at, problem });
            return Ok(None);
        }
        let compression = *self.compression.get_or_insert(header.compression);
        let content_bytes = header.bytes as usize - HEADER_BYTES;
        self.stream.read(content_bytes, &mut self.packed)?;
        let (at, is_cut) = (self.stream.offset, self.packed.len() < content_bytes);
        self.ending = is_cut.then_some(Ending::Cut { at });
        let used = (header.used_bytes as usize).saturating_sub(HEADER_BYTES);
        let (events, is_unpacked) = if header.flags & COMPRESSED == 0 {
            (&self.packed[..used.min(self.packed.len())], true)
        } else {
            self.check_compression(compression, offset)?;
            let is_unpacked = xpress::unpack(&self.packed, used, &mut self.unpacked);
            (&self.unpacked[..], is_unpacked)
        };
        self.unpacked_bytes += events.len() as u64;
        let max_bytes = FREE_BYTES + MAX_RATIO * self.stream.offset;
        if self.unpacked_bytes > max_bytes {
            let problem = messages::too_many_event_bytes(&size(max_bytes));
            let failure = self.stream.failure(problem).at(offset);
            return Err(failure.advice(messages::COMPRESSED_TOO_WELL).into());
        }
        Ok(Some(Buffer {
            offset,
            processor: header.processor,
            is_whole: is_unpacked && !is_cut,
            events,
        }))
    }

    fn contradiction(&self, header: &BufferHeader) -> Option<String> {
        let (bytes, used_bytes, kind) = (header.bytes, header.used_bytes, header.kind);
        if !(HEADER_BYTES as u32..=MAX_BYTES).contains(&bytes) {
            let problem = messages::buffer_size_out_of_range(&HEADER_BYTES, &MAX_BYTES, &bytes);
            return Some(problem);
        }
        if used_bytes > MAX_BYTES {
            return Some(messages::buffer_overfull(&MAX_BYTES, &used_bytes));
        }
        let is_first = self.compression.is_none();
        (is_first && kind != FIRST_KIND).then(|| messages::other_first_buffer(&FIRST_KIND, &kind))
    }

    fn check_compression(&self, code: u16, offset: u64) -> Result<(), ImportError> {
        if code == XPRESS {
            return Ok(());
        }
        let problem = messages::other_compression(&XPRESS, &code);
        let failure = self.stream.failure(problem).at(offset);
        Err(failure.advice(messages::SAVE_CPU_STACKS).into())
    }
}
