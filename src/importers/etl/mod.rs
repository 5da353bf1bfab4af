//! `.etl`: traces of Event Tracing for Windows, as written by PerfView, xperf and wpr. Reads CPU samples of the whole
//! machine, with the stacks of the kernel and of programs, and with the names of .NET methods.
//!
//! | file | purpose |
//! |---|---|
//! | [`buffers`] | splits the file into buffers; [`xpress`] unpacks them |
//! | [`headers`] | splits buffers into events |
//! | [`log_file`] | the first event: clock, losses, Windows |
//! | [`kernel`] | the events needed for a call tree, and their payloads; those of .NET are in `importers/runtime` |
//! | [`window`] | puts events of all processors in time order |
//! | [`trace`] | keeps what the tree needs; joins samples with their stacks |
//! | [`machine`] | processes and threads, whose ids are reused |
//! | [`places`] | the meaning of addresses over time |
//! | [`tree`] | makes the call tree |
//! | [`intervals`] | the time that a sample represents |
//! | [`facts`], [`notes`] | facts and warnings |
//!
//! A stack is a separate event after the event it belongs to, whose time and thread it repeats. Its kernel and user
//! parts come separately, usually as a key that is defined by an event after all events that use it. The key may then
//! be reused for another stack. So events must be processed in time order, across the processors' buffers.
//!
//! As in TraceEvent, samples of idle processors are ignored: those of thread 0 in neither an interrupt nor a deferred
//! call.
//!
//! Windows cuts stacks at 96 or 192 addresses. Truncation is detected by depth, which includes kernel frames: if other
//! samples are deeper because of kernel frames, truncation goes undetected.
//!
//! Native frames are named after their module, as the trace has no symbols.
//!
//! Memory: a few megabytes of events being sorted, under 100 bytes per sample, each distinct stack once, images and
//! methods.

mod buffers;
mod facts;
mod headers;
mod intervals;
mod kernel;
mod log_file;
mod machine;
mod name;
mod notes;
mod places;
mod trace;
mod tree;
mod window;
mod xpress;

use super::assembly::Samples;
use super::stream::Stream;
use super::{Format, ReadOptions};
use crate::diagnostics::{Diagnostic, Remark};
use crate::importers::messages;
use crate::input::error::GrowError;
use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::Recording;
use buffers::{Buffer, BufferEnding, Buffers, Next};
use headers::Events;
use log_file::LogFile;
use name::{NAME, TITLE};
use trace::EtlTrace;
use tree::{CPU, SampleTree};

/// This format's row in the format table.
pub(super) const FORMAT: Format = Format {
    name: NAME,
    title: TITLE,
    extensions: &[".etl", ".etl.zip"],
    metrics: "CPU, samples",
    limitations: messages::LIMITS_OF_ETL,
    sniff,
    read,
};

/// The folder where PerfView puts symbols of precompiled code.
const NGEN_PDBS: &str = "NGENPDBS";

/// Whether a file starts like a trace, with any clock and compression.
fn sniff(head: &Head) -> Option<Confidence> {
    buffers::is_start(head.bytes).then_some(Confidence::Certain)
}

/// Reads a trace.
///
/// # Errors
/// Cancelled; the file can't be read, is not a trace, or has an unsupported clock or compression; it breaks off or is
/// damaged within its header. Otherwise, a truncated or damaged file is read as far as possible, with a warning.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let name = input.name.clone();
    let progress = input.progress.clone();
    let has_pdbs = input.siblings.has_folder(NGEN_PDBS);
    let mut buffers = Buffers::new(Stream::new(input, TITLE));
    let mut trace = start(&mut buffers)?;
    let ending = loop {
        match buffers.next()? {
            Next::Buffer(Buffer {
                offset,
                processor,
                is_whole,
                events,
            }) => {
                if !is_whole {
                    trace.note_damage(offset);
                }
                trace.read(processor, events, offset, &progress)?;
            }
            Next::Ended(ending) => break ending,
        }
        if trace.has_wrapped {
            return Err(wrapped(&buffers));
        }
    };
    trace.finish(&progress)?;
    let grown = tree::grow(&mut trace, name.clone(), buffers.unpacked_bytes, &progress);
    let profile = grown.and_then(|tree| profile(&trace, &ending, tree));
    let mut profile = profile.map_err(|error| error.of_file(&name, TITLE))?;
    profile
        .diagnostics
        .extend(has_pdbs.then_some(Diagnostic::plain(Remark::NgenPdbsLeftOut)));
    Ok(profile)
}

/// Reads the first buffer, whose first event describes the trace.
fn start(buffers: &mut Buffers) -> Result<EtlTrace, ImportError> {
    let progress = buffers.stream.progress().clone();
    let (parsed, offset) = match buffers.next()? {
        Next::Buffer(Buffer {
            events, processor, ..
        }) => {
            let first = Events::new(events).next().ok().flatten();
            let parsed = first.ok_or_else(|| messages::FIRST_BUFFER_EMPTY.to_string());
            let parsed = parsed.and_then(|event| LogFile::parse(&event)).map(|file| {
                let mut trace = EtlTrace::new(file);
                trace.read(processor, events, 0, &progress).map(|()| trace)
            });
            (parsed, 0)
        }
        Next::Ended(BufferEnding::Damaged { problem, at }) => (Err(problem), at),
        Next::Ended(BufferEnding::Cut { at }) => (Err(messages::TRACE_ENDS_IN_HEADER.into()), at),
        Next::Ended(BufferEnding::Complete) => (Err(messages::TRACE_EMPTY.into()), 0),
    };
    parsed.unwrap_or_else(|problem| {
        let failure = buffers.stream.failure(problem).at(offset);
        Err(failure.advice(messages::LET_PERFVIEW_FINISH).into())
    })
}

fn wrapped(buffers: &Buffers) -> ImportError {
    let stream = &buffers.stream;
    let failure = stream.failure(messages::TRACE_WRAPPED).at(stream.offset);
    failure.advice(messages::RECORD_WITHOUT_SIZE_LIMIT).into()
}

fn profile(
    trace: &EtlTrace,
    ending: &BufferEnding,
    mut tree: SampleTree,
) -> Result<Recording, GrowError> {
    tree.grown.diagnostics = notes::diagnostics(trace, ending, &tree);
    let found = tree.grown.truncated_in_threads(&tree.log);
    let samples = Samples {
        log: tree.log,
        found,
        measure: Some(CPU),
        has_samples: true,
        if_any: None,
        otherwise: CPU,
    };
    Ok(tree.grown.profile_of_samples(samples)?)
}

#[cfg(test)]
mod tests;
