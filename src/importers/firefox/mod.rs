//! The processed format of the Firefox Profiler, saved by it and written by samply and other tools.
//!
//! An object with `meta` and `threads`. A thread has tables of columns: `samples` refer to stacks, the `stackTable` to
//! frames and to the caller's stack (`prefix`), the `frameTable` to functions, the `funcTable` to names in the
//! `stringArray`. From version 56 on, tables move one by one into `shared`, which all threads use. All versions with
//! such tables are accepted, from that of 2016 without a version number to 60. Descriptions: `src/types/profile.ts`
//! and `docs-developer/CHANGELOG-formats.md` in firefox-devtools/profiler.
//!
//! `docs/format-details.md` lists how each part is read.
//!
//! A sample lasts until the next one (`computeTracedTiming` in `src/profile-logic/call-tree.ts`). `threadCPUDelta` is
//! the CPU time since the previous sample (`computeThreadCPURatio` in `src/profile-logic/cpu.ts`), so a sample's is
//! stored with the next one.

mod file;
mod tree;

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{Recording, TooLarge};
use file::{File, FileThread, Table};

pub(super) const FORMAT: Format = Format {
    name: "firefox",
    title: "Firefox Profiler JSON",
    extensions: &[".profile.json"],
    metrics: messages::METRICS_OF_FIREFOX,
    limitations: messages::LIMITS_OF_FIREFOX,
    sniff,
    read,
};

const MEMBERS: &str = "meta libs threads shared pages counters processes pausedRanges profilerOverhead \
    profilingLog profileGatheringLog";
/// Hardly any other format has these members.
const LIKELY: &str = "meta.stackwalk meta.markerSchema libs[].breakpadId threads[].stackTable \
    threads[].frameTable shared.stringArray";

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

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let import_error = |error: JsonError| error.into_import_error(&name, FORMAT.title);
    let (mut file, unexpected_end) = File::read(&mut reader).map_err(import_error)?;
    let threads = file.threads.iter_mut().flatten();
    let threads = threads.filter_map(|thread| Some(*thread.0.take()?));
    let threads: Vec<FileThread> = threads.collect();
    let has = |is: fn(&Table) -> bool| threads.iter().any(|thread| is(&thread.samples));
    let (problem, advice) = match unexpected_end {
        Some(error) if !has(|samples| !samples.stack.is_empty()) => {
            return Err(import_error(error));
        }
        _ if has(|samples| samples.schema.is_some()) => {
            (messages::RAW_FIREFOX, messages::SAVE_IN_FIREFOX_PROFILER)
        }
        _ if file.threads.is_none() => (messages::NO_THREADS, messages::SEE_FORMATS),
        unexpected_end => {
            let incomplete_at = unexpected_end.map(|error| error.offset());
            return tree::recording((file, threads), name.clone(), incomplete_at)
                .map_err(|TooLarge| too_large(&name, FORMAT.title).into());
        }
    };
    let failure = Failure::new(&name, FORMAT.title, problem);
    Err(failure.advice(advice).into())
}
