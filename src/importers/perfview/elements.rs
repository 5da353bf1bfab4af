use super::FORMAT;
use super::stacks::{Stacks, Weight};
use crate::importers::messages;
use crate::importers::tracks::Quantity;
use crate::input::error::TreeBuildError;
use crate::input::json::JsonNumber;
use crate::input::xml::{Attributes, Xml, XmlItem, character};
use crate::input::{Failure, ImportError, Input};
use crate::text::visible;
use crate::units::thousands;
use quick_xml::events::{BytesStart, Event};

/// Of a text, or of its pieces between references; enough for a stack of 1,000,000 frames.
const MAX_TEXT_BYTES: usize = 256 << 20;

pub(super) const ROOTS: [&str; 2] = ["StackWindow", "StackSource"];

/// Returns the offset and problem if the XML becomes invalid.
pub(super) fn read(
    input: Input,
    stacks: &mut Stacks,
) -> Result<Option<(u64, String)>, ImportError> {
    let file = input.name.clone();
    let mut xml = Xml::new(input, FORMAT.title);
    let mut state = ReadingState {
        stacks,
        source: SourcePosition::Before,
        open: None,
        text: String::new(),
    };
    let mut buffer = Vec::new();
    loop {
        let event = match xml.next(&mut buffer)? {
            XmlItem::Event(event) => event,
            XmlItem::Done => return Ok(None),
            XmlItem::Broken(offset, problem) => return Ok(Some((offset, problem))),
        };
        let result = match event {
            Event::Start(tag) => {
                check_root(&tag, xml.depth, &file)?;
                state.start(&tag, xml.depth)
            }
            Event::Empty(tag) => {
                let depth = xml.depth + 1;
                check_root(&tag, depth, &file)?;
                state.start(&tag, depth).and_then(|()| state.end(depth))
            }
            Event::End(_) => state.end(xml.depth + 1),
            Event::Text(text) => state.text(xml.depth, &[&text]),
            Event::CData(text) => state.text(xml.depth, &[&text]),
            Event::GeneralRef(name) => match character(name.as_bytes()) {
                Some(c) => state.text(xml.depth, &[c.encode_utf8(&mut [0; 4])]),
                None => state.text(xml.depth, &["&", &*name, ";"]),
            },
            _ => Ok(()),
        };
        result.map_err(|error| error.for_file(&file, FORMAT.title))?;
        if state.text.len() > MAX_TEXT_BYTES {
            let limit = thousands(MAX_TEXT_BYTES as u64);
            return Ok(Some((xml.start, messages::text_more_than_bytes(&limit))));
        }
    }
}

fn check_root(tag: &BytesStart, depth: usize, file: &str) -> Result<(), ImportError> {
    let name = tag.name();
    if depth > 1 || ROOTS.contains(&name.as_ref()) {
        return Ok(());
    }
    let name: String = name.as_ref().chars().take(40).collect();
    let problem = messages::no_stack_window(&visible(&name));
    let failure = Failure::new(file, FORMAT.title, problem);
    Err(failure.advice(messages::SEE_FORMATS).into())
}

/// As in PerfView, only the first `StackSource` element is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourcePosition {
    Before,
    Inside(usize),
    After,
}

enum OpenElement {
    Frame(Option<u32>),
    Sample(Option<u32>, Weight),
}

struct ReadingState<'a> {
    stacks: &'a mut Stacks,
    source: SourcePosition,
    /// With its depth.
    open: Option<(usize, OpenElement)>,
    text: String,
}

impl ReadingState<'_> {
    fn start(&mut self, tag: &BytesStart, depth: usize) -> Result<(), TreeBuildError> {
        match (self.source, tag.name().as_ref()) {
            (SourcePosition::Before, "StackSource") => self.source = SourcePosition::Inside(depth),
            (SourcePosition::Inside(_), name) if self.open.is_none() => match name {
                "Frame" => {
                    let [number] = numbers(tag, ["ID"]);
                    self.open = Some((depth, OpenElement::Frame(number)));
                }
                "Stack" => match numbers(tag, ["ID", "CallerID", "FrameID"]) {
                    // a missing frame has no name, but it can have callees
                    [Some(number), caller, frame] => {
                        self.stacks.add_stack(number, caller, frame)?
                    }
                    _ => self.stacks.note_bad_row(),
                },
                "Sample" => {
                    let (stack, weight) = self.sample(tag);
                    self.open = Some((depth, OpenElement::Sample(stack, weight)));
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn sample(&mut self, tag: &BytesStart) -> (Option<u32>, Weight) {
        let (mut metric, mut count) = (None, None);
        for (name, value) in Attributes::new(tag.attributes_raw()) {
            match name {
                b"Metric" => metric = Some(quantity(value)),
                b"Count" => count = quantity(value).scaled(1).map(|count| count.value),
                _ => {}
            }
        }
        let [stack] = numbers(tag, ["StackID"]);
        (stack, self.stacks.weight(metric).of_samples(count))
    }

    fn text(&mut self, depth: usize, pieces: &[&str]) -> Result<(), TreeBuildError> {
        if self.open.as_ref().is_some_and(|(open, _)| *open == depth) {
            self.text.extend(pieces.iter().copied());
        }
        Ok(())
    }

    fn end(&mut self, depth: usize) -> Result<(), TreeBuildError> {
        if self.source == SourcePosition::Inside(depth) {
            self.source = SourcePosition::After;
        }
        let Some((_, open)) = self.open.take_if(|(open, _)| *open == depth) else {
            return Ok(());
        };
        let text = std::mem::take(&mut self.text);
        match open {
            OpenElement::Frame(Some(number)) => self.stacks.add_frame(number, text.trim()),
            OpenElement::Frame(None) => self.stacks.note_bad_row(),
            OpenElement::Sample(stack, weight) => match text.trim() {
                "" => self.stacks.add_sample(stack, weight)?,
                lines => {
                    let rows = lines.lines().rev().map(str::trim);
                    let rows = rows.filter(|line| !line.is_empty());
                    let rows: Vec<_> = rows.map(|line| self.stacks.row(line)).collect();
                    self.stacks.add_sample_with_stack(rows, weight)?;
                }
            },
        }
        // reuses the memory
        self.text = text;
        self.text.clear();
        Ok(())
    }
}

fn numbers<const N: usize>(tag: &BytesStart, names: [&str; N]) -> [Option<u32>; N] {
    let mut found = [None; N];
    for (name, value) in Attributes::new(tag.attributes_raw()) {
        if let Some(at) = names.iter().position(|wanted| wanted.as_bytes() == name) {
            let number = JsonNumber::parse(value.trim_ascii()).and_then(|number| number.to_u64());
            let number = number.and_then(|number| u32::try_from(number).ok());
            found[at] = number.filter(|&number| number < u32::MAX);
        }
    }
    found
}

/// .NET writes most numbers as in JSON.
fn quantity(value: &[u8]) -> Quantity<'_> {
    let value = value.trim_ascii();
    match JsonNumber::parse(value) {
        Some(number) => Quantity::Number(number),
        None => Quantity::of_text(std::str::from_utf8(value).unwrap_or_default()),
    }
}
