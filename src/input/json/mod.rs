//! A streaming pull parser of JSON (RFC 8259) for documents of any size and depth: no recursion, no allocation per
//! token, strict even in skipped values.

mod error;
mod literal;
mod number;
mod scan;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;
mod values;

pub use error::{JsonError, JsonProblem, in_member};
pub(crate) use literal::Literal;
pub use number::{JsonNumber, Scaled, ZERO_INSTANT};
pub use texts::RawTexts;
pub(crate) use values::JsonValues;

use super::Progress;
use error::{describe, describe_byte};
use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

/// Large enough to make reads cheap, small enough for the L2 cache.
const BUFFER_BYTES: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

#[derive(Clone, Copy, Debug)]
pub struct RawString<'a> {
    token: &'a [u8],
    offset: u64,
    pub has_escapes: bool,
}

impl<'a> RawString<'a> {
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        &self.token[1..self.token.len() - 1]
    }

    pub fn decode(&self) -> Result<Cow<'a, str>, JsonError> {
        let text = std::str::from_utf8(self.bytes()).map_err(|error| {
            let offset = self.offset + 1 + error.valid_up_to() as u64;
            JsonError::new(offset, JsonProblem::NotUtf8)
        })?;
        if !self.has_escapes {
            return Ok(Cow::Borrowed(text));
        }
        // the scanner accepts only valid escapes, so serde_json can reject only an unpaired surrogate
        let text = serde_json::from_slice(self.token)
            .or_else(|_| serde_json::from_slice(&scan::without_lone_surrogates(self.token)));
        Ok(Cow::Owned(text.unwrap_or_default()))
    }
}

/// Each call consumes a value, or steps into or out of one. Not to be used after an error.
pub struct JsonReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// the unread bytes are `at..end` of the buffer
    at: usize,
    end: usize,
    base: u64,
    is_exhausted: bool,
    has_started: bool,
    /// whether the innermost open container expects no comma yet
    is_fresh: bool,
    decoded: String,
    progress: Option<Progress>,
}

impl<R: Read> JsonReader<R> {
    pub fn new(source: R) -> JsonReader<R> {
        JsonReader::with_buffer(source, BUFFER_BYTES)
    }

    pub fn with_buffer(source: R, buffer_bytes: usize) -> JsonReader<R> {
        JsonReader {
            source,
            buffer: vec![0; buffer_bytes.max(1)],
            at: 0,
            end: 0,
            base: 0,
            is_exhausted: false,
            has_started: false,
            is_fresh: true,
            decoded: String::new(),
            progress: None,
        }
    }

    pub(crate) fn in_the_middle(source: R, offset: u64) -> JsonReader<R> {
        JsonReader {
            base: offset,
            has_started: true,
            ..JsonReader::new(source)
        }
    }

    /// Continues at another offset, after a value; `change` moves the source there.
    pub(crate) fn continue_at(&mut self, offset: u64, change: impl FnOnce(&mut R)) {
        change(&mut self.source);
        (self.at, self.end, self.base) = (0, 0, offset);
        (self.is_exhausted, self.is_fresh) = (false, false);
    }

    pub(crate) fn into_source(self) -> R {
        self.source
    }

    /// Stops with [`JsonProblem::Cancelled`] when `progress` is cancelled.
    pub fn watched_by(mut self, progress: Progress) -> JsonReader<R> {
        self.progress = Some(progress);
        self
    }

    #[inline]
    pub fn report_nodes(&self, nodes: usize) {
        if let Some(progress) = &self.progress {
            progress.report_nodes(nodes);
        }
    }

    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    pub fn peek(&mut self) -> Result<JsonKind, JsonError> {
        Ok(match self.peek_byte()? {
            b'{' => JsonKind::Object,
            b'[' => JsonKind::Array,
            b'"' => JsonKind::String,
            b'-' | b'0'..=b'9' => JsonKind::Number,
            b't' | b'f' => JsonKind::Bool,
            b'n' => JsonKind::Null,
            other => return Err(self.unexpected("a value", describe(other))),
        })
    }

