//! V8's CPU profiles within a trace, as recorded by Chrome's performance panel: a `Profile` event marks the start of a
//! profile and its thread, and each `ProfileChunk` adds nodes and samples, sent from a profiler thread; older versions
//! have a whole profile in a `CpuProfile` event. Source: `v8_cpu_profiler` in Chromium's tracing, and
//! `CPUProfileDataModel.ts` of its developer tools.

use super::ids::{Id, ThreadKey};
use crate::importers::anomalies::Anomalies;
use crate::importers::cpuprofile::CpuProfile;
use crate::importers::tracks::CollectedTracks;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::TooLarge;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::io::Read;

#[derive(Default)]
struct ThreadProfile {
    /// From its events, with their times.
    parts: Vec<(u64, CpuProfile)>,
    /// Named by the `Profile` event, else that of a chunk.
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

/// The process and the id, or the thread if events have no id.
type ProfileKey = (Id, Result<Box<[u8]>, Id>);

#[derive(Default)]
pub(super) struct CpuProfiles {
    rows: Vec<ThreadProfile>,
    last: HashMap<ProfileKey, usize, RandomState>,
    /// The last profile of each thread among those with the same key.
    last_of_thread: HashMap<(ProfileKey, Id), usize, RandomState>,
    /// From the event being read; Chrome writes arguments before names.
    part: CpuProfile,
    inner: CpuProfile,
    has_part: bool,
    pub id: Vec<u8>,
}

impl CpuProfiles {
    pub(super) fn has_samples(&self) -> bool {
        self.rows.iter().any(ThreadProfile::has_samples)
    }

    pub(super) fn read_id<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        match reader.peek()? {
            JsonKind::String => self.id.extend_from_slice(reader.raw_string()?.bytes()),
            JsonKind::Number => self.id.extend(reader.number()?.text().bytes()),
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// The argument `data` of an event, or the object `cpuProfile` in it.
    pub(super) fn read_data<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        is_inner: bool,
    ) -> Result<(), JsonError> {
        if !reader.enter_if_object()? {
            return Ok(());
        }
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

    /// Takes the part in the event just read, if its name marks it as one.
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
        let id = match self.id.is_empty() {
            true => Err(thread.1),
            false => Ok(self.id.as_slice().into()),
        };
        let key = (thread.0, id);
        let last = self.last.get(&key).copied();
        let known = match name {
            "CpuProfile" => None,
            "Profile" => last.filter(|&row| !self.rows[row].is_begun),
            "ProfileChunk" => {
                let own = self.last_of_thread.get(&(key.clone(), thread.1));
                own.copied().or(last)
            }
            _ => return,
        };
        let row = known.unwrap_or_else(|| {
            self.rows.push(ThreadProfile::default());
            self.rows.len() - 1
        });
        let profile = &mut self.rows[row];
        if name == "ProfileChunk" {
            profile.thread.get_or_insert(thread);
        } else {
            (profile.thread, profile.is_begun) = (Some(thread), true);
        }
        let last = profile.parts.last().map_or(0, |&(at, _)| at);
        profile.parts.push((at.unwrap_or(last), part));
        if name == "Profile" {
            self.last_of_thread.insert((key.clone(), thread.1), row);
        }
        if name != "CpuProfile" && known.is_none() {
            self.last.insert(key, row);
        }
    }

    /// Adds the profiles with samples to the recording, and returns the thread of each.
    pub(super) fn add_to(
        self,
        collected: &mut CollectedTracks,
        anomalies: &mut Anomalies,
    ) -> Result<Vec<ThreadKey>, TooLarge> {
        let mut threads = Vec::new();
        for profile in self.rows.into_iter().filter(ThreadProfile::has_samples) {
            threads.push(profile.thread.unwrap_or_default());
            profile.profile().add_to(collected, anomalies)?;
        }
        Ok(threads)
    }
}
