//! XML, read one part after the other: what formats in XML have in common.
//!
//! One tag, comment or text may have [`MAX_PART_BYTES`], and so may the names of all open elements, which are all that is held.
//! Nothing that a document declares is expanded.

use super::{Failure, ImportError, Input, Progress, plain};
use crate::input::messages;
use crate::text::visible;
use crate::units::thousands;
use memchr::memchr;
use quick_xml::Reader;
use quick_xml::encoding::EncodingError;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesDecl, Event};

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

/// How much is read at once: large enough that it costs nothing, small enough for the second-level cache.
const BUFFER_BYTES: usize = 128 * 1024;
/// The maximum number of bytes in one tag, comment or text, each of which is held in memory, and of the names of all open elements. A
/// call stack in a report is one attribute: 1,000,000 frames of 67 bytes fit, and a thread of .NET's, with a megabyte or a few
/// of stack, has no more than tens of thousands.
const MAX_PART_BYTES: usize = 64 << 20;
/// The maximum number of bytes in a reference such as `&#x10FFFF;`, zeros in front of the number included.
const LONGEST_REFERENCE: usize = 32;

/// The start of a document as bytes of ASCII, to see which one it is: names of elements and attributes are ASCII.
pub(crate) fn ascii(head: &[u8]) -> Cow<'_, [u8]> {
    match utf16(head) {
        // every other byte is enough to see names that are ASCII
        Some(_) => head
            .iter()
            .copied()
            .filter(|byte| byte.is_ascii() && *byte != 0)
            .collect(),
        None => head.into(),
    }
}

/// The text from the root element on, if that begins in sight and has this name.
pub(crate) fn root_named<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let root = root_element(text)?;
    let rest = root.strip_prefix(b"<")?.strip_prefix(name.as_bytes())?;
    rest.first()
        .is_none_or(|&next| !is_name_byte(next))
        .then_some(root)
}

/// The text from the root element on, if it begins in sight.
fn root_element(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(text)
        .trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            // the brackets of a declaration can have others in them
            [b'<', b'!', ..] if rest.contains(&b'[') => b"]>",
            [b'<', b'!', ..] => b">",
            [b'<', ..] => return Some(rest),
            _ => return None,
        };
        let at = memchr::memmem::find(rest, end)?;
        rest = rest.get(at + end.len()..)?.trim_ascii_start();
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':') || !byte.is_ascii()
}

