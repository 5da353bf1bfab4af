//! The elements of a report, one by one while the file is read.

use super::growing::{GrowingTree, TITLE};
use super::row::Rows;
use crate::importers::messages;
use crate::input::xml::{Xml, XmlItem};
use crate::input::{Failure, ImportError, Input};
use crate::text::visible;
use quick_xml::events::{BytesStart, Event};

#[derive(Default)]
pub(super) struct ReportEnding {
    pub rows: Rows,
    /// The offset and description of damage.
    pub broken: Option<(u64, String)>,
}

impl ReportEnding {
    /// The rest begins at `offset` and was read after `before` bytes that are not in the file.
    pub(super) fn append(&mut self, rest: ReportEnding, offset: u64, before: u64) {
        self.rows.append(rest.rows);
        let moved = |(at, problem): (u64, String)| (at.saturating_sub(before) + offset, problem);
        self.broken = rest.broken.map(moved);
    }
}

pub(super) struct Elements {
    file: String,
    xml: Xml,
    is_in_function: bool,
    pub ending: ReportEnding,
}

impl Elements {
    pub(super) fn new(input: Input) -> Elements {
        Elements {
            file: input.name.clone(),
            xml: Xml::new(input, TITLE),
            is_in_function: false,
            ending: ReportEnding::default(),
        }
    }

    /// Reads up to damage, or until a `Function` starts at this offset. Returns whether one does.
    pub(super) fn read(
        &mut self,
        sink: &mut GrowingTree,
        until: Option<u64>,
    ) -> Result<bool, ImportError> {
        let mut buffer = Vec::new();
        loop {
            let xml = &mut self.xml;
            if until == Some(xml.position()) && xml.depth == 1 && !self.is_in_function {
                return Ok(true);
            }
            // the root has a depth of 1
            let (depth, ends) = match xml.next(&mut buffer)? {
                XmlItem::Event(Event::Start(tag)) => {
                    let depth = xml.depth;
                    self.start(depth, &tag, sink)?;
                    (depth, false)
                }
                XmlItem::Event(Event::Empty(tag)) => {
                    let depth = xml.depth + 1;
                    self.start(depth, &tag, sink)?;
                    (depth, true)
                }
                XmlItem::Event(Event::End(_)) => (xml.depth + 1, true),
                XmlItem::Event(_) => continue,
                XmlItem::Done => return Ok(false),
                XmlItem::Broken(offset, problem) => {
                    self.ending.broken = Some((offset, problem));
                    return Ok(false);
                }
            };
            if ends && depth == 2 && self.is_in_function {
                self.is_in_function = false;
                sink.functions.end();
            }
        }
    }

    #[inline]
    fn start(
        &mut self,
        depth: usize,
        tag: &BytesStart,
        sink: &mut GrowingTree,
    ) -> Result<(), ImportError> {
        let started = match (depth, tag.name().as_ref()) {
            (1, "Report") => Ok(()),
            (1, other) => {
                let other: String = other.chars().take(40).collect();
                let problem = messages::no_report_element(&visible(&other));
                let failure = Failure::new(&self.file, TITLE, problem);
                Err(failure.advice(messages::SEE_FORMATS).into())
            }
            (2, "Function") => {
                self.is_in_function = true;
                sink.function(&self.ending.rows.row(tag.attributes_raw()))
            }
            (3, "Instance") if self.is_in_function => {
                sink.instance(&self.ending.rows.row(tag.attributes_raw()))
            }
            _ => Ok(()),
        };
        started.map_err(|error: ImportError| error.map(|failure| failure.at(self.xml.start)))
    }
}
