use super::error::describe_byte;
use super::scan::{self, Escape};
use super::{JsonError, JsonProblem, JsonReader, number};
use crate::input::messages;
use std::io::{self, Read};
use std::ops::Range;

/// Of strings that are returned; skipped ones may be longer.
pub(super) const MAX_STRING_BYTES: usize = 16 * 1024 * 1024;

/// Digits beyond the first few hundred mean nothing.
pub(super) const MAX_NUMBER_BYTES: usize = 16 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

enum StringProgress {
    End,
    Escape,
    NeedsMore,
}

impl<R: Read> JsonReader<R> {
    /// Consumes a string. Returns its range in the buffer, and whether it has escapes.
    #[inline(always)]
    pub(super) fn string_token(&mut self) -> Result<(Range<usize>, bool), JsonError> {
        let text = self.at + 1;
        let end = text + scan::special(&self.buffer[text..self.end]);
        if end < self.end && self.buffer[end] == b'"' {
            let token = self.at..end + 1;
            self.at = end + 1;
            return Ok((token, false));
        }
        self.long_string(true)
    }

    /// With escapes or past the end of the buffer; only the last part is returned unless `is_kept`.
    #[inline(never)]
    fn long_string(&mut self, is_kept: bool) -> Result<(Range<usize>, bool), JsonError> {
        let (mut start, mut has_escapes) = (self.at, false);
        self.at += 1;
        loop {
            match self.string_part()? {
                StringProgress::End => return Ok((start..self.at, has_escapes)),
                StringProgress::Escape => has_escapes = true,
                StringProgress::NeedsMore => {
                    if !is_kept {
                        // keep a character that is still incomplete
                        start = self.check_utf8(start..self.at)?;
                    } else if self.at - start > MAX_STRING_BYTES {
                        return Err(self.too_long(start, MAX_STRING_BYTES));
                    }
                    let has_more = self.refill(start)?;
                    start = 0;
                    if !has_more {
                        self.check_utf8(start..self.at)?;
                        return Err(self.truncated());
                    }
                }
            }
        }
    }

    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<(), JsonError> {
        let text = self.at + 1;
        let end = text + scan::special(&self.buffer[text..self.end]);
        if end < self.end && self.buffer[end] == b'"' {
            self.at = end + 1;
            return self.check_utf8(text..end + 1).map(|_| ());
        }
        let (last, _) = self.long_string(false)?;
        self.check_utf8(last).map(drop)
    }

    fn string_part(&mut self) -> Result<StringProgress, JsonError> {
        self.at += scan::special(&self.buffer[self.at..self.end]);
        let rest = &self.buffer[self.at..self.end];
        match rest.first() {
            None => Ok(StringProgress::NeedsMore),
            Some(b'"') => {
                self.at += 1;
                Ok(StringProgress::End)
            }
            Some(b'\\') => match scan::escape(rest) {
                Escape::Complete(len) => {
                    self.at += len;
                    Ok(StringProgress::Escape)
                }
                Escape::Partial => Ok(StringProgress::NeedsMore),
                Escape::Invalid(index) => {
                    let found = describe_byte(rest[index]);
                    self.at += index;
                    Err(self.unexpected(messages::AN_ESCAPE, found))
                }
            },
            Some(&control) => {
                Err(self.unexpected(messages::NO_CONTROL_CHARACTERS, describe_byte(control)))
            }
        }
    }

    /// The index where an incomplete last character starts.
    fn check_utf8(&self, part: Range<usize>) -> Result<usize, JsonError> {
        match std::str::from_utf8(&self.buffer[part.clone()]) {
            Ok(_) => Ok(part.end),
            Err(error) if error.error_len().is_none() => Ok(part.start + error.valid_up_to()),
            Err(error) => {
                let index = part.start + error.valid_up_to();
                let offset = self.base + index as u64;
                Err(JsonError::new(offset, JsonProblem::NotUtf8))
            }
        }
    }

    #[inline(always)]
    pub(super) fn number_token(&mut self) -> Result<number::NumberToken, JsonError> {
        loop {
            let rest = &self.buffer[self.at..self.end];
            let scanned = number::scan(rest);
            let reached = scanned
                .as_ref()
                .map_or_else(|&index| index, |token| token.len);
            if reached == rest.len() {
                if reached > MAX_NUMBER_BYTES {
                    return Err(self.too_long(self.at, MAX_NUMBER_BYTES));
                }
                if self.refill(self.at)? {
                    continue;
                }
            }
            self.at += reached;
            return match scanned {
                Ok(token) => Ok(token),
                Err(_) if self.at == self.end => Err(self.truncated()),
                Err(_) => Err(self.unexpected(
                    messages::NEXT_PART_OF_NUMBER,
                    describe_byte(self.buffer[self.at]),
                )),
            };
        }
    }

    pub(super) fn literal(&mut self, word: &'static [u8]) -> Result<(), JsonError> {
        for &expected in word {
            if self.at == self.end && !self.refill(self.at)? {
                return Err(self.truncated());
            }
            let byte = self.buffer[self.at];
            if byte != expected {
                return Err(self.unexpected(messages::TRUE_FALSE_NULL, describe_byte(byte)));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Reads more input, and moves everything from `keep` on, and `at`, to the front. `false` at the end.
    #[cold]
    #[inline(never)]
    pub(super) fn refill(&mut self, keep: usize) -> Result<bool, JsonError> {
        if let Some(progress) = &self.progress {
            let state = progress.check_cancelled();
            state.map_err(|_| JsonError::new(self.offset(), JsonProblem::Cancelled))?;
        }
        self.buffer.copy_within(keep..self.end, 0);
        self.base += keep as u64;
        self.at -= keep;
        self.end -= keep;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        match self.has_started {
            true => self.read_some(),
            false => self.start(),
        }
    }

    fn start(&mut self) -> Result<bool, JsonError> {
        self.has_started = true;
        self.buffer
            .resize(self.buffer.len().max(BYTE_ORDER_MARK.len()), 0);
        while self.read_some()? {
            if !BYTE_ORDER_MARK.starts_with(&self.buffer[..self.end.min(BYTE_ORDER_MARK.len())]) {
                return Ok(true);
            }
            if self.end >= BYTE_ORDER_MARK.len() {
                self.at = BYTE_ORDER_MARK.len();
                return Ok(true);
            }
        }
        match self.end {
            0 => Ok(false),
            _ => Err(self.truncated()),
        }
    }

    fn read_some(&mut self) -> Result<bool, JsonError> {
        while !self.is_exhausted {
            let space = &mut self.buffer[self.end..];
            match self.source.read(space) {
                Ok(0) => self.is_exhausted = true,
                Ok(count) => {
                    self.end += count.min(space.len());
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // a truncated compressed stream
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.is_exhausted = true
                }
                Err(error) => {
                    let problem = JsonProblem::Unreadable(crate::input::plain(&error));
                    return Err(JsonError::new(self.base + self.end as u64, problem));
                }
            }
        }
        Ok(false)
    }
}
