//! speedscope JSON: what `dotnet-trace convert --format Speedscope` and many other tools write.
//!
//! One object with the members `shared` (`{"frames": [{"name", "file", "line"}]}`) and `profiles`. A profile is a thread. It
//! has a `unit` and is either `evented`, with `events` `{"type": "O" or "C", "frame", "at"}` in time order, or `sampled`,
//! with `samples` (rows of frames, outermost first) and their `weights`. The schema is
//! <https://www.speedscope.app/file-format-schema.json>; read are all versions from 0.0.1 on, with members in any order.
//!
//! | written | read |
//! |---|---|
//! | a close of a frame that is not the innermost, as TraceEvent had them before June 2020 | see [`crate::model::Track`] |
//! | an end that is missing | the frame ends with the profile |
//! | a time before the one that was reached | as if at that one |
//! | `startValue`, `endValue` as strings, as TraceEvent had them before May 2021 | as numbers, as any number may be |
//! | a sample without a weight | weighs 1, as in speedscope |
//! | frames of the same name | one frame; the first place of its source counts |
//!
//! In memory are the tree, the names, and 4 bytes for each sample of a profile until its weights were read. Only where the
//! unit comes after the values these are kept, in 16 bytes each.

mod notes;
mod profiles;

use super::embedded_notes::AboutDocument;
use super::tracks::{FileFrame, FrameTable, Quantity, profile};
use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::Recording;
use profiles::Profiles;
use std::io::Read;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "speedscope",
    title: "speedscope JSON",
    extensions: &[".speedscope.json", ".speedscope"],
    metrics: messages::METRICS_OF_SPEEDSCOPE,
    limitations: messages::LIMITS_OF_SPEEDSCOPE,
    sniff,
    read,
};

/// Part of the schema's address.
const SCHEMA: &str = "speedscope.app";

/// Whether a file starts like one of this format: by its schema, then by the shape of its members.
fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, text, found| match member {
        // others name a copy of their own, or none that is known; then members tell
        "$schema" if text.contains(SCHEMA) => {
            *found = Some(Confidence::Certain);
            false
        }
        "shared.frames"
        | "profiles[].events"
        | "profiles[].samples"
        | "profiles[].startValue"
        | "profiles[].endValue" => {
            *found = Some(Confidence::Likely);
            true
        }
        _ => true,
    })
}

/// Reads a file of this format.
///
/// # Errors
/// If cancelled, or if the file can't be read, or is not JSON, or one without profiles. A file that breaks off is read as far as it
/// goes, and a warning says so.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut file = File::default();
    let broken_off = match file.read_members(&mut reader) {
        Ok(()) => None,
        Err(error) if error.is_truncated() && file.profiles.has_anything() => Some(error.offset()),
        Err(error) => return Err(error.into_import_error(&name, FORMAT.title)),
    };
    if !file.has_profiles {
        let failure = Failure::new(name, FORMAT.title, messages::NO_PROFILES);
        return Err(failure.advice(messages::SEE_FORMATS).into());
    }
    let (recorded, oddities) = file.profiles.finish(file.frames);
    let facts = file.about.facts();
    let oddities = notes::diagnostics(&oddities, &recorded, broken_off);
    let diagnostics = file.about.kept.diagnostics().chain(oddities).collect();
    profile(recorded, name, &FORMAT, facts, diagnostics)
}

/// What was read so far.
#[derive(Default)]
struct File {
    frames: FrameTable,
    profiles: Profiles,
    has_profiles: bool,
    about: AboutDocument,
}

impl File {
    fn read_members<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "shared" => self.read_shared(reader).map_err(in_member("shared"))?,
                "profiles" => {
                    self.has_profiles = true;
                    let read =
                        |reader: &mut JsonReader<R>| self.profiles.read(reader, &self.frames);
                    reader.each(read).map_err(in_member("profiles"))?;
                }
                key => {
                    let member = AboutDocument::member(key);
                    self.about.read(member, reader)?;
                }
            }
        }
        reader.end()
    }

    fn read_shared<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.elements_of("frames", |reader| self.read_frame(reader))
    }

    fn read_frame<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        let (mut name, mut file, mut line) = (String::new(), String::new(), 0);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => name = reader.text()?,
                "file" => file = reader.text()?,
                // `as` takes the nearest bound for what is not a line
                "line" => line = Quantity::read(reader)?.to_f64().unwrap_or(0.0) as u32,
                _ => reader.skip()?,
            }
        }
        self.frames.push(FileFrame {
            name: &name,
            file: &file,
            line,
            ..FileFrame::default()
        });
        Ok(())
    }
}