/// The name of UTF-16, if that is what a file is in.
pub(crate) fn utf16(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => Some("UTF-16LE"),
        [0xFE, 0xFF, ..] | [0, b'<', ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// The attributes of a start tag: name and value as they are written, between the quotes.
///
/// quick-xml's own iterator looks at every byte of a value; nearly all of a report is call stacks, over which this leaps.
pub(crate) struct Attributes<'a> {
    rest: &'a [u8],
    /// Set where something is no attribute; what follows it in the tag is not read.
    pub is_damaged: bool,
}

impl<'a> Attributes<'a> {
    /// The attributes in the part of a tag after its name.
    pub(crate) fn new(rest: &'a str) -> Attributes<'a> {
        Attributes {
            rest: rest.as_bytes(),
            is_damaged: false,
        }
    }

    fn split(&self) -> Option<(&'a [u8], &'a [u8], &'a [u8])> {
        let equals = memchr(b'=', self.rest)?;
        let (name, after) = self.rest.split_at_checked(equals)?;
        let value = after.get(1..)?.trim_ascii_start();
        let (&quote, value) = value
            .split_first()
            .filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
        let (value, rest) = value.split_at_checked(memchr(quote, value)?)?;
        Some((name.trim_ascii(), value, rest.get(1..)?))
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.rest = self.rest.trim_ascii_start();
        if self.rest.is_empty() {
            return None;
        }
        let found = self.split();
        self.is_damaged |= found.is_none();
        let (name, value, rest) = found.unwrap_or_default();
        self.rest = rest;
        found.map(|_| (name, value))
    }
}

/// The character that a reference at the start of `text` stands for, and the reference's length. Only the five entities that
/// XML itself has and numbers are known; nothing that a document declares is expanded.
pub(crate) fn reference(text: &[u8]) -> Option<(char, usize)> {
    let end = text
        .iter()
        .take(LONGEST_REFERENCE)
        .position(|&byte| byte == b';')?;
    Some((character(text.get(1..end)?)?, end + 1))
}

/// The character that is called so between `&` and `;`, see [`reference`].
pub(crate) fn character(name: &[u8]) -> Option<char> {
    Some(match name {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        _ => return None,
    })
}

fn number(digits: &[u8], base: u32) -> Option<char> {
    if digits.is_empty() {
        return None;
    }
    let value = digits.iter().try_fold(0u32, |value, &byte| {
        let digit = char::from(byte).to_digit(base)?;
        value.checked_mul(base)?.checked_add(digit)
    })?;
    char::from_u32(value)
}

/// What is read next of a document.
pub(crate) enum XmlItem<'b> {
    /// A tag, a text, a reference, or something that matters to nobody.
    Event(Event<'b>),
    Done,
    /// The file is not XML from an offset on. The text says in which way and completes "the file …".
    Broken(u64, String),
}

/// Reads a document part by part.
pub(crate) struct Xml {
    reader: Reader<XmlSource>,
    file: String,
    title: &'static str,
    progress: Progress,
    mark_bytes: u64,
    pub(crate) start: u64,
    /// How many elements are open: 1 after the start of the root. An element with nothing in it is never open.
    pub(crate) depth: usize,
    /// What the XML reader holds of them: a name and a number for each.
    open_bytes: usize,
    has_ended: bool,
}

impl Xml {
    /// A reader of a file of the format with this title.
    pub(crate) fn new(input: Input, title: &'static str) -> Xml {
        let (file, progress) = (input.name.clone(), input.progress.clone());
        let mark_bytes = if input.head().bytes.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        let mut reader = Reader::from_reader(XmlSource::new(input));
        reader.config_mut().allow_dangling_amp = true;
        let (start, depth, open_bytes, has_ended) = (mark_bytes, 0, 0, false);
        Xml {
            reader,
            file,
            title,
            progress,
            mark_bytes,
            start,
            depth,
            open_bytes,
            has_ended,
        }
    }

    pub(crate) fn position(&self) -> u64 {
        self.mark_bytes + self.reader.buffer_position()
    }

    /// The next part, which lies in `buffer`.
    ///
    /// # Errors
    /// If cancelled, or if the encoding is not UTF-8.
    #[inline]
    pub(crate) fn next<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<XmlItem<'b>, ImportError> {
        buffer.clear();
        self.reader.get_mut().left = MAX_PART_BYTES;
        self.start = self.position();
        let event = match self.reader.read_event_into(buffer) {
            Ok(Event::Eof) if self.has_ended => return Ok(XmlItem::Done),
            Ok(Event::Eof) => {
                let (at, problem) = breaks_off(&self.reader);
                return Ok(XmlItem::Broken(at, problem));
            }
            Ok(event) => event,
            Err(error) => {
                self.progress.check_cancelled()?;
                let (at, problem) = broken(&error, &mut self.reader, self.start);
                return Ok(XmlItem::Broken(at, problem));
            }
        };
        let problem = match &event {
            Event::Start(tag) => self.open(tag.name().as_ref()),
            Event::Empty(tag) => {
                let problem = self.open(tag.name().as_ref());
                self.close(tag.name().as_ref());
                problem
            }
            Event::End(tag) => {
                self.close(tag.name().as_ref());
                None
            }
            Event::Decl(declaration) => {
                check_encoding(declaration, &self.file, self.title)?;
                None
            }
            _ => None,
        };
        Ok(problem.map_or(XmlItem::Event(event), |problem| {
            XmlItem::Broken(self.start, problem)
        }))
    }

    #[inline]
    fn open(&mut self, name: &str) -> Option<String> {
        self.depth += 1;
        self.open_bytes += held_bytes(name);
        if self.open_bytes > MAX_PART_BYTES {
            let most = thousands(MAX_PART_BYTES as u64);
            return Some(messages::elements_too_deep(&most));
        }
        (self.depth == 1 && self.has_ended).then(|| messages::CONTINUES_AFTER_ROOT.into())
    }

    #[inline]
    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.open_bytes = self.open_bytes.saturating_sub(held_bytes(name));
        self.has_ended |= self.depth == 0;
    }
}

