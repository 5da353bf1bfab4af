//! `.nettrace`: what dotnet-trace and the runtime's EventPipe write. Version 4, which every runtime since .NET Core 3.0
//! writes, is read.
//!
//! | file | does |
//! |---|---|
//! | `version` | looks at the first bytes |
//! | `stream` | reads from the file; `importers/cursor.rs` reads from slices of it |
//! | `v4` | the framing: takes the file apart into blocks |
//! | `events` | takes blocks apart into events |
//! | `metadata` | says what kind of event that is |
//! | `recording` | keeps what the tree needs: samples, [`stacks`], methods ([`code`]), [`losses`] |
//! | `thread_time` | the rule by which samples have time |
//! | `tree` | makes the call tree |
//! | `notes` | facts and warnings |
//!
//! Not imitated is what TraceEvent makes of the events of tasks (TPL) and of activities: one with a stack is a sighting of
//! a thread that runs, as an allocation is; and what a task or an activity does is put below the one that started it, which
//! may be on another thread. In the recordings at hand that changes one interval, in one of a preview of .NET Core 3.0:
//! TraceEvent has 103.29 ms on the thread 8340 that are on the thread 8308 here. Totals are the same.
//!
//! Another version is another framing beside `v4`, which feeds the same `recording`. In memory are one block, 16 bytes for
//! each sample, every different stack once, and the methods.

mod code;
mod events;
mod losses;
mod metadata;
mod notes;
mod recording;
mod stacks;
mod stream;
mod thread_time;
mod tree;
mod v4;
mod version;

use super::error::GrowError;
use super::{Confidence, Failure, Format, Head, ImportError, Input};
use crate::model::{Profile, ProfileKind, RawNode, Source, Thread, Threads, TreeBuilder};
use recording::Recording;
use stream::Stream;
use tree::{CPU, Grown, WALL};
use v4::Ending;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "nettrace",
    title: "dotnet-trace recording",
    extensions: &[".nettrace"],
    metrics: "CPU, wall, samples",
    lost: "events other than samples, among them tasks and allocations' sizes; when each sample was taken",
    sniff,
    read,
    sums: None,
};

/// Whether a file starts like a recording; versions that are not read are recognised, too, so that it can be said.
fn sniff(head: &Head) -> Option<Confidence> {
    version::sniff(head)
}

/// Reads a recording.
///
/// # Errors
/// Cancelled; the file can't be read; it is no recording or one of another version; it breaks off or is damaged within
/// its header. What breaks off or is damaged later is read as far as it goes, and a warning says so.
fn read(input: Input) -> Result<Profile, ImportError> {
    let name = input.name.clone();
    let progress = input.progress.clone();
    let mut stream = Stream::new(input);
    version::read(&mut stream)?;
    let (mut recording, ending, file_bytes) = v4::read(stream)?;
    if let Ending::Damaged(failure) = &ending
        && !recording.has_samples()
    {
        return Err(failure.clone().into());
    }
    match tree::grow(&mut recording, file_bytes, &progress) {
        Ok(grown) => Ok(profile(name, &recording, &ending, grown)),
        Err(GrowError::Cancelled(error)) => Err(error),
        Err(GrowError::TooLarge { limit }) => Err(too_large(&name, limit)),
    }
}

fn too_large(name: &str, limit: u64) -> ImportError {
    let problem = format!("expected at most {limit} different call places in a file of this size and found more");
    Failure::new(name, FORMAT.title, problem).advice("the file is damaged, or of an unusual kind").into()
}

fn profile(name: String, recording: &Recording, ending: &Ending, grown: Grown) -> Profile {
    let warnings = notes::warnings(recording, ending, &grown);
    // samples are in order of time now
    let facts = notes::facts(recording, recording.samples().last().map(|sample| sample.time));
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, facts);
    let make = |builder: TreeBuilder, place: &dyn Fn(RawNode) -> RawNode| {
        let default_metric = if grown.has_cpu { CPU } else { WALL };
        let built = builder.finish(&grown.frames, default_metric);
        let threads = grown.threads.iter().map(|thread| Thread {
            node: built.node(place(thread.node)),
            id: thread.id.to_string(),
            name: thread.name.into(),
        });
        let (threads, warnings) = (Threads::new(threads.collect()), warnings.clone());
        let frames = grown.frames.clone();
        Profile {
            threads,
            warnings,
            ..Profile::new(source.clone(), frames, built.tree, tree::metrics(), default_metric)
        }
    };
    match grown.mended {
        None => make(grown.builder, &|node| node),
        Some((mended, truncation)) => Profile::mended(
            make(mended.mended, &|node| mended.mended_places[node.0 as usize]),
            make(mended.marked, &|node| mended.marked_places[node.0 as usize]),
            truncation,
        ),
    }
}
