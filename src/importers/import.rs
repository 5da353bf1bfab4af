//! Reads a profile: unpacks its container, detects its format and runs the reader.

use super::dtp;
use super::format::{Format, ReadOptions};
use super::table::{FORMATS, detect, format_of};
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::containers::{self, Ranking};
use crate::input::{Confidence, Head, ImportError, Input, Progress, Stage};
use crate::model::{FrameId, Recording, Synthetic};
use std::path::Path;
use std::sync::Arc;

/// Opens a file. Failures of what is named like a dotTrace snapshot carry the decoding stage.
pub fn open_file(path: &Path, progress: Progress) -> Result<Input, ImportError> {
    Input::open(path, progress).map_err(|error| match dtp::is_named_like_snapshot(path) {
        true => error.stage(Stage::Input),
        false => error,
    })
}

/// The profile inside a container, or the input itself.
pub fn unpack(input: Input, options: &ReadOptions) -> Result<Input, ImportError> {
    let rank = |head: &Head<'_>| match options.format {
        Some(format) => (format.sniff)(head),
        None => detect(head).and_then(|format| (format.sniff)(head)),
    };
    let ranking = Ranking {
        rank: &rank,
        formats: match options.format {
            Some(format) => format!("of the format {}", format.title),
            None => messages::THAT_DOTSPOT_KNOWS.into(),
        },
    };
    containers::unpack(input, &options.members, &ranking)
}

/// Unpacks a profile and reads it in the format its content indicates.
pub fn import(input: Input) -> Result<Recording, ImportError> {
    let options = ReadOptions::default();
    import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
}

/// Unpacks a profile, detects its format unless `options` name one, runs `read`, and adds diagnostics.
pub fn import_with(
    input: Input,
    options: &ReadOptions,
    read: impl FnOnce(&'static Format, Input) -> Result<Recording, ImportError>,
) -> Result<Recording, ImportError> {
    let outer = input.name.clone();
    let input = unpack(input, options)?;
    let inner = input.name.clone();
    let packaging = input.packaging.clone();
    let (format, format_uncertainty, other) = match options.format {
        Some(format) => (format, None, contradicting_format(format, &input.head())),
        None => {
            let format = format_of(&input)?;
            (
                format,
                format_uncertainty(format, FORMATS, &input.head()),
                None,
            )
        }
    };
    let read = read(format, input).map_err(|error| match (error, other) {
        (ImportError::Failed(failure), Some(other)) => failure
            .advice(messages::drop_format_option(&other.title))
            .into(),
        (error, _) => error,
    });
    let mut recording = packaging.settle(&outer, &inner, read)?;
    recording.diagnostics.extend(format_uncertainty);
    recording.warn_of_saturated_sums();
    recognize_markers(&mut recording);
    recording.classify_code();
    Ok(recording)
}

/// In files written by dotspot, only their names reveal the frames of truncated stacks.
pub(super) fn recognize_markers(recording: &mut Recording) {
    let marker = |id: FrameId| Some((id, Synthetic::truncated_named(recording.frames.name(id))?));
    let markers = recording.frames.iter().filter_map(|(id, _)| marker(id));
    let markers: Vec<(FrameId, Synthetic)> = markers.collect();
    for (id, synthetic) in markers {
        Arc::make_mut(&mut recording.frames).mark(id, synthetic);
    }
}

/// What a file certainly is, if the requested format rejects it.
fn contradicting_format(named: &Format, head: &Head) -> Option<&'static Format> {
    let certain = |format: &&Format| (format.sniff)(head) == Some(Confidence::Certain);
    let other = FORMATS.iter().find(certain);
    other.filter(|_| (named.sniff)(head).is_none())
}

fn format_uncertainty(chosen: &Format, formats: &[Format], head: &Head) -> Option<Diagnostic> {
    let confidence = (chosen.sniff)(head);
    let is_other =
        |format: &&Format| format.name != chosen.name && (format.sniff)(head) == confidence;
    let others = formats
        .iter()
        .filter(is_other)
        .map(|format| format.name.into());
    let others: Vec<String> = others.collect();
    (!others.is_empty()).then_some(Diagnostic::FormatUncertain {
        format: chosen.name.into(),
        title: chosen.title.into(),
        others,
    })
}

#[cfg(test)]
mod tests;
