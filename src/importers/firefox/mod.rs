//! The processed format of the Firefox Profiler: what it saves, and what samply and other tools write for it.
//!
//! An object with `meta` and `threads`. A thread has tables of columns: `samples` name stacks, the `stackTable` frames and the stack
//! of the caller (`prefix`), the `frameTable` functions, the `funcTable` names in the `stringArray`. From version 56 on, tables move
//! one by one into `shared`, which all threads use; each is looked up in the thread first, then there. All versions with
//! such tables are read, from that of 2016 on without a number (`meta.preprocessedProfileVersion`) to 60, with members in
//! any order. Descriptions: `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` in firefox-devtools/profiler.
//!
//! | written | read |
//! |---|---|
//! | a sample | its weight (1 if it has none) times `meta.interval`, at its instant: the running time of the Firefox Profiler's call tree |
//! | `weightType` `tracing-ms`, `bytes` | the weight itself, as time or as bytes |
//! | `threadCPUDelta` in nanoseconds or microseconds | `CPU`, of the sample before: so much of its time ran, and the rest waited. All of it where the difference is 0, and for the last sample |
//! | the same in cycles, or without a unit in `meta.sampleUnits` | left out, as nobody knows how long they last |
//! | a sample without a stack | the thread's own time; nothing if its weight is 0 |
//! | `funcTable.resource` of a library | the library is the module |
//! | a name that is only an address | a method of that library without a name |
//! | frames of the same name | one frame; the first place of its source counts |
//! | markers `GCMajor`, `GCMinor`, and those that dotspot wrote | markers; others are counted by their names |
//!
//! A sample lasts until the next one, as in the profiler's stack chart and traced times (`computeTracedTiming` in
//! `src/profile-logic/call-tree.ts`). `threadCPUDelta` is what ran from the sample before to this one, and nothing for the first
//! (`computeThreadCPURatio` in `src/profile-logic/cpu.ts`; `RawSamplesTable` in `src/types/profile.ts`). So what ran of a
//! sample stands with the next one. The activity graph, which draws each sample from the middle between it and the one before to
//! the middle between it and the next, also draws the half after a sample as high as the next one's ratio.
//!
//! In memory are the columns of all threads until the tree is built: 36 bytes for a sample, 8 for a stack; and each string once.

mod file;
mod tree;

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{Recording, TooLarge};
use file::{File, FileThread, Table};

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "firefox",
    title: "Firefox Profiler JSON",
    extensions: &[".profile.json"],
    metrics: messages::METRICS_OF_FIREFOX,
    limitations: messages::LIMITS_OF_FIREFOX,
    sniff,
    read,
};

/// The members of files of this format; one that starts with another is of another format.
const MEMBERS: &str = "meta libs threads shared pages counters processes pausedRanges profilerOverhead \
    profilingLog profileGatheringLog";
/// Those that hardly any other format has.
const LIKELY: &str = "meta.stackwalk meta.markerSchema libs[].breakpadId threads[].stackTable \
    threads[].frameTable shared.stringArray";

/// Whether a file starts like one of this format, or of Firefox's raw one, which is refused with a word on what to do.
fn sniff(head: &Head) -> Option<Confidence> {
    let is_in = |list: &str, member: &str| list.split(' ').any(|known| known == member);
    head.sniff_json(FORMAT.extensions, |member, _, found| {
        let is_certain = member == "meta.preprocessedProfileVersion";
        if is_certain || is_in(LIKELY, member) {
            let certainty = [Confidence::Likely, Confidence::Certain];
            *found = Some(certainty[usize::from(is_certain)]);
        }
        !is_certain && (member.contains(['.', '[']) || is_in(MEMBERS, member))
    })
}

/// Reads a file of this format.
///
/// # Errors
/// If cancelled, or if the file can't be read, or is not JSON, one without threads, or one of Firefox's raw format. A file that breaks
/// off is read as far as possible, and a warning says so.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let of_file = |error: JsonError| error.into_import_error(&name, FORMAT.title);
    let (mut file, broken_off) = File::read(&mut reader).map_err(of_file)?;
    let threads = file.threads.iter_mut().flatten();
    let threads = threads.filter_map(|thread| Some(*thread.0.take()?));
    let threads: Vec<FileThread> = threads.collect();
    let has = |is: fn(&Table) -> bool| threads.iter().any(|thread| is(&thread.samples));
    let (problem, advice) = match broken_off {
        Some(error) if !has(|samples| !samples.stack.is_empty()) => return Err(of_file(error)),
        _ if has(|samples| samples.schema.is_some()) => {
            (messages::RAW_FIREFOX, messages::SAVE_IN_FIREFOX_PROFILER)
        }
        _ if file.threads.is_none() => (messages::NO_THREADS, messages::SEE_FORMATS),
        broken_off => {
            let broken_off = broken_off.map(|error| error.offset());
            return tree::recording((file, threads), name.clone(), broken_off)
                .map_err(|TooLarge| too_large(&name, FORMAT.title).into());
        }
    };
    let failure = Failure::new(&name, FORMAT.title, problem);
    Err(failure.advice(advice).into())
}
