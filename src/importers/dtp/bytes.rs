use crate::importers::messages;
use crate::input::{Failure, Stage};
use crate::units::counted;
use std::borrow::Cow;

/// The failure is boxed to keep the success case small.
pub(super) type SectionResult<T> = Result<T, Box<Failure>>;

pub(super) const TITLE: &str = "dotTrace snapshot";
const ADVICE: &str = messages::COPY_SNAPSHOT_OR_REPORT;

fn bytes_of(count: usize) -> String {
    counted(count as u64, "byte")
}

/// Little-endian, of `width` bytes (1 to 8).
#[inline]
pub(super) fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    // one load serves all widths, except at the end of a section
    if let Some(word) = bytes.get(at..)?.first_chunk::<8>() {
        return Some(u64::from_le_bytes(*word) & all_ones(width));
    }
    let field = bytes.get(at..at.checked_add(width)?)?.iter().rev();
    Some(field.fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

pub(super) fn all_ones(width: usize) -> u64 {
    u64::MAX >> (64 - 8 * width)
}

/// The compressed unsigned integer at `at` (ECMA-335 II.23.2) and its length.
pub(super) fn compressed(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    match *bytes.get(at..)? {
        [a, ..] if a < 0x80 => Some((u32::from(a), 1)),
        [a, b, ..] if a < 0xC0 => Some((u32::from_be_bytes([0, 0, a & 0x3F, b]), 2)),
        [a, b, c, d, ..] if (0xC0..0xE0).contains(&a) => {
            Some((u32::from_be_bytes([a & 0x1F, b, c, d]), 4))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SectionBytes<'a> {
    pub id: u16,
    pub version: u16,
    pub file: &'a str,
    pub start: u64,
    pub bytes: &'a [u8],
}

impl<'a> SectionBytes<'a> {
    /// Reads all of the section; remaining bytes are an error.
    pub(super) fn read<T>(
        self,
        read: impl FnOnce(&mut SectionReader<'a>) -> SectionResult<T>,
    ) -> SectionResult<T> {
        let mut reader = SectionReader::new(self);
        let value = read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    pub(super) fn damaged(&self, at: usize, problem: impl Into<String>) -> Box<Failure> {
        let place = messages::place_in_section(&format_args!("{:#06x}", self.id), &self.version);
        let failure =
            Failure::new(self.file, place, problem).at(self.start.saturating_add(at as u64));
        Box::new(failure.advice(ADVICE).suggest_doctor().stage(Stage::Layout))
    }
}

pub(super) struct SectionReader<'a> {
    section: SectionBytes<'a>,
    at: usize,
}

impl<'a> SectionReader<'a> {
    pub(super) fn new(section: SectionBytes<'a>) -> SectionReader<'a> {
        SectionReader { section, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn remaining(&self) -> usize {
        self.section.bytes.len() - self.at
    }

    pub(super) fn take(&mut self, count: usize) -> SectionResult<&'a [u8]> {
        match self.section.bytes[self.at..].get(..count) {
            Some(taken) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(self.cut_off(count)),
        }
    }

    #[inline]
    pub(super) fn number(&mut self, width: usize) -> SectionResult<u64> {
        let value =
            number(self.section.bytes, self.at, width).ok_or_else(|| self.cut_off(width))?;
        self.at += width;
        Ok(value)
    }

    pub(super) fn u8(&mut self) -> SectionResult<u8> {
        self.number(1).map(|value| value as u8)
    }

    pub(super) fn u32(&mut self) -> SectionResult<u32> {
        self.number(4).map(|value| value as u32)
    }

    pub(super) fn u64(&mut self) -> SectionResult<u64> {
        self.number(8)
    }

    pub(super) fn compressed(&mut self) -> SectionResult<u32> {
        let (value, length) = compressed(self.section.bytes, self.at).ok_or_else(|| {
            let left = bytes_of(self.remaining());
            self.damaged(messages::no_compressed_integer(&left))
        })?;
        self.at += length;
        Ok(value)
    }

    /// A compressed integer, the length in bytes, then UTF-8. Invalid UTF-8 is replaced.
    pub(super) fn text(&mut self) -> SectionResult<Cow<'a, str>> {
        let length = self.compressed()?;
        self.take(length as usize).map(String::from_utf8_lossy)
    }

    pub(super) fn width(&mut self) -> SectionResult<usize> {
        let at = self.at;
        match self.u8()? {
            width @ 1..=8 => Ok(usize::from(width)),
            other => {
                let problem = messages::width_out_of_range(&other);
                Err(self.section.damaged(at, problem))
            }
        }
    }

    pub(super) fn end(&self) -> SectionResult<()> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.damaged(messages::section_too_long(&bytes_of(left)))),
        }
    }

    pub(super) fn damaged(&self, problem: impl Into<String>) -> Box<Failure> {
        self.section.damaged(self.at, problem)
    }

    #[cold]
    fn cut_off(&self, expected: usize) -> Box<Failure> {
        let (expected, left) = (bytes_of(expected), bytes_of(self.remaining()));
        self.damaged(messages::section_too_short(&expected, &left))
    }
}

#[cfg(test)]
mod tests;
