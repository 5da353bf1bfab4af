//! The elements of a report, handed on one after the other while the file is read.

use super::FORMAT;
use super::row::{Numbers, Row};
use crate::importers::{Failure, ImportError, Input, plain};
use crate::model::text::visible;
use quick_xml::Reader;
use quick_xml::encoding::EncodingError;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::{BytesDecl, BytesStart, Event};
use std::io::{self, BufRead, BufReader, Read};

/// How much is read at once: large enough that it costs nothing, small enough for the second-level cache.
const BUFFER_BYTES: usize = 128 * 1024;

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

/// Reads the elements of a report into `sink`. A file that breaks off or is no XML from some place on is read until there.
///
/// # Errors
/// What `sink` says, the wish to stop, and a file that is no report from the start.
pub(super) fn read_elements(input: Input, sink: &mut impl Sink) -> Result<Ending, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mark_bytes = if input.head().bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut reader = Reader::from_reader(BufReader::with_capacity(BUFFER_BYTES, Watched { input, bytes: 0 }));
    reader.config_mut().allow_dangling_amp = true;
    let mut place = Place { depth: 0, in_function: false, has_ended: false };
    let mut ending = Ending::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let start = mark_bytes + reader.buffer_position();
        let broken = match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => place.start(&tag, &name, sink, &mut ending)?.then_some((start, GOES_ON.into())),
            Ok(Event::Empty(tag)) => {
                let goes_on = place.start(&tag, &name, sink, &mut ending)?;
                place.end(sink);
                goes_on.then_some((start, GOES_ON.into()))
            }
            Ok(Event::End(_)) => {
                place.end(sink);
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

const GOES_ON: &str = "goes on after the end of the report";

/// Where a file is no XML, and in which way, in words that go on "the file …". `start` is where the last part began.
fn broken(error: &Error, reader: &mut Reader<BufReader<Watched>>, start: u64) -> (u64, String) {
    match error {
        Error::Io(error) => {
            let bytes = reader.get_ref().get_ref().bytes;
            (bytes, format!("can't be read any further, because of this: {}", plain(error)))
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
fn breaks_off(reader: &Reader<BufReader<Watched>>) -> (u64, String) {
    (reader.get_ref().get_ref().bytes, "breaks off".into())
}

/// Where in the document the reading is.
struct Place {
    /// How many elements are open.
    depth: usize,
    in_function: bool,
    /// Whether the root has ended.
    has_ended: bool,
}

impl Place {
    /// An element begins. Whether it is one behind the end of the report.
    #[inline]
    fn start(
        &mut self,
        tag: &BytesStart,
        file: &str,
        sink: &mut impl Sink,
        ending: &mut Ending,
    ) -> Result<bool, ImportError> {
        let name = tag.name();
        self.depth += 1;
        match (self.depth, name.as_ref()) {
            (1, _) if self.has_ended => return Ok(true),
            (1, "Report") => {}
            (1, other) => {
                let other: String = other.chars().take(40).collect();
                let problem = format!("expected the root element Report, found {}", visible(&other));
                let failure = Failure::new(file, FORMAT.title, problem);
                return Err(failure.advice("`dotspot formats` lists what can be opened").into());
            }
            (2, "Function") => {
                self.in_function = true;
                let row = ending.numbers.row(tag.attributes_raw());
                ending.damaged_rows += u64::from(row.is_damaged);
                sink.function(&row)?;
            }
            (3, "Instance") if self.in_function => {
                let row = ending.numbers.row(tag.attributes_raw());
                ending.damaged_rows += u64::from(row.is_damaged);
                sink.instance(&row)?;
            }
            _ => {}
        }
        Ok(false)
    }

    #[inline]
    fn end(&mut self, sink: &mut impl Sink) {
        if self.depth == 2 && self.in_function {
            self.in_function = false;
            sink.end_function();
        }
        self.depth = self.depth.saturating_sub(1);
        self.has_ended |= self.depth == 0;
    }
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

/// The input, which fails once someone wants to stop.
struct Watched {
    input: Input,
    /// How many bytes were read.
    bytes: u64,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.progress.go_on().map_err(io::Error::other)?;
        let count = self.input.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}
