use super::FORMAT;
use super::stacks::{Stacks, Weight};
use crate::importers::tracks::Quantity;
use crate::input::error::TreeBuildError;
use crate::input::json::{JsonError, JsonKind, JsonProblem, JsonReader, in_member};
use crate::input::{ImportError, Input};
use crate::model::FrameId;
use std::io::Read;

pub(super) fn read(
    input: Input,
    stacks: &mut Stacks,
) -> Result<Option<(u64, String)>, ImportError> {
    let file = input.name.clone();
    let mut reader = JsonReader::new(input).watched_by(stacks.progress.clone());
    match read_members(&mut reader, stacks) {
        Ok(()) => Ok(None),
        Err(error) if error.is_truncated() => {
            Ok(Some((error.offset(), "ends unexpectedly".into())))
        }
        Err(error) => Err(error.into_import_error(&file, FORMAT.title)),
    }
}

fn read_members<R: Read>(reader: &mut JsonReader<R>, stacks: &mut Stacks) -> Result<(), JsonError> {
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        if key == "StackSource" {
            let samples = reader.elements_of("Samples", |reader| add_sample(reader, stacks));
            samples.map_err(in_member("StackSource"))?;
        } else {
            reader.skip()?;
        }
    }
    reader.end()
}

fn add_sample<R: Read>(reader: &mut JsonReader<R>, stacks: &mut Stacks) -> Result<(), JsonError> {
    let (stack, weight) = read_sample(reader, stacks).map_err(in_member("Samples"))?;
    let added = stacks.add_sample_with_stack(stack.into_iter().rev(), weight);
    added.map_err(|error| match error {
        TreeBuildError::Cancelled => JsonError::new(reader.offset(), JsonProblem::Cancelled),
        TreeBuildError::TooLarge => JsonError::tree_full(reader.offset()),
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
            "Stack" => match reader.peek()? {
                JsonKind::Array => reader.each(|reader| {
                    match reader.peek()? {
                        JsonKind::String => stack.push(stacks.row(reader.string()?)),
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            },
            _ => reader.skip()?,
        }
    }
    Ok((stack, weight.of_samples(count)))
}
