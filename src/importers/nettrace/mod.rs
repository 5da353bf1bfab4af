//! `.nettrace` and `.netperf`: written by dotnet-trace, the runtime's EventPipe and one-collect. Reads version 3 (.NET
//! Core 2.1), version 4 (every runtime since .NET Core 3.0) and version 6 (dotnet-trace collect-linux, record-trace).
//!
//! `version` examines the first bytes; [`objects`] (versions 3 and 4) and [`v6`] split the file into blocks, `events`
//! splits these into events, `metadata` has their kinds, `recording` has what the tree needs, [`spaces`] has processes,
//! `tree` makes the call tree, `log` assigns time to samples. `live` and `blocks` read a recording while it is written.
//!
//! The runtime's sampler samples all threads, so a sample lasts until the thread's next one. Samples of version 6 are
//! taken on running processors and represent the time stated in the file; time off the processor comes from context
//! switches. Allocation events have bytes, in separate frames below the stack.
//!
//! An event about a method without names (`MethodUnload`, which an exiting process sends for all methods) takes them
//! from any event with the same id and start. `R2RGetEntryPoint` only completes such names: it lacks the method's size.
//!
//! TraceEvent also treats allocation and task (TPL) events with a stack as samples of a running thread, and places what
//! a task or an activity does below the one that started it. Here, only the sampler's samples have time.

mod blocks;
mod events;
mod framing;
mod live;
mod log;
mod losses;
mod metadata;
mod metrics;
mod notes;
mod numbered;
mod objects;
mod recording;
mod spaces;
mod stacks;
mod threads;
mod tree;
mod v6;
mod version;

pub(crate) use live::{Tally, blocks_of_names, end_of_recording};

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::importers::stream::{Ending, Stream};
use crate::input::error::TreeBuildError;
use crate::input::{Failure, ImportError, Input, Progress};
use crate::model::{self, ProfileKind, Source};
use framing::{BlockReader, StopReason, header_cut};
use recording::NettraceRecording;
use version::Framing;

pub(super) const FORMAT: Format = Format {
    name: "nettrace",
    title: "dotnet-trace recording",
    extensions: &[".nettrace", ".netperf"],
    metrics: messages::METRICS_OF_NETTRACE,
    limitations: messages::LIMITS_OF_NETTRACE,
    sniff: version::sniff,
    read,
};

fn read(input: Input, _: &ReadOptions) -> Result<model::Recording, ImportError> {
    let name = input.name.clone();
    let progress = input.progress.clone();
    let (mut recording, ending, stream) = read_blocks(Stream::new(input, FORMAT.title))?;
    if let Ending::Damaged { at, problem } = &ending
        && !recording.has_content()
    {
        return Err(stream.failure(problem).at(*at).into());
    }
    recording.finish();
    let facts = notes::facts(&recording);
    let source = Source::read_here(name.clone(), FORMAT.name, ProfileKind::Sampling, facts);
    profile(&mut recording, &ending, source, stream.offset, &progress)
        .map_err(|error| error.for_file(&name, FORMAT.title))
}

fn profile(
    recording: &mut NettraceRecording,
    ending: &Ending,
    source: Source,
    file_bytes: u64,
    progress: &Progress,
) -> Result<model::Recording, TreeBuildError> {
    let (mut tree, log) = tree::build(recording, source, file_bytes, progress)?;
    let found = tree.assembly.truncated_in_threads(&log);
    tree.assembly.diagnostics = notes::diagnostics(ending, &tree, found.is_some());
    Ok(tree.finish(log, found)?)
}

/// Returns the stream where the file ended. Fails if the header can't be read.
fn read_blocks(mut stream: Stream) -> Result<(NettraceRecording, Ending, Stream), ImportError> {
    let framing = version::read(&mut stream)?;
    let content = Vec::new();
    let mut blocks = BlockReader { stream, content };
    let header = match framing {
        Framing::V6 => blocks.trace_block(),
        _ => blocks.trace_object(framing),
    };
    let mut recording = match header {
        Ok(header) => NettraceRecording::new(header, framing == Framing::V6),
        Err(StopReason::Failed(error)) => return Err(error),
        Err(StopReason::Ended(ending)) => return Err(no_header(&blocks.stream, ending).into()),
    };
    loop {
        let read = match framing {
            Framing::V6 => blocks.block(&mut recording),
            _ => blocks.object(framing, &mut recording),
        };
        match read {
            Ok(()) => blocks.stream.progress().at(0)?,
            Err(StopReason::Failed(error)) => return Err(error),
            Err(StopReason::Ended(ending)) => return Ok((recording, ending, blocks.stream)),
        }
    }
}

fn no_header(stream: &Stream, ending: Ending) -> Failure {
    match ending {
        Ending::Damaged { at, problem } => stream.failure(problem).at(at),
        Ending::Complete => stream
            .failure(messages::ONLY_A_HEADER)
            .advice("record it again"),
        Ending::Cut { at } => header_cut(stream, at),
    }
}