    /// [`JsonReader::next_key`] iterates over the object and leaves it.
    pub fn enter_object(&mut self) -> Result<(), JsonError> {
        self.enter(b'{', "an object")
    }

    pub fn enter_if_object(&mut self) -> Result<bool, JsonError> {
        match self.peek()? {
            JsonKind::Object => self.enter_object().map(|()| true),
            _ => self.skip().map(|()| false),
        }
    }

    /// [`JsonReader::next_element`] iterates over the array and leaves it.
    pub fn enter_array(&mut self) -> Result<(), JsonError> {
        self.enter(b'[', "an array")
    }

    #[inline]
    pub fn each(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.enter_array()?;
        while self.next_element()? {
            read(self)?;
        }
        Ok(())
    }

    pub fn elements_of(
        &mut self,
        member: &str,
        mut read: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.enter_object()?;
        while let Some(key) = self.next_key()? {
            if key == member {
                self.each(&mut read)?;
            } else {
                self.skip()?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, open: u8, expected: &'static str) -> Result<(), JsonError> {
        let byte = self.peek_byte()?;
        if byte != open {
            return Err(self.unexpected(expected, describe(byte)));
        }
        self.at += 1;
        self.is_fresh = true;
        Ok(())
    }

    /// The next member's name; its value must be read next. `None` leaves the object.
    pub fn next_key(&mut self) -> Result<Option<&str>, JsonError> {
        Ok(match self.key_token()? {
            Some((token, has_escapes)) => Some(self.text_at(token, has_escapes)?),
            None => None,
        })
    }

    /// Consumes the next member's name if it is `key` without escapes or white space. If not, call
    /// [`JsonReader::next_raw_key`].
    #[inline(always)]
    pub(crate) fn take_key(&mut self, key: &Literal) -> bool {
        let comma = usize::from(!self.is_fresh);
        let is_next = match self.buffer[self.at..self.end].split_at_checked(comma) {
            Some((before, rest)) => (self.is_fresh || before == b",") && key.starts(rest),
            None => false,
        };
        if is_next {
            self.at += comma + key.len();
            self.is_fresh = false;
        }
        is_next
    }

    /// Consumes the next value if it is `value` without escapes or white space.
    #[inline(always)]
    pub(crate) fn take_value(&mut self, value: &Literal) -> bool {
        let is_next = value.starts(&self.buffer[self.at..self.end]);
        if is_next {
            self.at += value.len();
        }
        is_next
    }

    /// Like [`JsonReader::next_key`], without a check for UTF-8.
    #[inline]
    pub fn next_key_bytes(&mut self) -> Result<Option<&[u8]>, JsonError> {
        Ok(match self.key_token()? {
            Some((token, false)) => Some(&self.buffer[token.start + 1..token.end - 1]),
            Some((token, true)) => Some(self.text_at(token, true)?.as_bytes()),
            None => None,
        })
    }

    /// Like [`JsonReader::next_key`], without decoding.
    #[inline]
    pub fn next_raw_key(&mut self) -> Result<Option<RawString<'_>>, JsonError> {
        let key = self.key_token()?;
        Ok(key.map(|(token, has_escapes)| self.raw(token, has_escapes)))
    }

    /// The range of the next name in the buffer, and whether it has escapes. Consumes the colon.
    #[inline]
    fn key_token(&mut self) -> Result<Option<(Range<usize>, bool)>, JsonError> {
        if !self.next_member()? {
            return Ok(None);
        }
        let (mut token, has_escapes) = self.string_token()?;
        if self.buffer[self.at..self.end].first() != Some(&b':') {
            token = self.skip_to_colon(token)?;
        }
        self.at += 1;
        Ok(Some((token, has_escapes)))
    }

    #[inline(always)]
    fn next_member(&mut self) -> Result<bool, JsonError> {
        if !self.next_item(b'}', "`,` or `}`")? {
            return Ok(false);
        }
        match self.peek_byte()? {
            b'"' => Ok(true),
            other => Err(self.unexpected("a member's name in quotes", describe_byte(other))),
        }
    }

    /// Returns the name's range in the buffer, which may move.
    #[cold]
    fn skip_to_colon(&mut self, mut name: Range<usize>) -> Result<Range<usize>, JsonError> {
        loop {
            self.at += scan::spaces(&self.buffer[self.at..self.end]);
            match self.buffer[self.at..self.end].first() {
                Some(b':') => return Ok(name),
                Some(&byte) => return Err(self.unexpected("`:`", describe_byte(byte))),
                None if self.at - name.start > tokens::MAX_STRING_BYTES => {
                    return Err(self.too_long(name.start, tokens::MAX_STRING_BYTES));
                }
                None => {}
            }
            if !self.refill(name.start)? {
                return Err(self.truncated());
            }
            name = 0..name.len();
        }
    }

    #[inline]
    pub fn next_element(&mut self) -> Result<bool, JsonError> {
        if !self.next_item(b']', "`,` or `]`")? {
            return Ok(false);
        }
        if self.peek_byte()? == b']' {
            return Err(self.unexpected("a value", describe_byte(b']')));
        }
        Ok(true)
    }

    /// Consumes a short whole number without white space. If not, call [`JsonReader::next_element`].
    #[inline]
    pub fn next_short_number(&mut self) -> Option<u32> {
        let rest = &self.buffer[self.at..self.end];
        let start = match rest {
            _ if self.is_fresh => 0,
            [b',', b' ', ..] => 2,
            [b',', ..] => 1,
            _ => return None,
        };
        let (number, len) = number::short(rest.get(start..)?.first_chunk()?)?;
        self.at += start + len;
        self.is_fresh = false;
        Some(number)
    }

    #[inline(always)]
    fn next_item(&mut self, close: u8, expected: &'static str) -> Result<bool, JsonError> {
        let byte = self.peek_byte()?;
        if byte == close {
            self.at += 1;
            self.is_fresh = false;
            return Ok(false);
        }
        if !self.is_fresh {
            if byte != b',' {
                return Err(self.unexpected(expected, describe_byte(byte)));
            }
            self.at += 1;
        }
        self.is_fresh = false;
        Ok(true)
    }

    pub fn string(&mut self) -> Result<&str, JsonError> {
        let (token, has_escapes) = self.string_value()?;
        self.text_at(token, has_escapes)
    }

    pub fn text(&mut self) -> Result<String, JsonError> {
        match self.peek()? {
            JsonKind::String => Ok(self.string()?.to_string()),
            _ => self.skip().map(|()| String::new()),
        }
    }

    #[inline]
    pub fn raw_string(&mut self) -> Result<RawString<'_>, JsonError> {
        let (token, has_escapes) = self.string_value()?;
        Ok(self.raw(token, has_escapes))
    }

