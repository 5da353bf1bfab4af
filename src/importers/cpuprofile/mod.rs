//! `.cpuprofile`: V8's format (Node, Chrome, and so Blazor in a browser), described by `js_protocol.pdl` (domain
//! `Profiler`) in chromedevtools/devtools-protocol.
//!
//! An object with `nodes`, the call tree, `samples`, the node of each sample, and `timeDeltas`, the microseconds
//! between samples; the first is relative to `startTime`. A sample lasts until the next one, the last one until
//! `endTime`. Without `timeDeltas`, there are only sample counts, and without `samples`, only the `hitCount` of the
//! nodes.
//!
//! `(root)` is left out; `(idle)`, `(program)` and `(garbage collector)` stay directly below the thread, as in V8.

mod profile;

pub(super) use profile::CpuProfile;

use super::tracks::{CollectedTracks, profile as profile_of};
use super::{Format, ReadOptions};
use crate::diagnostics::Diagnostic;
use crate::importers::anomalies::Anomalies;
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{CountKind, ProfileKind, Recording, TooLarge};
use std::io::Read;

pub(super) const FORMAT: Format = Format {
    name: "cpuprofile",
    title: "V8 CPU profile",
    extensions: &[".cpuprofile"],
    metrics: "time with samples",
    limitations: messages::POSITION_TICKS,
    sniff,
    read,
};

fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, _, found| {
        let is_sure = matches!(member, "timeDeltas" | "nodes[].callFrame");
        *found = is_sure.then_some(Confidence::Likely);
        found.is_none()
    })
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut profile = CpuProfile::default();
    let read = read_members(&mut profile, &mut reader);
    let incomplete_at = JsonError::unexpected_end(read, !profile.is_empty(), &name, FORMAT.title)?;
    if !profile.has_nodes {
        let failure = Failure::new(name, FORMAT.title, messages::NO_NODES);
        return Err(failure.advice(messages::SEE_FORMATS).into());
    }
    let mut collected = CollectedTracks::new(ProfileKind::Sampling, Some(CountKind::Samples));
    let mut anomalies = Anomalies::default();
    let is_added = profile.add_to(&mut collected, &mut anomalies);
    is_added.map_err(|TooLarge| too_large(&name, FORMAT.title))?;
    collected.tracks[0].title = "Thread".into();
    let diagnostics = incomplete_at.map(Diagnostic::file_ends_at).into_iter();
    let no_times = collected.has_timeless.then_some(Diagnostic::NoTimes {});
    let diagnostics = diagnostics.chain(no_times).chain(anomalies.diagnostics());
    profile_of(collected, name, &FORMAT, Vec::new(), diagnostics.collect())
}

fn read_members<R: Read>(
    profile: &mut CpuProfile,
    reader: &mut JsonReader<R>,
) -> Result<(), JsonError> {
    reader.enter_object()?;
    while let Some(key) = reader.next_key_bytes()? {
        let member = CpuProfile::member(key);
        let read = profile.read(member, reader);
        match member {
            Some(member) => read.map_err(in_member(member))?,
            None => read?,
        }
    }
    reader.end()
}
