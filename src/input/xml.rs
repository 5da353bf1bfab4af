//! Streaming XML. One tag, comment or text may take up to [`MAX_PART_BYTES`], and so may the names of all open
//! elements.

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

/// Large enough to make reads cheap, small enough for the L2 cache.
const BUFFER_BYTES: usize = 128 * 1024;
/// Of one tag, comment or text, and of the names of all open elements: a call stack of 1,000,000 frames of 67 bytes
/// fits.
const MAX_PART_BYTES: usize = 64 << 20;
/// Of a reference such as `&#x10FFFF;` with leading zeros.
const MAX_REFERENCE_BYTES: usize = 32;

/// The start of a document in ASCII, which suffices for names of elements and attributes.
pub(crate) fn ascii(head: &[u8]) -> Cow<'_, [u8]> {
    match utf16(head) {
        Some(_) => {
            let bytes = head.iter().copied();
            bytes.filter(|byte| byte.is_ascii() && *byte != 0).collect()
        }
        None => head.into(),
    }
}

/// The text from the root element if it starts within `text` and has this name.
pub(crate) fn root_named<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let root = root_element(text)?;
    let rest = root.strip_prefix(b"<")?.strip_prefix(name.as_bytes())?;
    rest.first()
        .is_none_or(|&next| !is_name_byte(next))
        .then_some(root)
}

fn root_element(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut rest = text.trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            // the brackets of a declaration may contain others
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

pub(crate) fn utf16(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => Some("UTF-16LE"),
        [0xFE, 0xFF, ..] | [0, b'<', ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// Names and raw values of a start tag. Reports are mostly call stacks, which this skips faster than quick-xml.
pub(crate) struct Attributes<'a> {
    rest: &'a [u8],
    /// Something is not an attribute; the rest of the tag is not read.
    pub is_damaged: bool,
}

impl<'a> Attributes<'a> {
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
        let Some((name, value, rest)) = self.split() else {
            (self.is_damaged, self.rest) = (true, &[]);
            return None;
        };
        self.rest = rest;
        Some((name, value))
    }
}

/// The character and length of a reference at the start of `text`. Declared entities are not expanded.
pub(crate) fn reference(text: &[u8]) -> Option<(char, usize)> {
    let end = memchr(b';', &text[..text.len().min(MAX_REFERENCE_BYTES)])?;
    Some((character(text.get(1..end)?)?, end + 1))
}

/// Between `&` and `;`.
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

pub(crate) enum XmlItem<'b> {
    Event(Event<'b>),
    Done,
    /// The offset, and the reason, which completes "the file …".
    Broken(u64, String),
}

pub(crate) struct Xml {
    reader: Reader<XmlSource>,
    file: String,
    title: &'static str,
    progress: Progress,
    bom_bytes: u64,
    pub(crate) start: u64,
    /// The open elements: 1 after the start of the root. Empty elements are never open.
    pub(crate) depth: usize,
    /// What quick-xml uses for them: a name and a number each.
    open_bytes: usize,
    has_ended: bool,
}

impl Xml {
    pub(crate) fn new(input: Input, title: &'static str) -> Xml {
        let (file, progress) = (input.name.clone(), input.progress.clone());
        let has_bom = input.head().bytes.starts_with(b"\xEF\xBB\xBF");
        let bom_bytes = if has_bom { 3 } else { 0 };
        let mut reader = Reader::from_reader(XmlSource::new(input));
        reader.config_mut().allow_dangling_amp = true;
        Xml {
            reader,
            file,
            title,
            progress,
            bom_bytes,
            start: bom_bytes,
            depth: 0,
            open_bytes: 0,
            has_ended: false,
        }
    }

    pub(crate) fn position(&self) -> u64 {
        self.bom_bytes + self.reader.buffer_position()
    }

    #[inline]
    pub(crate) fn next<'b>(&mut self, buffer: &'b mut Vec<u8>) -> Result<XmlItem<'b>, ImportError> {
        buffer.clear();
        self.reader.get_mut().remaining = MAX_PART_BYTES;
        self.start = self.position();
        let event = match self.reader.read_event_into(buffer) {
            Ok(Event::Eof) if self.has_ended => return Ok(XmlItem::Done),
            Ok(Event::Eof) => {
                let (at, problem) = unexpected_end(&self.reader);
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
            Event::Start(tag) | Event::Empty(tag) => self.open(tag.name().as_ref()),
            _ => None,
        };
        match &event {
            Event::Empty(tag) => self.close(tag.name().as_ref()),
            Event::End(tag) => self.close(tag.name().as_ref()),
            Event::Decl(declaration) => check_encoding(declaration, &self.file, self.title)?,
            _ => {}
        }
        Ok(match problem {
            Some(problem) => XmlItem::Broken(self.start, problem),
            None => XmlItem::Event(event),
        })
    }

    #[inline]
    fn open(&mut self, name: &str) -> Option<String> {
        self.depth += 1;
        self.open_bytes += open_element_bytes(name);
        if self.open_bytes > MAX_PART_BYTES {
            let limit = thousands(MAX_PART_BYTES as u64);
            return Some(messages::elements_too_deep(&limit));
        }
        (self.depth == 1 && self.has_ended).then(|| messages::CONTINUES_AFTER_ROOT.into())
    }

    #[inline]
    fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.open_bytes = self.open_bytes.saturating_sub(open_element_bytes(name));
        self.has_ended |= self.depth == 0;
    }
}