fn held_bytes(name: &str) -> usize {
    name.len() + size_of::<usize>()
}

/// Where a file stops being XML, and in which way, in words that complete "the file …". `start` is where the last part
/// began.
fn broken(error: &Error, reader: &mut Reader<XmlSource>, start: u64) -> (u64, String) {
    match error {
        Error::Io(_) if reader.get_ref().left == 0 => {
            let most = thousands(MAX_PART_BYTES as u64);
            (start, messages::xml_part_too_long(&most))
        }
        Error::Io(error) => (reader.get_ref().bytes, messages::broken_xml(&plain(error))),
        Error::Syntax(SyntaxError::InvalidBangMarkup)
            if reader
                .get_mut()
                .fill_buf()
                .is_ok_and(|rest| !rest.is_empty()) =>
        {
            (start, messages::UNKNOWN_DECLARATION.into())
        }
        // all others are about the end of the file
        Error::Syntax(_) => breaks_off(reader),
        Error::Encoding(EncodingError::Utf8(error)) => {
            (start + error.valid_up_to() as u64, "is not UTF-8".into())
        }
        other => {
            let text: String = other.to_string().chars().take(200).collect();
            (start, format!("is not XML: {}", visible(&text)))
        }
    }
}

/// The end of the file, where it comes too early. quick-xml does not count a `<` at the very end.
fn breaks_off(reader: &Reader<XmlSource>) -> (u64, String) {
    (reader.get_ref().bytes, "breaks off".into())
}

/// A file whose bytes are not UTF-8 although they look like XML would be misread. One that says UTF-16 and got this far was
/// converted, and kept its first line.
fn check_encoding(declaration: &BytesDecl, file: &str, title: &str) -> Result<(), ImportError> {
    let Some(Ok(encoding)) = declaration.encoding() else {
        return Ok(());
    };
    let lower = encoding.to_ascii_lowercase();
    if matches!(lower.as_str(), "utf-8" | "utf8" | "us-ascii" | "ascii")
        || lower.starts_with("utf-16")
    {
        return Ok(());
    }
    let encoding: String = encoding.chars().take(40).collect();
    Err(wrong_encoding(file, title, &visible(&encoding)).into())
}

pub(crate) fn wrong_encoding(file: &str, title: &str, encoding: &str) -> Failure {
    let failure = Failure::new(file, title, messages::other_encoding(&encoding));
    failure.advice(messages::convert_with_iconv(&encoding))
}

/// The input, which fails once someone wants to stop, and where a part of it is too long to be held.
struct XmlSource {
    file: BufReader<Input>,
    progress: Progress,
    bytes: u64,
    /// How many more the current part may have.
    left: usize,
}

impl XmlSource {
    fn new(input: Input) -> XmlSource {
        let progress = input.progress.clone();
        XmlSource {
            file: BufReader::with_capacity(BUFFER_BYTES, input),
            progress,
            bytes: 0,
            left: MAX_PART_BYTES,
        }
    }
}

impl BufRead for XmlSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other(messages::PART_TOO_LONG));
        }
        if self.file.buffer().is_empty() {
            self.progress.check_cancelled().map_err(io::Error::other)?;
        }
        let text = self.file.fill_buf()?;
        Ok(&text[..text.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.file.consume(count);
        self.bytes += count as u64;
        self.left = self.left.saturating_sub(count);
    }
}

impl Read for XmlSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
