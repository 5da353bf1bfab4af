//! V8's CPU profiles within a trace, as recorded by Chrome's performance panel: a `Profile` event marks the start of
//! a profile and its thread, and each `ProfileChunk` adds nodes and samples, sent from a profiler thread; older
//! versions store a whole profile in a `CpuProfile` event. Source: `v8_cpu_profiler` in Chromium's tracing, and
//! `CPUProfileDataModel.ts` of its developer tools.

use super::ids::{Id, ThreadKey};
use crate::importers::cpuprofile::{CpuProfile, ProfileAnomalies};
use crate::importers::tracks::CollectedTracks;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::TooLarge;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::io::Read;

#[derive(Default)]
struct ThreadProfile {
    /// The parts contributed by its events, with their times.
    parts: Vec<(u64, CpuProfile)>,
    /// The thread named by the `Profile` event, else that of a chunk, which the profiler writes on its own thread.
    thread: Option<ThreadKey>,
    is_begun: bool,
}

impl ThreadProfile {
    fn has_samples(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.has_samples())
    }

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

#[derive(Default)]
pub(super) struct CpuProfiles {
    rows: Vec<ThreadProfile>,
    by_id: HashMap<RowKey, Vec<usize>, RandomState>,
    /// The part of a profile in the event being read; Chrome writes arguments before names.
    part: CpuProfile,
    inner: CpuProfile,
    has_part: bool,
    id: Vec<u8>,
}

impl CpuProfiles {
    pub(super) fn has_samples(&self) -> bool {
        self.rows.iter().any(ThreadProfile::has_samples)
    }

    #[inline]
    pub(super) fn begin_event(&mut self) {
        self.id.clear();
    }

    pub(super) fn read_id<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        match reader.peek()? {
            JsonKind::String => self.id.extend_from_slice(reader.raw_string()?.bytes()),
            JsonKind::Number => self.id.extend(reader.number()?.text().bytes()),
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// Reads the argument `data` of an event, or the object `cpuProfile` in it.
    pub(super) fn read_data<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        is_inner: bool,
    ) -> Result<(), JsonError> {
        if reader.peek()? != JsonKind::Object {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            if key == b"cpuProfile" && !is_inner {
                self.read_data(reader, true)?;
                continue;
            }
            let mut member = CpuProfile::member(key);
            self.has_part |= member.is_some();
            if member.is_some_and(CpuProfile::is_list) && reader.peek()? != JsonKind::Array {
                member = None;
            }
            let parts = [&mut self.part, &mut self.inner];
            parts[usize::from(is_inner)].read(member, reader)?;
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
            "CpuProfile" => self.add_row(),
            "Profile" => self.begun_row(thread),
            "ProfileChunk" => self.row_of_chunk(thread),
            _ => return,
        };
        let row = &mut self.rows[row];
        if name == "ProfileChunk" {
            row.thread.get_or_insert(thread);
        } else {
            (row.thread, row.is_begun) = (Some(thread), true);
        }
        let last = row.parts.last().map_or(0, |&(at, _)| at);
        row.parts.push((at.unwrap_or(last), part));
    }

    fn add_row(&mut self) -> usize {
        self.rows.push(ThreadProfile::default());
        self.rows.len() - 1
    }

    fn rows_of_id(&mut self, (process, thread): ThreadKey) -> &mut Vec<usize> {
        let id = match self.id.is_empty() {
            true => Err(thread),
            false => Ok(self.id.as_slice().into()),
        };
        self.by_id.entry((process, id)).or_default()
    }

    fn begun_row(&mut self, thread: ThreadKey) -> usize {
        let known = self.rows_of_id(thread).last().copied();
        let known = known.filter(|&row| !self.rows[row].is_begun);
        known.unwrap_or_else(|| self.add_row_of_id(thread))
    }

    /// The row of a chunk: the last one of its thread, or else the last one.
    fn row_of_chunk(&mut self, thread: ThreadKey) -> usize {
        let known = std::mem::take(self.rows_of_id(thread));
        let is_same = |row: &usize| self.rows[*row].thread == Some(thread);
        let found = known.iter().copied().rfind(is_same);
        let found = found.or(known.last().copied());
        *self.rows_of_id(thread) = known;
        found.unwrap_or_else(|| self.add_row_of_id(thread))
    }

    fn add_row_of_id(&mut self, thread: ThreadKey) -> usize {
        let row = self.add_row();
        self.rows_of_id(thread).push(row);
        row
    }

    /// Adds the profiles with samples to the recording, and their anomalies to `anomalies`. Returns the thread of each.
    pub(super) fn add_to(
        self,
        collected: &mut CollectedTracks,
        anomalies: &mut ProfileAnomalies,
    ) -> Result<Vec<ThreadKey>, TooLarge> {
        let mut threads = Vec::new();
        for row in self.rows.into_iter().filter(ThreadProfile::has_samples) {
            threads.push(row.thread.unwrap_or_default());
            row.profile().add_to(collected, anomalies)?;
        }
        Ok(threads)
    }
}
