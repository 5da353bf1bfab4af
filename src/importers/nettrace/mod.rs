//! `.nettrace` and `.netperf`: what dotnet-trace, the runtime's EventPipe and one-collect write. Read are version 3 (.NET
//! Core 2.1), version 4 (every runtime since .NET Core 3.0) and version 6 (dotnet-trace collect-linux, record-trace).
//!
//! | file | does |
//! |---|---|
//! | `version` | looks at the first bytes |
//! | [`objects`] | the framing of versions 3 and 4: takes the file apart into blocks |
//! | [`v6`] | the framing of version 6 |
//! | `framing` | what both have in common |
//! | `live`, `blocks` | reads a recording incrementally while it is written: counts, and names that came early |
//! | `events` | takes blocks apart into events |
//! | `metadata` | identifies the kind of an event |
//! | `numbered` | what the numbers of a file stand for |
//! | `recording` | keeps what the tree needs: samples, [`amounts`], [`stacks`], [`threads`], [`losses`]; and markers (`importers/runtime`) |
//! | [`spaces`] | processes: what their addresses mean, by methods (`importers/runtime`) or by mapped files and symbols |
//! | `log`, `clock` | the measurements: the rule that assigns time to the runtime's samples |
//! | `metrics` | which metrics there are |
//! | `tree` | makes the call tree |
//! | `notes` | facts and warnings |
//!
//! The runtime's sampler samples all threads, so each sample lasts until the thread's next one. Those of version 6 are
//! taken on running processors and stand for the time that the file states; time off the processor comes from
//! context switches. Allocation events have bytes, in separate frames below the stack.
//!
//! Names win in any order: an event about a method without names (`MethodUnload`, which a process that ends sends
//! for all) takes them from any event with the same id and start. `R2RGetEntryPoint` only fills in such names: it says
//! where a precompiled method starts but not how long it is, so the nearest start may belong to another method. Maps
//! from native code to IL are skipped.
//!
//! Only the sampler's samples have time. TraceEvent also takes events of allocations and of tasks (TPL) with a stack for samples
//! of a running thread, and puts what a task or an activity does below the one that started it, which may be on another thread.
//! Of the recordings at hand that matters in one, of a preview of .NET Core 3.0, where 40,123 allocations give TraceEvent most of its CPU time.
//!
//! In memory are one block, 16 bytes for each sample of the runtime and 32 for each other event with a stack, every
//! different stack once, the methods, and the symbols.

mod blocks;
mod clock;
mod events;
mod facts;
mod framing;
mod live;
mod log;
mod losses;
mod metadata;
mod metrics;
mod name;
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
use crate::importers::assembly::Samples;
use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::error::GrowError;
use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::{self, MetricId};
use framing::StreamEnding;
use name::{NAME, TITLE};
use recording::NettraceRecording;
use tree::SampleTree;
use version::Framing;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: NAME,
    title: TITLE,
    extensions: &[".nettrace", ".netperf"],
    metrics: messages::METRICS_OF_NETTRACE,
    limitations: messages::LIMITS_OF_NETTRACE,
    sniff,
    read,
};

/// Whether a file starts like a recording; versions that are not read are recognized, too, so that it can be said.
fn sniff(head: &Head) -> Option<Confidence> {
    version::sniff(head)
}

/// Reads a recording.
///
/// # Errors
/// If cancelled, or if the file can't be read, or is not a recording or one of another version; it breaks off or is damaged within
/// its header. What breaks off or is damaged later is read as far as possible, and a warning says so.
fn read(input: Input, _: &ReadOptions) -> Result<model::Recording, ImportError> {
    let name = input.name.clone();
    let progress = input.progress.clone();
    let mut stream = Stream::new(input, TITLE);
    let (mut recording, ending, file_bytes) = match version::read(&mut stream)? {
        Framing::Objects(dialect) => objects::read(stream, dialect)?,
        Framing::Blocks => v6::read(stream)?,
    };
    if let StreamEnding::Damaged(failure) = &ending
        && !recording.has_content()
    {
        return Err(failure.clone().into());
    }
    let grown = tree::grow(&mut recording, name.clone(), file_bytes, &progress);
    grown
        .and_then(|tree| profile(&recording, &ending, tree))
        .map_err(|error| error.of_file(&name, TITLE))
}

fn profile(
    recording: &NettraceRecording,
    ending: &StreamEnding,
    mut tree: SampleTree,
) -> Result<model::Recording, GrowError> {
    let found = tree.grown.truncated_in_threads(&tree.log);
    tree.grown.diagnostics = notes::diagnostics(recording, ending, &tree, found.is_some());
    let SampleTree {
        grown,
        metrics,
        log,
        places,
        activities,
        ..
    } = tree;
    drop(places);
    // the time in which threads ran, if they were seen to
    let rest = metrics
        .wall
        .or(metrics.samples)
        .or(metrics.off_cpu)
        .or(metrics.allocated);
    let samples = Samples {
        log,
        found,
        measure: metrics.wall.or(metrics.cpu),
        has_samples: metrics.samples.is_some(),
        if_any: metrics.cpu.filter(|_| !activities.is_cpu_thin()),
        otherwise: rest.unwrap_or(MetricId(0)),
    };
    Ok(grown.profile_of_samples(samples)?)
}