fn open_element_bytes(name: &str) -> usize {
    name.len() + size_of::<usize>()
}

/// Where and why a file stops being XML, completing "the file …". `start` is where the last item started.
fn broken(error: &Error, reader: &mut Reader<XmlSource>, start: u64) -> (u64, String) {
    match error {
        Error::Io(_) if reader.get_ref().remaining == 0 => {
            let limit = thousands(MAX_PART_BYTES as u64);
            (start, messages::xml_part_too_long(&limit))
        }
        Error::Io(error) => (reader.get_ref().bytes, messages::broken_xml(&plain(error))),
        Error::Syntax(SyntaxError::InvalidBangMarkup) if has_more(reader) => {
            (start, messages::UNKNOWN_DECLARATION.into())
        }
        Error::Syntax(_) => unexpected_end(reader),
        Error::Encoding(EncodingError::Utf8(error)) => {
            (start + error.valid_up_to() as u64, "is not UTF-8".into())
        }
        other => {
            let text: String = other.to_string().chars().take(200).collect();
            (start, format!("is not XML: {}", visible(&text)))
        }
    }
}

fn has_more(reader: &mut Reader<XmlSource>) -> bool {
    let rest = reader.get_mut().fill_buf();
    rest.is_ok_and(|rest| !rest.is_empty())
}

/// quick-xml does not count a `<` at the very end.
fn unexpected_end(reader: &Reader<XmlSource>) -> (u64, String) {
    (reader.get_ref().bytes, "ends unexpectedly".into())
}

/// Rejects other encodings. A file that declares UTF-16 and got this far was converted without changing its first
/// line.
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

/// Fails if cancelled, or if one item is too long for memory.
struct XmlSource {
    file: BufReader<Input>,
    progress: Progress,
    bytes: u64,
    /// How many more bytes the current item may take.
    remaining: usize,
}

impl XmlSource {
    fn new(input: Input) -> XmlSource {
        let progress = input.progress.clone();
        XmlSource {
            file: BufReader::with_capacity(BUFFER_BYTES, input),
            progress,
            bytes: 0,
            remaining: MAX_PART_BYTES,
        }
    }
}

impl BufRead for XmlSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.remaining == 0 {
            return Err(io::Error::other("too long"));
        }
        if self.file.buffer().is_empty() {
            self.progress.check_cancelled().map_err(io::Error::other)?;
        }
        let text = self.file.fill_buf()?;
        Ok(&text[..text.len().min(self.remaining)])
    }

    fn consume(&mut self, count: usize) {
        self.file.consume(count);
        self.bytes += count as u64;
        self.remaining = self.remaining.saturating_sub(count);
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
