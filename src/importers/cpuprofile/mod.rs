//! `.cpuprofile`: V8's format (Node, Chrome, and so Blazor in a browser).
//!
//! An object with `nodes`, which are the call tree, `samples`, the node of each sample, and `timeDeltas`, the microseconds
//! from one sample to the next; the first of them counts from `startTime`. A sample lasts until the next one, the last one
//! until `endTime`. V8 writes some samples too late, with a difference below 0: the differences are added up and the samples put in
//! order of time. Without `timeDeltas` there are numbers of samples only, and without `samples` those that the nodes have
//! as `hitCount`. The description is `js_protocol.pdl` (domain `Profiler`) in chromedevtools/devtools-protocol.
//!
//! `(root)` is left out; `(idle)`, `(program)` and `(garbage collector)` stay where V8 has them, directly below the thread.
//! In memory are the nodes and 24 bytes for each sample.

mod profile;

pub(super) use profile::{Added, CpuProfile};

use super::tracks::{CollectedTracks, profile as profile_of};
use super::{Format, ReadOptions};
use crate::diagnostics::{BrokenOff, Diagnostic};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{CountKind, ProfileKind, Recording, TooLarge};
use std::io::Read;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "cpuprofile",
    title: "V8 CPU profile",
    extensions: &[".cpuprofile"],
    metrics: "time with samples",
    limitations: messages::POSITION_TICKS,
    sniff,
    read,
};

/// Whether a file starts like one of this format: by the members of its nodes.
fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, _, found| {
        let is_sure = matches!(member, "timeDeltas" | "nodes[].callFrame");
        *found = is_sure.then_some(Confidence::Likely);
        found.is_none()
    })
}

/// Reads a file of this format.
///
/// # Errors
/// If cancelled, or if the file can't be read, or is not JSON, or one without nodes. A file that breaks off is read as far as it
/// goes, and a warning says so.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut file = File::default();
    let broken_off = match file.read_members(&mut reader) {
        Ok(()) => None,
        Err(error) if error.is_truncated() && !file.profile.is_empty() => Some(error.offset()),
        Err(error) => return Err(error.into_import_error(&name, FORMAT.title)),
    };
    if !file.has_nodes {
        let failure = Failure::new(name, FORMAT.title, messages::NO_NODES);
        return Err(failure.advice(messages::SEE_FORMATS).into());
    }
    let (recorded, diagnostics) = file
        .finish(broken_off)
        .map_err(|TooLarge| ImportError::from(too_large(&name, FORMAT.title)))?;
    profile_of(recorded, name, &FORMAT, Vec::new(), diagnostics)
}

/// What was read so far.
#[derive(Default)]
struct File {
    profile: CpuProfile,
    has_nodes: bool,
}

impl File {
    fn read_members<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            let member = CpuProfile::member(key);
            self.has_nodes |= member == Some("nodes");
            let read = self.profile.read(member, reader);
            match member {
                Some(member) => read.map_err(in_member(member))?,
                None => read?,
            }
        }
        reader.end()
    }

    /// What was recorded, and what to know about it.
    fn finish(
        self,
        broken_off: Option<u64>,
    ) -> Result<(CollectedTracks, Vec<Diagnostic>), TooLarge> {
        let mut recorded = CollectedTracks::new(ProfileKind::Sampling, Some(CountKind::Samples));
        let added = self.profile.add_to(&mut recorded)?;
        recorded.tracks[0].title = "Thread".into();
        let broken_off = broken_off.map(BrokenOff::at);
        let diagnostics = [broken_off].into_iter().chain(added.diagnostics());
        Ok((recorded, diagnostics.flatten().collect()))
    }
}
