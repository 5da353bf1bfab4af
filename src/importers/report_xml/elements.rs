//! The elements of a report, handed on one after the other while the file is read.

use super::FORMAT;
use super::row::{Numbers, Row};
use crate::importers::{Failure, ImportError, Input, Progress, plain};
use crate::model::format::thousands;
use crate::model::text::visible;
use quick_xml::Reader;
use quick_xml::encoding::EncodingError;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesDecl, BytesStart, Event};
use std::io::{self, BufRead, BufReader, Read};

/// How much is read at once: large enough that it costs nothing, small enough for the second-level cache.
const BUFFER_BYTES: usize = 128 * 1024;
/// The most bytes of one tag, comment or text, each of which is held in memory, and of the names of all open elements. A
/// call stack is one attribute: 1,000,000 frames of 67 bytes fit, and a thread of .NET's, with a megabyte or a few of stack,
/// has no more than tens of thousands.
const MAX_PART_BYTES: usize = 64 << 20;

/// What is done with the elements.
pub(super) trait Sink {
    /// A `Function` begins.
    fn function(&mut self, row: &Row) -> Result<(), ImportError>;
    /// An `Instance` of the current `Function`.
    fn instance(&mut self, row: &Row) -> Result<(), ImportError>;
    /// The current `Function` ends.
    fn end_function(&mut self);
}

/// How the reading came to its end.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// What the numbers are like.
    pub numbers: Numbers,
    /// What is wrong with the file, if it is: where, and a sentence's middle.
    pub broken: Option<(u64, String)>,
    /// Rows whose attributes end in something that is none.
    pub damaged_rows: u64,
}

impl Ending {
    /// The attributes of a tag.
    #[inline]
    fn row<'a>(&mut self, tag: &'a BytesStart) -> Row<'a> {
        let row = self.numbers.row(tag.attributes_raw());
        self.damaged_rows += u64::from(row.is_damaged);
        row
    }
}

/// Reads the elements of a report into `sink`. A file that breaks off or is no XML from some place on is read until there.
///
/// # Errors
/// What `sink` says, with the offset of its element; the wish to stop; a file that is no report from the start.
pub(super) fn read_elements(input: Input, sink: &mut impl Sink) -> Result<Ending, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mark_bytes = if input.head().bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut reader = Reader::from_reader(Source::new(input));
    reader.config_mut().allow_dangling_amp = true;
    let mut place = Place::default();
    let mut ending = Ending::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().left = MAX_PART_BYTES;
        let start = mark_bytes + reader.buffer_position();
        let broken = match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => {
                let problem = place.start(&tag, &name, sink, &mut ending).map_err(|error| at(error, start))?;
                problem.map(|problem| (start, problem))
            }
            Ok(Event::Empty(tag)) => {
                let problem = place.start(&tag, &name, sink, &mut ending).map_err(|error| at(error, start))?;
                place.end(tag.name().as_ref(), sink);
                problem.map(|problem| (start, problem))
            }
            Ok(Event::End(tag)) => {
                place.end(tag.name().as_ref(), sink);
                None
            }
            Ok(Event::Decl(declaration)) => {
                check_encoding(&declaration, &name)?;
                None
            }
            Ok(Event::Eof) if place.has_ended => return Ok(ending),
            Ok(Event::Eof) => Some(breaks_off(&reader)),
            Ok(_) => None,
            Err(error) => {
                progress.go_on()?;
                Some(broken(&error, &mut reader, start))
            }
        };
        if broken.is_some() {
            ending.broken = broken;
            return Ok(ending);
        }
    }
}

/// An error about the element at `offset`.
#[cold]
fn at(error: ImportError, offset: u64) -> ImportError {
    match error {
        ImportError::Cancelled => ImportError::Cancelled,
        ImportError::Failed(failure) => failure.at(offset).into(),
    }
}

/// Where a file is no XML, and in which way, in words that go on "the file …". `start` is where the last part began.
fn broken(error: &Error, reader: &mut Reader<Source>, start: u64) -> (u64, String) {
    match error {
        Error::Io(_) if reader.get_ref().left == 0 => {
            let most = thousands(MAX_PART_BYTES as u64);
            (start, format!("has a tag, comment or text of more than {most} bytes"))
        }
        Error::Io(error) => {
            (reader.get_ref().bytes, format!("can't be read any further, because of this: {}", plain(error)))
        }
        Error::Syntax(SyntaxError::InvalidBangMarkup)
            if reader.get_mut().fill_buf().is_ok_and(|rest| !rest.is_empty()) =>
        {
            (start, "is no XML: `<!` starts nothing that is known".into())
        }
        // all others are about the end of the file
        Error::Syntax(_) => breaks_off(reader),
        Error::Encoding(EncodingError::Utf8(error)) => (start + error.valid_up_to() as u64, "is not UTF-8".into()),
        other => {
            let text: String = other.to_string().chars().take(200).collect();
            (start, format!("is no XML: {}", visible(&text)))
        }
    }
}

