//! Reads lines of UTF-8 or UTF-16, with or without a byte order mark, terminated by LF or CRLF.

use super::{Failure, ImportError, Input, Progress};
use crate::input::{messages, plain};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// In bytes. A stack of a million frames fits.
pub(crate) const MAX_LINE_BYTES: usize = 128 << 20;
const LINES_PER_REPORT: u64 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// The encoding, and the length of its byte order mark.
    fn of(head: &[u8]) -> (Encoding, usize) {
        match head {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
            // the first character is ASCII, so in UTF-16 there is a zero next to it
            [first, 0, ..] if *first != 0 => (Encoding::Utf16Le, 0),
            [0, second, ..] if *second != 0 => (Encoding::Utf16Be, 0),
            _ => (Encoding::Utf8, 0),
        }
    }

    fn unit(self, pair: [u8; 2]) -> u16 {
        if self == Encoding::Utf16Be {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    }
}

pub(crate) fn head_text(head: &[u8]) -> Cow<'_, str> {
    let (encoding, mark) = Encoding::of(head);
    let bytes = &head[mark..];
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(bytes),
        _ => {
            let (pairs, _) = bytes.as_chunks();
            let units = pairs.iter().map(|pair| encoding.unit(*pair));
            String::from_utf16_lossy(&units.collect::<Vec<_>>()).into()
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub(crate) struct Lines {
    pub(crate) name: String,
    title: &'static str,
    progress: Progress,
    reader: BufReader<Input>,
    encoding: Encoding,
    line: Vec<u8>,
    pub(crate) number: u64,
}

impl Lines {
    pub(crate) fn new(input: Input, title: &'static str) -> Lines {
        let (name, progress) = (input.name.clone(), input.progress.clone());
        let (encoding, _) = Encoding::of(input.head().bytes);
        Lines {
            name,
            title,
            progress,
            reader: BufReader::with_capacity(1 << 16, input),
            encoding,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line without its terminator. `nodes` is for progress reports.
    pub(crate) fn next(&mut self, nodes: usize) -> Result<Option<&[u8]>, ImportError> {
        if self.number.is_multiple_of(LINES_PER_REPORT) {
            self.progress.at(nodes)?;
        }
        self.line.clear();
        self.read_line().map_err(|error| {
            self.failure(messages::cant_read_line(&(self.number + 1), &plain(&error)))
        })?;
        if self.number == 0 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > MAX_LINE_BYTES {
            let problem = messages::line_too_long(&self.number, &MAX_LINE_BYTES);
            let failure = self.failure(problem);
            return Err(failure.advice(messages::DAMAGED_OR_OTHER_FORMAT).into());
        }
        Ok(Some(line))
    }

    /// Reads a line with its terminator, and stops once it is too long.
    fn read_line(&mut self) -> io::Result<()> {
        let max_bytes = MAX_LINE_BYTES + 2;
        if self.encoding == Encoding::Utf8 {
            let mut reader = self.reader.by_ref().take(max_bytes as u64);
            return reader.read_until(b'\n', &mut self.line).map(drop);
        }
        let mut units = Vec::new();
        while units.len() < max_bytes && units.last() != Some(&u16::from(b'\n')) {
            let mut pair = [0; 2];
            match self.reader.read_exact(&mut pair) {
                Ok(()) => units.push(self.encoding.unit(pair)),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        self.line = String::from_utf16_lossy(&units).into_bytes();
        Ok(())
    }

    pub(crate) fn failure(&self, problem: impl Into<String>) -> Failure {
        Failure::new(&self.name, self.title, problem)
    }
}

#[cfg(test)]
mod tests;
