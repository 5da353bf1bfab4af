//! V8's CPU profiles within a trace, as recorded by Chrome's performance panel: a `Profile` event marks the start of a
//! profile and its thread, and each `ProfileChunk` adds nodes and samples, sent from a profiler thread; older versions
//! store a whole profile in a `CpuProfile` event. Their `data` and the nested object `cpuProfile` may have separate
//! clocks: start and end are read from one of them. Source: `v8_cpu_profiler` in Chromium's tracing, and
//! `CPUProfileDataModel.ts` of its developer tools.

use super::ids::{Id, ThreadKey};
use crate::importers::cpuprofile::{Added, CpuProfile};
use crate::importers::tracks::CollectedTracks;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::TooLarge;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::io::Read;

/// A profile and its thread.
#[derive(Default)]
struct ThreadProfile {
    /// The parts contributed by its events, with their times.
    parts: Vec<(u64, CpuProfile)>,
    /// The thread named by the `Profile` event, else that of a chunk, which the profiler writes on its own thread.
    thread: Option<ThreadKey>,
    /// Whether there was a `Profile` event.
    is_begun: bool,
}

impl ThreadProfile {
    fn has_samples(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.has_samples())
    }

    /// The whole profile. Files need not be in time order.
    fn profile(mut self) -> CpuProfile {
        self.parts.sort_by_key(|&(at, _)| at);
        let mut parts = self.parts.into_iter().map(|(_, part)| part);
        let mut whole = parts.next().unwrap_or_default();
        parts.for_each(|part| whole.append(part));
        whole
    }
}

/// The key that links the parts of a profile: the process and the id, or the thread if an event has no id.
type RowKey = (Id, Result<Box<[u8]>, Id>);

/// The CPU profiles of a trace.
#[derive(Default)]
pub(super) struct CpuProfiles {
    rows: Vec<ThreadProfile>,
    by_id: HashMap<RowKey, Vec<usize>, RandomState>,
    /// The part of a profile in the event being read. Chrome writes arguments before names, so it is known only later
    /// whether they belong to a profile.
    part: CpuProfile,
    /// The nested object `cpuProfile`, with the same members.
    inner: CpuProfile,
    has_part: bool,
    /// The id of that event, as spelled.
    id: Vec<u8>,
}

impl CpuProfiles {
    /// Whether there are samples.
    pub(super) fn has_samples(&self) -> bool {
        self.rows.iter().any(ThreadProfile::has_samples)
    }

    /// Forgets the previous event.
    #[inline]
    pub(super) fn begin_event(&mut self) {
        self.id.clear();
    }

    /// Reads the id of an event.
    pub(super) fn read_id<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        match reader.peek()? {
            JsonKind::String => self.id.extend_from_slice(reader.raw_string()?.bytes()),
            JsonKind::Number => self
                .id
                .extend_from_slice(reader.number()?.text().as_bytes()),
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// Reads the argument `data` of an event.
    pub(super) fn read_data<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.peek()? != JsonKind::Object {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            match key {
                b"cpuProfile" => self.read_profile(reader)?,
                key => {
                    let member = CpuProfile::member(key);
                    self.has_part |= read_member(member, reader, &mut self.part)?;
                }
            }
        }
        Ok(())
    }

    fn read_profile<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if reader.peek()? != JsonKind::Object {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            let member = CpuProfile::member(key);
            self.has_part |= read_member(member, reader, &mut self.inner)?;
        }
        Ok(())
    }

    /// Collects the part of a CPU profile in the event just read, if its name marks it as one.
    #[inline]
    pub(super) fn take<'a>(
        &mut self,
        thread: ThreadKey,
        at: Option<u64>,
        name: impl FnOnce() -> &'a str,
    ) {
        if std::mem::take(&mut self.has_part) {
            self.take_part(thread, at, name());
        }
    }

    fn take_part(&mut self, thread: ThreadKey, at: Option<u64>, name: &str) {
        let mut part = std::mem::take(&mut self.part);
        part.append_inner(std::mem::take(&mut self.inner));
        let row = match name {
            // complete in itself
            "CpuProfile" => self.add_row(),
            "Profile" => self.begun_row(thread),
            "ProfileChunk" => self.row_of_chunk(thread),
            _ => return,
        };
        let row = &mut self.rows[row];
        if name != "ProfileChunk" {
            row.thread = Some(thread);
            row.is_begun = true;
        } else {
            row.thread.get_or_insert(thread);
        }
        let last = row.parts.last().map_or(0, |&(at, _)| at);
        row.parts.push((at.unwrap_or(last), part));
    }

    fn add_row(&mut self) -> usize {
        self.rows.push(ThreadProfile::default());
        self.rows.len() - 1
    }

    /// The rows with the id of the event just read.
    fn rows_of_id(&mut self, (process, thread): ThreadKey) -> &mut Vec<usize> {
        let id = match self.id.is_empty() {
            true => Err(thread),
            false => Ok(self.id.as_slice().into()),
        };
        self.by_id.entry((process, id)).or_default()
    }

    /// The row of a `Profile` event: a new one, unless chunks came first.
    fn begun_row(&mut self, thread: ThreadKey) -> usize {
        let known = self.rows_of_id(thread).last().copied();
        known
            .filter(|&row| !self.rows[row].is_begun)
            .unwrap_or_else(|| self.add_row_of_id(thread))
    }

    /// The row of a chunk: the last one of its thread, or else the last one.
    fn row_of_chunk(&mut self, thread: ThreadKey) -> usize {
        let known = std::mem::take(self.rows_of_id(thread));
        let is_same = |row: &usize| self.rows[*row].thread == Some(thread);
        let found = known
            .iter()
            .copied()
            .rfind(is_same)
            .or(known.last().copied());
        *self.rows_of_id(thread) = known;
        found.unwrap_or_else(|| self.add_row_of_id(thread))
    }

    fn add_row_of_id(&mut self, thread: ThreadKey) -> usize {
        let row = self.add_row();
        self.rows_of_id(thread).push(row);
        row
    }

    /// Adds the profiles with samples to the recording. Returns the thread of each, and what was odd about it.
    pub(super) fn add_to(
        self,
        recorded: &mut CollectedTracks,
    ) -> Result<Vec<(ThreadKey, Added)>, TooLarge> {
        let with_samples = self.rows.into_iter().filter(ThreadProfile::has_samples);
        with_samples
            .map(|row| {
                let thread = row.thread.unwrap_or_default();
                Ok((thread, row.profile().add_to(recorded)?))
            })
            .collect()
    }
}

/// Reads a member's value into a profile, or skips it if it should be a list but is not. Returns whether the member
/// belongs to a profile.
fn read_member<R: Read>(
    member: Option<&'static str>,
    reader: &mut JsonReader<R>,
    profile: &mut CpuProfile,
) -> Result<bool, JsonError> {
    let is_no_list = member.is_some_and(CpuProfile::is_list) && reader.peek()? != JsonKind::Array;
    profile.read(member.filter(|_| !is_no_list), reader)?;
    Ok(member.is_some())
}