/// The end of the file, where it comes too early. quick-xml does not count a `<` at the very end.
fn breaks_off(reader: &Reader<Source>) -> (u64, String) {
    (reader.get_ref().bytes, "breaks off".into())
}

/// Where in the document the reading is.
#[derive(Default)]
struct Place {
    /// How many elements are open.
    depth: usize,
    /// What the XML reader holds of them: a name and a number for each.
    open_bytes: usize,
    in_function: bool,
    /// Whether the root has ended.
    has_ended: bool,
}

impl Place {
    /// An element begins. What is wrong with the file if it can't be read any further, as [`Ending::broken`] has it.
    #[inline]
    fn start(
        &mut self,
        tag: &BytesStart,
        file: &str,
        sink: &mut impl Sink,
        ending: &mut Ending,
    ) -> Result<Option<String>, ImportError> {
        let name = tag.name();
        self.depth += 1;
        self.open_bytes += held_bytes(name.as_ref());
        if self.open_bytes > MAX_PART_BYTES {
            let most = thousands(MAX_PART_BYTES as u64);
            return Ok(Some(format!("has too many elements in each other, whose names take more than {most} bytes")));
        }
        match (self.depth, name.as_ref()) {
            (1, _) if self.has_ended => return Ok(Some("goes on after the end of the report".into())),
            (1, "Report") => {}
            (1, other) => {
                let other: String = other.chars().take(40).collect();
                let problem = format!("expected the root element Report, found {}", visible(&other));
                let failure = Failure::new(file, FORMAT.title, problem);
                return Err(failure.advice("`dotspot formats` lists what can be opened").into());
            }
            (2, "Function") => {
                self.in_function = true;
                sink.function(&ending.row(tag))?;
            }
            (3, "Instance") if self.in_function => sink.instance(&ending.row(tag))?,
            _ => {}
        }
        Ok(None)
    }

    #[inline]
    fn end(&mut self, name: &str, sink: &mut impl Sink) {
        if self.depth == 2 && self.in_function {
            self.in_function = false;
            sink.end_function();
        }
        self.depth = self.depth.saturating_sub(1);
        self.open_bytes = self.open_bytes.saturating_sub(held_bytes(name));
        self.has_ended |= self.depth == 0;
    }
}

fn held_bytes(name: &str) -> usize {
    name.len() + size_of::<usize>()
}

/// A file whose bytes are no UTF-8 although they look like XML would be misread. One that says UTF-16 and got this far was
/// converted, and kept its first line.
fn check_encoding(declaration: &BytesDecl, file: &str) -> Result<(), ImportError> {
    let Some(Ok(encoding)) = declaration.encoding() else { return Ok(()) };
    let lower = encoding.to_ascii_lowercase();
    if matches!(lower.as_str(), "utf-8" | "utf8" | "us-ascii" | "ascii") || lower.starts_with("utf-16") {
        return Ok(());
    }
    let encoding: String = encoding.chars().take(40).collect();
    Err(wrong_encoding(file, &visible(&encoding)).into())
}

/// The refusal of an encoding.
pub(super) fn wrong_encoding(file: &str, encoding: &str) -> Failure {
    let failure = Failure::new(file, FORMAT.title, format!("is in the encoding {encoding}, and UTF-8 was expected"));
    failure.advice(format!("convert it, for instance with `iconv -f {encoding} -t UTF-8`"))
}

/// The input, which fails once someone wants to stop, and where a part of it is too long to be held.
struct Source {
    file: BufReader<Input>,
    progress: Progress,
    /// How many bytes were taken.
    bytes: u64,
    /// How many more the current part may have.
    left: usize,
}

impl Source {
    fn new(input: Input) -> Source {
        let progress = input.progress.clone();
        Source { file: BufReader::with_capacity(BUFFER_BYTES, input), progress, bytes: 0, left: MAX_PART_BYTES }
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(io::Error::other("a part is too long"));
        }
        if self.file.buffer().is_empty() {
            self.progress.go_on().map_err(io::Error::other)?;
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

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
