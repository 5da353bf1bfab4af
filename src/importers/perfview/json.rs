//! The JSON form: samples with their stacks.

use super::name::TITLE;
use super::stacks::{Stacks, Weight};
use crate::importers::tracks::Quantity;
use crate::input::error::GrowError;
use crate::input::json::{JsonError, JsonKind, JsonProblem, JsonReader, in_member};
use crate::input::{ImportError, Input};
use crate::model::FrameId;
use std::io::Read;

/// Reads the samples of a file into `stacks`. Returns the offset and description if the file breaks off.
pub(super) fn read(
    input: Input,
    stacks: &mut Stacks,
) -> Result<Option<(u64, String)>, ImportError> {
    let file = input.name.clone();
    let mut reader = JsonReader::new(input).watched_by(stacks.progress.clone());
    match read_members(&mut reader, stacks) {
        Ok(()) => Ok(None),
        Err(error) if error.is_truncated() => Ok(Some((error.offset(), "breaks off".into()))),
        Err(error) => Err(error.into_import_error(&file, TITLE)),
    }
}

fn read_members<R: Read>(reader: &mut JsonReader<R>, stacks: &mut Stacks) -> Result<(), JsonError> {
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        if key == "StackSource" {
            read_source(reader, stacks).map_err(in_member("StackSource"))?;
        } else {
            reader.skip()?;
        }
    }
    reader.end()
}

fn read_source<R: Read>(reader: &mut JsonReader<R>, stacks: &mut Stacks) -> Result<(), JsonError> {
    reader.elements_of("Samples", |reader| {
        let (stack, weight) = read_sample(reader, stacks).map_err(in_member("Samples"))?;
        // the innermost frame comes first in the file
        let added = stacks.add_sample_with_stack(stack.into_iter().rev(), weight);
        added
            .map(drop)
            .map_err(|error| unwelcome(&error, reader.offset()))
    })
}

fn read_sample<R: Read>(
    reader: &mut JsonReader<R>,
    stacks: &mut Stacks,
) -> Result<(Vec<FrameId>, Weight), JsonError> {
    let (mut stack, mut weight, mut count) = (Vec::new(), stacks.weight(None), None);
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "Metric" => weight = stacks.weight(Some(Quantity::read(reader)?)),
            "Count" => count = Quantity::read(reader)?.scaled(1).map(|count| count.value),
            "Stack" => read_stack(reader, stacks, &mut stack)?,
            _ => reader.skip()?,
        }
    }
    Ok((stack, weight.of_samples(count)))
}

fn read_stack<R: Read>(
    reader: &mut JsonReader<R>,
    stacks: &mut Stacks,
    stack: &mut Vec<FrameId>,
) -> Result<(), JsonError> {
    if reader.peek()? != JsonKind::Array {
        return reader.skip();
    }
    reader.each(|reader| {
        match reader.peek()? {
            JsonKind::String => stack.push(stacks.row(reader.string()?)),
            _ => reader.skip()?,
        }
        Ok(())
    })
}

/// The error for samples that could not be added, at this offset.
fn unwelcome(error: &GrowError, offset: u64) -> JsonError {
    match error {
        GrowError::Cancelled => JsonError::new(offset, JsonProblem::Cancelled),
        GrowError::TooLarge => JsonError::tree_full(offset),
    }
}
