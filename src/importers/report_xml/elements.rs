//! The elements of a report, passed on one by one while the file is read.

use super::growing::GrowingTree;
use super::name::TITLE;
use super::row::{Numbers, ReportRow};
use crate::importers::messages;
use crate::input::xml::{Xml, XmlItem};
use crate::input::{Failure, ImportError, Input};
use crate::text::visible;
use quick_xml::events::{BytesStart, Event};

#[derive(Debug, Default)]
pub(super) struct ReportEnding {
    pub numbers: Numbers,
    /// The offset and description of what is wrong with the file, if anything.
    pub broken: Option<(u64, String)>,
    /// Rows whose attributes end in something malformed.
    pub damaged_rows: u64,
}

impl ReportEnding {
    /// Appends the ending of the rest, which begins at `offset` and was read after `before` bytes that are not in the
    /// file.
    pub(super) fn append(&mut self, rest: ReportEnding, offset: u64, before: u64) {
        self.numbers.append(rest.numbers);
        self.broken = rest
            .broken
            .map(|(at, problem)| (at.saturating_sub(before) + offset, problem));
        self.damaged_rows += rest.damaged_rows;
    }

    #[inline]
    fn row<'a>(&mut self, tag: &'a BytesStart) -> ReportRow<'a> {
        let row = self.numbers.row(tag.attributes_raw());
        self.damaged_rows += u64::from(row.is_damaged);
        row
    }
}

/// Reads the elements of a report into `sink`, as far as it is not damaged.
pub(super) fn read_elements(
    input: Input,
    sink: &mut GrowingTree,
) -> Result<ReportEnding, ImportError> {
    let mut elements = Elements::new(input);
    elements.read(sink, None)?;
    Ok(elements.ending)
}

/// The elements of a report, which can be read in two steps.
pub(super) struct Elements {
    file: String,
    xml: Xml,
    place: ReportPosition,
    pub ending: ReportEnding,
}

impl Elements {
    pub(super) fn new(input: Input) -> Elements {
        let file = input.name.clone();
        Elements {
            file,
            xml: Xml::new(input, TITLE),
            place: ReportPosition::default(),
            ending: ReportEnding::default(),
        }
    }

    /// Reads to the end, or until a `Function` starts at this offset. Returns whether one does.
    pub(super) fn read(
        &mut self,
        sink: &mut GrowingTree,
        until: Option<u64>,
    ) -> Result<bool, ImportError> {
        let Elements {
            file,
            xml,
            place,
            ending,
        } = self;
        let mut buffer = Vec::new();
        loop {
            if until == Some(xml.position()) && xml.depth == 1 && !place.in_function {
                return Ok(true);
            }
            match xml.next(&mut buffer)? {
                XmlItem::Event(Event::Start(tag)) => {
                    place
                        .start(xml.depth, &tag, file, sink, ending)
                        .map_err(|error| at(error, xml.start))?;
                }
                XmlItem::Event(Event::Empty(tag)) => {
                    let depth = xml.depth + 1;
                    place
                        .start(depth, &tag, file, sink, ending)
                        .map_err(|error| at(error, xml.start))?;
                    place.end(depth, sink);
                }
                XmlItem::Event(Event::End(_)) => place.end(xml.depth + 1, sink),
                XmlItem::Event(_) => {}
                XmlItem::Done => return Ok(false),
                XmlItem::Broken(offset, problem) => {
                    ending.broken = Some((offset, problem));
                    return Ok(false);
                }
            }
        }
    }
}

#[cold]
fn at(error: ImportError, offset: u64) -> ImportError {
    match error {
        ImportError::Cancelled => ImportError::Cancelled,
        ImportError::Failed(failure) => failure.at(offset).into(),
    }
}

#[derive(Default)]
struct ReportPosition {
    in_function: bool,
}

impl ReportPosition {
    /// Handles the start of an element; the root has a depth of 1.
    #[inline]
    fn start(
        &mut self,
        depth: usize,
        tag: &BytesStart,
        file: &str,
        sink: &mut GrowingTree,
        ending: &mut ReportEnding,
    ) -> Result<(), ImportError> {
        match (depth, tag.name().as_ref()) {
            (1, "Report") => Ok(()),
            (1, other) => {
                let other: String = other.chars().take(40).collect();
                let problem = messages::no_report_element(&visible(&other));
                let failure = Failure::new(file, TITLE, problem);
                Err(failure.advice(messages::SEE_FORMATS).into())
            }
            (2, "Function") => {
                self.in_function = true;
                sink.function(&ending.row(tag))
            }
            (3, "Instance") if self.in_function => sink.instance(&ending.row(tag)),
            _ => Ok(()),
        }
    }

    #[inline]
    fn end(&mut self, depth: usize, sink: &mut GrowingTree) {
        if depth == 2 && self.in_function {
            self.in_function = false;
            sink.end_function();
        }
    }
}
