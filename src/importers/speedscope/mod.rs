//! speedscope JSON: written by `dotnet-trace convert --format Speedscope` and many other tools.
//!
//! One object with `shared` (`{"frames": [{"name", "file", "line"}]}`) and `profiles`, which are threads. A profile
//! has a `unit` and is either `evented`, with `events` `{"type": "O" or "C", "frame", "at"}` in time order, or
//! `sampled`, with `samples` (rows of frames, outermost first) and their `weights`. The schema is
//! <https://www.speedscope.app/file-format-schema.json>; all versions since 0.0.1 are accepted, with members in any
//! order.
//!
//! | written | read |
//! |---|---|
//! | a close of a frame other than the innermost, as from TraceEvent before June 2020 | see [`crate::model::Track`] |
//! | a missing end | the frame ends with the profile |
//! | a time before the current one | as if at the current one |
//! | `startValue`, `endValue` as strings, as from TraceEvent before May 2021 | as numbers; any number may be a string |
//! | a sample without a weight | weighs 1, as in speedscope |
//! | frames with the same name | one frame; the first source location wins |

mod profiles;

use super::embedded_notes::DocumentOrigin;
use super::tracks::{FileFrame, FrameTable, Quantity, profile};
use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::Recording;
use profiles::Profiles;
use std::io::Read;

pub(super) const FORMAT: Format = Format {
    name: "speedscope",
    title: "speedscope JSON",
    extensions: &[".speedscope.json", ".speedscope"],
    metrics: messages::METRICS_OF_SPEEDSCOPE,
    limitations: messages::LIMITS_OF_SPEEDSCOPE,
    sniff,
    read,
};

const SCHEMA: &str = "speedscope.app";

fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, text, found| match member {
        // others name their own copy of the schema, or an unknown one; then members decide
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

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut file = File::default();
    let read = file.read_members(&mut reader);
    let has_any = file.profiles.has_anything();
    let incomplete_at = JsonError::unexpected_end(read, has_any, &name, FORMAT.title)?;
    if !file.has_profiles {
        let failure = Failure::new(name, FORMAT.title, messages::NO_PROFILES);
        return Err(failure.advice(messages::SEE_FORMATS).into());
    }
    let (collected, anomalies) = file.profiles.finish(file.frames, incomplete_at);
    let facts = file.origin.facts();
    let diagnostics = file
        .origin
        .sentences
        .diagnostics()
        .chain(anomalies)
        .collect();
    profile(collected, name, &FORMAT, facts, diagnostics)
}

#[derive(Default)]
struct File {
    frames: FrameTable,
    profiles: Profiles,
    has_profiles: bool,
    origin: DocumentOrigin,
}

impl File {
    fn read_members<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "shared" => reader
                    .elements_of("frames", |reader| self.read_frame(reader))
                    .map_err(in_member("shared"))?,
                "profiles" => {
                    self.has_profiles = true;
                    reader
                        .each(|reader| self.profiles.read(reader, &self.frames))
                        .map_err(in_member("profiles"))?;
                }
                key => {
                    let key = key.to_string();
                    self.origin.read(&key, reader)?;
                }
            }
        }
        reader.end()
    }

    fn read_frame<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        let (mut name, mut file, mut line) = (String::new(), String::new(), 0);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => name = reader.text()?,
                "file" => file = reader.text()?,
                // `as` saturates if the value is not a line
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
