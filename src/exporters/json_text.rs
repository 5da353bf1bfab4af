//! JSON text into a buffer: integer arithmetic, and strings that are safe in a terminal.

use crate::text::is_hostile;
use crate::units::Unit;
use serde::Serialize;
use std::io::{self, Write};

const FLUSH_BYTES: usize = 64 * 1024;

pub(super) struct JsonText<'a, W> {
    bytes: Vec<u8>,
    out: &'a mut W,
}

impl<'a, W: Write> JsonText<'a, W> {
    pub(super) fn new(out: &'a mut W) -> JsonText<'a, W> {
        JsonText {
            bytes: Vec::with_capacity(2 * FLUSH_BYTES),
            out,
        }
    }

    /// Writes a large buffer. To be called between values, every few kB.
    #[inline]
    pub(super) fn pass_on(&mut self) -> io::Result<()> {
        if self.bytes.len() < FLUSH_BYTES {
            return Ok(());
        }
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.out.flush()
    }

    #[inline]
    pub(super) fn json(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
    }

    pub(super) fn string(&mut self, text: &str) {
        push_string(&mut self.bytes, text);
    }

    #[inline]
    pub(super) fn json_and_string(&mut self, before: &[u8], text: &str) {
        self.json(before);
        self.string(text);
    }

    /// Not for hot paths.
    pub(super) fn serialized(&mut self, value: &impl Serialize) {
        // numbers, strings and lists of them always serialize
        let text = serde_json::to_string(value).unwrap_or_default();
        text.chars().for_each(|c| push_char(&mut self.bytes, c));
    }

    /// An object without its braces, for further members.
    pub(super) fn members(&mut self, object: &impl Serialize) {
        let at = self.bytes.len();
        self.serialized(object);
        self.bytes.pop();
        self.bytes.remove(at);
    }

    #[inline]
    pub(super) fn number(&mut self, number: u64) {
        push_number(&mut self.bytes, number);
    }

    /// Lower-case hexadecimal without leading zeros.
    #[inline]
    pub(super) fn hex(&mut self, number: u64) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = (67 - (number | 1).leading_zeros()) / 4;
        for index in (0..digits).rev() {
            self.bytes
                .push(DIGITS[(number >> (4 * index) & 15) as usize]);
        }
    }

    /// A stored value in its unit: milliseconds with up to six decimals as needed, others as whole numbers.
    #[inline]
    pub(super) fn value(&mut self, unit: Unit, stored: u64) {
        match unit {
            Unit::Milliseconds => self.parts(stored, 1_000_000),
            Unit::Count | Unit::Bytes => push_number(&mut self.bytes, stored),
        }
    }

    /// Units of 1/`parts`, a power of ten, with as many decimals as needed.
    #[inline]
    pub(super) fn parts(&mut self, number: u64, parts: u64) {
        self.number(number / parts);
        let mut rest = number % parts;
        if rest == 0 {
            return;
        }
        self.bytes.push(b'.');
        let mut step = parts / 10;
        while rest > 0 {
            self.bytes.push(b'0' + (rest / step) as u8);
            rest %= step;
            step /= 10;
        }
    }

    pub(super) fn column<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut value: impl FnMut(&mut Self, T),
    ) -> io::Result<()> {
        self.json_and_string(b",", name);
        self.json(b":[");
        let mut is_first = true;
        for item in items {
            self.comma(&mut is_first);
            value(self, item);
            self.pass_on()?;
        }
        self.json(b"]");
        Ok(())
    }

    pub(super) fn numbers(
        &mut self,
        name: &str,
        numbers: impl IntoIterator<Item = Option<u32>>,
    ) -> io::Result<()> {
        self.column(name, numbers, |text, number| match number {
            Some(number) => text.number(u64::from(number)),
            None => text.json(b"null"),
        })
    }

    pub(super) fn comma(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.bytes.push(b',');
        }
    }
}

#[inline]
pub(super) fn push_number(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

pub(super) fn push_string(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'"');
    for c in text.chars() {
        match c {
            '"' => bytes.extend_from_slice(b"\\\""),
            '\\' => bytes.extend_from_slice(b"\\\\"),
            c => push_char(bytes, c),
        }
    }
    bytes.push(b'"');
}

/// Writes hostile characters (see [`is_hostile`]) as `\u` escapes.
fn push_char(bytes: &mut Vec<u8>, c: char) {
    match c {
        ' '..='~' => bytes.push(c as u8),
        c if is_hostile(c) => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                bytes.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        }
        c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

#[cfg(test)]
mod tests;
