//! Reads numbers and strings from a slice of untrusted bytes.

use std::borrow::Cow;

/// A position in a slice. A read past the end returns `None` and does not move.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(crate) fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    /// Skips to the next multiple of four, or to the end: the last row may lack its padding.
    pub(crate) fn align_to_4(&mut self) {
        self.at = self.at.next_multiple_of(4).min(self.bytes.len());
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A little-endian number of at most eight bytes.
    pub(crate) fn number(&mut self, bytes: usize) -> Option<u64> {
        let mut wide = [0; 8];
        wide.get_mut(..bytes)?.copy_from_slice(self.take(bytes)?);
        Some(u64::from_le_bytes(wide))
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    /// A LEB128 number. Bits beyond 64 are dropped; `None` for more than ten bytes.
    pub(crate) fn varuint(&mut self) -> Option<u64> {
        let mut value = 0;
        for (index, &byte) in self.bytes.get(self.at..)?.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.at += index + 1;
                return Some(value);
            }
        }
        None
    }

    /// Like [`Cursor::varuint`], truncated to 32 bits.
    pub(crate) fn varuint32(&mut self) -> Option<u32> {
        self.varuint().map(|wide| wide as u32)
    }

    /// UTF-8 text prefixed with its length as a [`Cursor::varuint`]. Invalid bytes become U+FFFD.
    pub(crate) fn utf8_varuint(&mut self) -> Option<Cow<'a, str>> {
        self.utf8(|cursor| usize::try_from(cursor.varuint()?).ok())
    }

    /// UTF-8 text prefixed with its length in 16 bits.
    pub(crate) fn utf8_u16(&mut self) -> Option<Cow<'a, str>> {
        self.utf8(|cursor| cursor.u16().map(usize::from))
    }

    fn utf8(
        &mut self,
        length: impl FnOnce(&mut Cursor<'a>) -> Option<usize>,
    ) -> Option<Cow<'a, str>> {
        let mut ahead = self.clone();
        let length = length(&mut ahead)?;
        let text = ahead.take(length)?;
        *self = ahead;
        Some(String::from_utf8_lossy(text))
    }

    /// The bytes of a zero-terminated UTF-16 string; skips the zero.
    pub(crate) fn utf16z(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let units = rest.chunks_exact(2).position(|unit| unit == [0, 0])?;
        self.at += units * 2 + 2;
        Some(&rest[..units * 2])
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        push_utf16(&mut text, self.utf16z()?);
        Some(text)
    }
}

/// The UTF-8 text before the first zero, or all of it; invalid bytes become U+FFFD.
pub(crate) fn utf8z(bytes: &[u8]) -> String {
    let text = bytes.split(|&b| b == 0).next().unwrap_or(bytes);
    String::from_utf8_lossy(text).into_owned()
}

/// Appends little-endian UTF-16; unpaired surrogates become U+FFFD.
pub(crate) fn push_utf16(text: &mut String, bytes: &[u8]) {
    text.reserve(bytes.len() / 2);
    let (mut rest, mut narrow) = (bytes, [0; 64]);
    while let Some(ascii) = narrowed(rest, &mut narrow) {
        text.push_str(ascii);
        rest = &rest[2 * ascii.len()..];
    }
    let (units, _) = rest.as_chunks();
    let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
    text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

/// The ASCII prefix of little-endian UTF-16, usually all of it, many units at once.
fn narrowed<'a>(bytes: &[u8], narrow: &'a mut [u8; 64]) -> Option<&'a str> {
    let count = narrow.len().min(bytes.len() / 2);
    let mut all_bits = 0;
    for (narrow, unit) in narrow.iter_mut().zip(bytes.chunks_exact(2)) {
        all_bits |= u16::from_le_bytes([unit[0], unit[1]]);
        *narrow = unit[0];
    }
    let is_ascii = count > 0 && all_bits < 0x80;
    str::from_utf8(&narrow[..count]).ok().filter(|_| is_ascii)
}

#[cfg(test)]
mod tests;