    #[inline]
    fn string_value(&mut self) -> Result<(Range<usize>, bool), JsonError> {
        let byte = self.peek_byte()?;
        if byte != b'"' {
            return Err(self.unexpected("a string", describe(byte)));
        }
        self.string_token()
    }

    #[inline]
    pub fn number(&mut self) -> Result<JsonNumber<'_>, JsonError> {
        let start = self.at;
        if let Some((value, len)) = self.buffer[start..self.end]
            .first_chunk()
            .and_then(number::short)
        {
            self.at += len;
            return Ok(JsonNumber::from_short(value, &self.buffer[start..self.at]));
        }
        let byte = self.peek_byte()?;
        if !matches!(byte, b'-' | b'0'..=b'9') {
            return Err(self.unexpected("a number", describe(byte)));
        }
        let token = self.number_token()?;
        let text = &self.buffer[self.at - token.len..self.at];
        Ok(token.number(text))
    }

    #[inline]
    pub(crate) fn take_number(&mut self) -> Result<Option<JsonNumber<'_>>, JsonError> {
        let is_number = match self.buffer[self.at..self.end].first() {
            Some(b'-' | b'0'..=b'9') => true,
            _ => self.peek()? == JsonKind::Number,
        };
        is_number.then(|| self.number()).transpose()
    }

    pub fn bool(&mut self) -> Result<bool, JsonError> {
        match self.peek_byte()? {
            b't' => self.literal(b"true").map(|()| true),
            b'f' => self.literal(b"false").map(|()| false),
            other => Err(self.unexpected("true or false", describe(other))),
        }
    }

    #[inline]
    pub fn take_null(&mut self) -> Result<bool, JsonError> {
        if self.peek_byte()? != b'n' {
            return Ok(false);
        }
        self.literal(b"null").map(|()| true)
    }

    /// Skips a value of any kind and depth, with one byte per open level.
    pub fn skip(&mut self) -> Result<(), JsonError> {
        // by open level, whether it is an object
        let mut open: Vec<bool> = Vec::new();
        loop {
            match self.peek()? {
                JsonKind::Object => {
                    self.enter_object()?;
                    open.push(true);
                }
                JsonKind::Array => {
                    self.enter_array()?;
                    open.push(false);
                }
                JsonKind::String => self.skip_string()?,
                JsonKind::Number => _ = self.number_token()?,
                JsonKind::Bool => _ = self.bool()?,
                JsonKind::Null => self.literal(b"null")?,
            }
            loop {
                let has_next = match open.last() {
                    None => return Ok(()),
                    Some(true) => self.skip_key()?,
                    Some(false) => self.next_element()?,
                };
                if has_next {
                    break;
                }
                open.pop();
            }
        }
    }

    /// Decoding keys would take 4 % of the time of a call tree.
    fn skip_key(&mut self) -> Result<bool, JsonError> {
        if !self.next_member()? {
            return Ok(false);
        }
        self.skip_string()?;
        let byte = self.peek_byte()?;
        if byte != b':' {
            return Err(self.unexpected("`:`", describe_byte(byte)));
        }
        self.at += 1;
        Ok(true)
    }

    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek_byte_or_end()? {
            None => Ok(()),
            Some(byte) => Err(self.unexpected("the end of the file", describe_byte(byte))),
        }
    }

    #[inline]
    fn peek_byte(&mut self) -> Result<u8, JsonError> {
        match self.buffer[self.at..self.end] {
            [byte, ..] if byte > b' ' => Ok(byte),
            // many writers put one space after each comma and colon
            [b' ', byte, ..] if byte > b' ' => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.peek_byte_or_end()?.ok_or_else(|| self.truncated()),
        }
    }

    #[inline(never)]
    fn peek_byte_or_end(&mut self) -> Result<Option<u8>, JsonError> {
        loop {
            self.at += scan::spaces(&self.buffer[self.at..self.end]);
            if let Some(&byte) = self.buffer[self.at..self.end].first() {
                return Ok(Some(byte));
            }
            if !self.refill(self.at)? {
                return Ok(None);
            }
        }
    }

    #[inline]
    fn raw(&self, token: Range<usize>, has_escapes: bool) -> RawString<'_> {
        RawString {
            offset: self.base + token.start as u64,
            token: &self.buffer[token],
            has_escapes,
        }
    }

    fn text_at(&mut self, token: Range<usize>, has_escapes: bool) -> Result<&str, JsonError> {
        if has_escapes {
            self.decoded = self.raw(token, true).decode()?.into_owned();
            return Ok(&self.decoded);
        }
        match self.raw(token, false).decode()? {
            Cow::Borrowed(text) => Ok(text),
            Cow::Owned(_) => Ok(""),
        }
    }

    #[cold]
    fn unexpected(&self, expected: &'static str, found: String) -> JsonError {
        JsonError::new(self.offset(), JsonProblem::Unexpected { expected, found })
    }

    #[cold]
    fn truncated(&self) -> JsonError {
        JsonError::new(self.base + self.end as u64, JsonProblem::Truncated)
    }

    #[cold]
    fn too_long(&self, start: usize, limit_bytes: usize) -> JsonError {
        let problem = JsonProblem::TooLong { limit_bytes };
        JsonError::new(self.base + start as u64, problem)
    }
}
