//! Reads a profile: unpacks its container, detects its format and runs the reader.

use super::dtp;
use super::format::{Format, ReadOptions};
use super::table::{FORMATS, detect, format_of};
use crate::diagnostics::{Diagnostic, FileDiagnostic};
use crate::importers::messages;
use crate::input::containers::{self, Ranking};
use crate::input::{Confidence, Head, ImportError, Input, Progress, Stage};
use crate::model::{FrameId, Recording, Synthetic};
use std::path::Path;
use std::sync::Arc;

/// Opens a file. If it is named like a dotTrace snapshot, a failure carries the decoding stage.
///
/// # Errors
/// Errors from [`Input::open`].
pub fn open_file(path: &Path, progress: Progress) -> Result<Input, ImportError> {
    let staged = |error: ImportError| {
        if dtp::is_named_like_snapshot(path) {
            error.stage(Stage::Input)
        } else {
            error
        }
    };
    Input::open(path, progress).map_err(staged)
}

/// The profile inside a container, or the input itself if it is not a container.
///
/// # Errors
/// Errors from [`containers::unpack`].
pub fn unpack(input: Input, options: &ReadOptions) -> Result<Input, ImportError> {
    let rank = |head: &Head<'_>| match options.format {
        Some(format) => (format.sniff)(head),
        None => detect(head).and_then(|format| (format.sniff)(head)),
    };
    let formats = options
        .format
        .map_or(messages::THAT_DOTSPOT_KNOWS.into(), |format| {
            format!("of the format {}", format.title)
        });
    containers::unpack(
        input,
        &options.members,
        &Ranking {
            rank: &rank,
            formats,
        },
    )
}

/// Reads a profile in the format its content indicates, unpacking any container around it.
///
/// # Errors
/// Errors from [`unpack`], [`format_of`] and the format's reader.
pub fn import(input: Input) -> Result<Recording, ImportError> {
    let options = ReadOptions::default();
    import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
}

/// Unpacks a profile, detects its format unless `options` name one, runs `read`, and adds diagnostics about its
/// containers and format.
///
/// # Errors
/// As [`import`].
pub fn import_with(
    input: Input,
    options: &ReadOptions,
    read: impl FnOnce(&'static Format, Input) -> Result<Recording, ImportError>,
) -> Result<Recording, ImportError> {
    let outer = input.name.clone();
    let input = unpack(input, options)?;
    let inner = input.name.clone();
    let packaging = input.packaging.clone();
    let (format, doubt) = match options.format {
        Some(format) => (format, None),
        None => {
            let format = format_of(&input)?;
            (format, doubt(format, FORMATS, &input.head()))
        }
    };
    let other = options
        .format
        .and_then(|format| other_than(format, &input.head()));
    let read = read(format, input).map_err(|error| match (error, other) {
        (ImportError::Failed(failure), Some(other)) => failure
            .advice(messages::drop_format_option(&other.title))
            .into(),
        (error, _) => error,
    });
    let mut recording = packaging.settle(&outer, &inner, read)?;
    recording.diagnostics.extend(doubt);
    recording.note_largest_sums();
    recognize_markers(&mut recording);
    recording.classify_code();
    Ok(recording)
}

/// Marks the frames that hold truncated stacks in files written by dotspot, where they are recognizable only by name.
/// O(frames).
pub(super) fn recognize_markers(recording: &mut Recording) {
    let marker = |id: FrameId| Some((id, Synthetic::truncated_named(recording.frames.name(id))?));
    let markers: Vec<(FrameId, Synthetic)> = recording
        .frames
        .iter()
        .filter_map(|(id, _)| marker(id))
        .collect();
    if !markers.is_empty() {
        let frames = Arc::make_mut(&mut recording.frames);
        markers
            .into_iter()
            .for_each(|(id, synthetic)| frames.mark(id, synthetic));
    }
}

/// The format that a file certainly has, if the requested one rejects it.
fn other_than(named: &Format, head: &Head) -> Option<&'static Format> {
    let certain = |format: &&Format| (format.sniff)(head) == Some(Confidence::Certain);
    if (named.sniff)(head).is_some() {
        None
    } else {
        FORMATS.iter().find(certain)
    }
}

fn doubt(taken: &Format, all: &[Format], head: &Head) -> Option<Diagnostic> {
    let confidence = (taken.sniff)(head);
    let others: Vec<String> = all
        .iter()
        .filter(|format| format.name != taken.name && (format.sniff)(head) == confidence)
        .map(|format| format.name.to_string())
        .collect();
    let (format, title) = (taken.name.to_string(), taken.title.to_string());
    (!others.is_empty()).then_some(Diagnostic::File(FileDiagnostic::FormatUncertain {
        format,
        title,
        others,
    }))
}

#[cfg(test)]
mod tests;
