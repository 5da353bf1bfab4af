//! `.etl`: traces of Event Tracing for Windows, as written by PerfView, xperf and wpr. Reads CPU samples of the whole
//! machine, with the stacks of the kernel and of programs, and the names of .NET methods.
//!
//! [`buffers`] splits the file ([`xpress`] unpacks), [`headers`] splits buffers into events, [`kernel`] has their
//! payloads, [`window`] puts them in time order, [`trace`] joins samples with their stacks, [`machine`] has processes
//! and threads, [`tree`] resolves addresses and makes the call tree.
//!
//! A stack is an event after the one it belongs to, whose time and thread it repeats. Its kernel and user parts come
//! separately, usually as a key that a later event defines, after which it may be reused. So events must be processed
//! in time order, across the processors' buffers.
//!
//! As in TraceEvent, samples of idle processors are ignored: those of thread 0 in neither an interrupt nor a deferred
//! call. Windows cuts stacks at 96 or 192 addresses, kernel frames included: if other samples are deeper because of
//! these, truncation goes undetected. Native frames are named after their module, as the trace has no symbols.

mod buffers;
mod facts;
mod headers;
mod intervals;
mod kernel;
mod log_file;
mod machine;
mod notes;
mod trace;
mod tree;
mod window;
mod xpress;

use super::stream::{Ending, Stream};
use super::{Format, ReadOptions};
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::error::TreeBuildError;
use crate::input::{Confidence, Head, ImportError, Input, Progress};
use crate::model::{Recording, Source};
use buffers::Buffers;
use headers::Events;
use log_file::LogFile;
use trace::EtlTrace;

pub(super) const FORMAT: Format = Format {
    name: Source::ETL,
    title: "Windows event trace",
    extensions: &[".etl", ".etl.zip"],
    metrics: "CPU, samples",
    limitations: messages::LIMITS_OF_ETL,
    sniff,
    read,
};

const NGEN_PDBS: &str = "NGENPDBS";

fn sniff(head: &Head) -> Option<Confidence> {
    buffers::is_start(head.bytes).then_some(Confidence::Certain)
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let name = input.name.clone();
    let progress = input.progress.clone();
    let has_pdbs = input.siblings.has_folder(NGEN_PDBS);
    let mut buffers = Buffers::new(Stream::new(input, FORMAT.title));
    let mut trace = start(&mut buffers)?;
    while let Some(buffer) = buffers.next()? {
        if !buffer.is_whole {
            trace.damage.note("buffer", buffer.offset);
        }
        trace.read(&buffer, &progress)?;
        if trace.has_wrapped {
            let stream = &buffers.stream;
            let failure = stream.failure(messages::TRACE_WRAPPED).at(stream.offset);
            return Err(failure.advice(messages::RECORD_WITHOUT_SIZE_LIMIT).into());
        }
    }
    trace.finish(&progress)?;
    let profile = profile(&mut trace, name.clone(), &buffers, &progress);
    let mut profile = profile.map_err(|error| error.for_file(&name, FORMAT.title))?;
    let pdbs = has_pdbs.then_some(Diagnostic::NgenPdbsLeftOut {});
    profile.diagnostics.extend(pdbs);
    Ok(profile)
}

fn start(buffers: &mut Buffers) -> Result<EtlTrace, ImportError> {
    let progress = buffers.stream.progress().clone();
    let (problem, offset) = match buffers.next()? {
        Some(buffer) => {
            let first = Events::new(buffer.events).next().ok().flatten();
            let first = first.ok_or_else(|| messages::FIRST_BUFFER_EMPTY.to_string());
            match first.and_then(|event| LogFile::parse(&event)) {
                Ok(file) => {
                    let mut trace = EtlTrace::new(file);
                    return trace.read(&buffer, &progress).map(|()| trace);
                }
                Err(problem) => (problem, 0),
            }
        }
        None => match buffers.ending.clone() {
            Some(Ending::Damaged { problem, at }) => (problem, at),
            Some(Ending::Cut { at }) => (messages::TRACE_ENDS_IN_HEADER.into(), at),
            _ => (messages::TRACE_EMPTY.into(), 0),
        },
    };
    let failure = buffers.stream.failure(problem).at(offset);
    Err(failure.advice(messages::LET_PERFVIEW_FINISH).into())
}

fn profile(
    trace: &mut EtlTrace,
    name: String,
    buffers: &Buffers,
    progress: &Progress,
) -> Result<Recording, TreeBuildError> {
    let mut tree = tree::build(trace, name, buffers.unpacked_bytes, progress)?;
    tree.assembly.diagnostics = notes::diagnostics(buffers.ending.as_ref(), &tree);
    Ok(tree.finish()?)
}

#[cfg(test)]
mod tests;
