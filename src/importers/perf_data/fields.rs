//! Numbers and texts of records in either byte order.

use crate::input::cursor::Cursor;

/// A place in the bytes of a record. Every read gives `None` where they end too early.
#[derive(Clone)]
pub(super) struct Fields<'a> {
    cursor: Cursor<'a>,
    is_big_endian: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8], is_big_endian: bool) -> Fields<'a> {
        let cursor = Cursor::new(bytes);
        Fields {
            cursor,
            is_big_endian,
        }
    }

    /// The bytes of a number, the lowest first.
    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes: [u8; N] = self.cursor.take(N)?.try_into().ok()?;
        if self.is_big_endian {
            bytes.reverse();
        }
        Some(bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.number().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.number().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.number().map(u64::from_le_bytes)
    }

    /// The same as a length or a place.
    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.cursor.skip(count)
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        self.cursor.take(count)
    }

    /// A text after its length, padded with zeros.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.u32()?;
        self.take(length as usize).map(text)
    }
}

/// The text before the first zero, or all of it.
pub(super) fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&b| b == 0).next().unwrap_or(bytes);
    String::from_utf8_lossy(text).into_owned()
}
