//! Chromium trace-event JSON: written by `dotnet-trace convert --format Chromium`, browsers, Hermes and many other
//! tools, described in <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU/preview>.
//!
//! An array of events, whose closing `]` may be missing, or an object with that array as `traceEvents`. `B` and `E`, or
//! `X` with its duration, open and close frames. Each has a process (`pid`), a thread (`tid`) and a time in
//! microseconds. `M` events name processes and threads. If the object has `samples` that refer to `stackFrames`, these
//! are the profile. V8 CPU profiles ([`cpu`]) are used, unless the user names the format; then the frames of events are
//! read instead, since the two can't be added up.
//!
//! `docs/format-details.md` lists what differs from speedscope's reader, the reference in tests.
//!
//! The events of a thread are buffered, in 24 bytes each, and sorted at the end. A thread with 65,536 `B` and `E`
//! events in order is assumed to stay in order: a late event is then treated as if at the latest time so far. Most
//! writers write `X` events when they end, callees first.
//!
//! Files from dotnet-trace store modules as the categories of `stackFrames`, which follow the events. Their `parent` is
//! not used: it is the first caller seen.

mod cpu;
mod events;
mod ids;
mod player;
mod rows;
mod threads;

use super::embedded_notes::DocumentOrigin;
use super::tracks::profile;
use super::{Format, ReadOptions};
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonKind, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{ProfileKind, Recording, TooLarge};
use cpu::CpuProfiles;
use events::{read_event, read_sources};
use rows::EventNames;
use std::io::Read;
use threads::ThreadTable;

pub(super) const FORMAT: Format = Format {
    name: "trace-event",
    title: "Chromium trace-event JSON",
    extensions: &[".chromium.json"],
    metrics: messages::METRICS_OF_TRACE_EVENTS,
    limitations: messages::LIMITS_OF_TRACE_EVENTS,
    sniff,
    read,
};

fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, _, found| {
        *found = matches!(member, "traceEvents" | "[].ph").then_some(Confidence::Likely);
        found.is_none()
    })
}

fn read(input: Input, options: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut file = File::default();
    let read = file.read_document(&mut reader);
    let incomplete_at = JsonError::unexpected_end(read, file.has_events, &name, FORMAT.title)?;
    if !file.is_array && !file.has_trace_events && !file.threads.has_samples() {
        let failure = Failure::new(name, FORMAT.title, messages::NO_TRACE_EVENTS);
        return Err(failure.advice(messages::SEE_FORMATS).into());
    }
    let origin = file.origin;
    // users who name the format want its spans
    let wants_spans = options.format.is_some();
    let finished = (file.threads).finish(file.rows, file.cpu, wants_spans, reader.offset());
    let (mut collected, anomalies) = finished.map_err(|TooLarge| too_large(&name, FORMAT.title))?;
    if origin.is_own() {
        // its events were laid out from a tree, and are not calls
        (collected.counts, collected.kind) = (None, ProfileKind::Unknown);
    }
    let facts = origin.facts();
    let diagnostics = origin.sentences.diagnostics();
    let diagnostics = diagnostics.chain(incomplete_at.map(Diagnostic::file_ends_at));
    let diagnostics = diagnostics.chain(anomalies).collect();
    profile(collected, name, &FORMAT, facts, diagnostics)
}

#[derive(Default)]
struct File {
    rows: EventNames,
    cpu: CpuProfiles,
    threads: ThreadTable,
    is_array: bool,
    has_trace_events: bool,
    has_events: bool,
    origin: DocumentOrigin,
}

impl File {
    fn read_document<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if reader.peek()? == JsonKind::Array {
            self.is_array = true;
            self.read_events(reader)?;
            return reader.end();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "traceEvents" => {
                    self.has_trace_events = true;
                    self.read_events(reader).map_err(in_member("traceEvents"))?;
                }
                "samples" => self.read_samples(reader).map_err(in_member("samples"))?,
                "stackFrames" => self
                    .rows
                    .read_stack_frames(reader)
                    .map_err(in_member("stackFrames"))?,
                "otherData" => self.read_other_data(reader)?,
                _ => reader.skip()?,
            }
        }
        reader.end()
    }

    fn read_events<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_array()?;
        loop {
            match reader.next_element() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // the closing bracket may be missing
                Err(error) if self.is_array && self.has_events && error.is_truncated() => {
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            reader.report_nodes(self.threads.node_count());
            let event = read_event(reader, &mut self.rows, &mut self.cpu)?;
            self.has_events = true;
            let name = || self.rows.text(event.name);
            self.cpu.take((event.process, event.thread), event.at, name);
            let added = self.threads.add_event(event, &mut self.rows);
            added.map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
        }
    }

    fn read_samples<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.each(|reader| {
            let event = read_event(reader, &mut self.rows, &mut self.cpu)?;
            self.has_events = true;
            self.threads.add_sample(&event);
            Ok(())
        })
    }

    fn read_other_data<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if !reader.enter_if_object()? {
            return Ok(());
        }
        while let Some(key) = reader.next_key()? {
            match key {
                "sources" => read_sources(reader, &mut self.rows)?,
                key => {
                    let key = key.to_string();
                    self.origin.read(&key, reader)?;
                }
            }
        }
        Ok(())
    }
}
