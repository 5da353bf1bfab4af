//! The lines of a text file in UTF-8 or UTF-16, with and without byte order mark, ended by LF or CR LF.

use super::{Failure, ImportError, Input, Progress};
use crate::input::{messages, plain};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read: a stack of a million frames has its place in it.
pub(crate) const LONGEST_LINE: usize = 128 << 20;
/// The number of lines between two progress reports and cancellation checks.
const LINES_BETWEEN_WORDS: u64 = 256;

/// How the characters of a text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// The encoding of a text that starts with these bytes, and how many of them are a byte order mark.
    fn of(head: &[u8]) -> (Encoding, usize) {
        match head {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
            // the first character of a line is one of ASCII, which has a zero beside it
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

/// The first bytes of a file as text, for detection.
pub(crate) fn head_text(head: &[u8]) -> Cow<'_, str> {
    let (encoding, mark) = Encoding::of(head);
    let bytes = &head[mark..];
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(bytes),
        _ => {
            let units = bytes
                .chunks_exact(2)
                .map(|pair| encoding.unit([pair[0], pair[1]]));
            char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
    }
}

/// A file, read line by line.
pub(crate) struct Lines {
    name: String,
    title: &'static str,
    progress: Progress,
    reader: BufReader<Text>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// The lines of a file of which nothing was read yet; `title` is the format's, for messages.
    pub(crate) fn new(input: Input, title: &'static str) -> Lines {
        let (name, progress) = (input.name.clone(), input.progress.clone());
        let (encoding, mark) = Encoding::of(input.head().bytes);
        let text = Text {
            input: BufReader::with_capacity(1 << 16, input),
            encoding,
            mark,
            high: None,
        };
        Lines {
            name,
            title,
            progress,
            reader: BufReader::with_capacity(1 << 16, text),
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line without its end; `None` behind the last. `nodes` is how many were made so far, for who watches.
    ///
    /// # Errors
    /// Cancelled; the system can't read on; a line of more than 128 MiB.
    pub(crate) fn next(&mut self, nodes: usize) -> Result<Option<&[u8]>, ImportError> {
        if self.number.is_multiple_of(LINES_BETWEEN_WORDS) {
            self.progress.at(nodes)?;
        }
        self.line.clear();
        let most = LONGEST_LINE as u64 + 2;
        let count = self
            .reader
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| {
                Failure::new(
                    &self.name,
                    self.title,
                    messages::cant_read_line(&(self.number + 1), &plain(&error)),
                )
            })?;
        if count == 0 {
            return Ok(None);
        }
        self.number += 1;
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > LONGEST_LINE {
            let problem = messages::line_too_long(&self.number, &LONGEST_LINE);
            return Err(self
                .failure(problem)
                .advice(messages::DAMAGED_OR_OTHER_FORMAT)
                .into());
        }
        Ok(Some(line))
    }

    /// The number of the line that was read last, from 1 on.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A failure of this format in this file.
    pub(crate) fn failure(&self, problem: impl Into<String>) -> Failure {
        Failure::new(&self.name, self.title, problem)
    }
}

/// The text of a file in UTF-8.
struct Text {
    input: BufReader<Input>,
    encoding: Encoding,
    /// how many bytes of a byte order mark are still to be passed over
    mark: usize,
    /// the first half of a character of four bytes
    high: Option<u16>,
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.mark > 0 {
            let available = self.input.fill_buf()?.len();
            if available == 0 {
                return Ok(0);
            }
            let passed = available.min(self.mark);
            self.input.consume(passed);
            self.mark -= passed;
        }
        match self.encoding {
            Encoding::Utf8 => self.input.read(out),
            _ => self.read_utf16(out),
        }
    }
}

impl Text {
    /// Fills `out` with whole characters as far as they fit; it has room for two, which `BufReader` sees to.
    fn read_utf16(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        // a lone half and the character behind it take 7 bytes
        while written + 7 <= out.len() {
            let Some(unit) = self.unit()? else {
                if self.high.take().is_some() {
                    written += put(char::REPLACEMENT_CHARACTER, &mut out[written..]);
                }
                break;
            };
            let half = self.high.take();
            if let Some(whole) = half.and_then(|half| char::decode_utf16([half, unit]).next()?.ok())
            {
                written += put(whole, &mut out[written..]);
                continue;
            }
            if half.is_some() {
                written += put(char::REPLACEMENT_CHARACTER, &mut out[written..]);
            }
            match unit {
                0xD800..=0xDBFF => self.high = Some(unit),
                _ => {
                    let character =
                        char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER);
                    written += put(character, &mut out[written..]);
                }
            }
        }
        Ok(written)
    }

    /// The next two bytes; a single one at the end is left out.
    fn unit(&mut self) -> io::Result<Option<u16>> {
        let mut pair = [0; 2];
        match self.input.read_exact(&mut pair) {
            Ok(()) => Ok(Some(self.encoding.unit(pair))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn put(character: char, out: &mut [u8]) -> usize {
    character.encode_utf8(out).len()
}

#[cfg(test)]
mod tests;
