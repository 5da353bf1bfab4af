//! CPU profiles of V8 within a trace, as Chrome's performance panel records them: an event `Profile` says where one starts and on which
//! thread, and each `ProfileChunk` brings more nodes and samples, from a thread of the profiler's; older ones are whole in an event
//! `CpuProfile`. Source: `v8_cpu_profiler` in Chromium's tracing, and `CPUProfileDataModel.ts` of its developer tools.

use super::ids::{Id, ThreadKey};
use crate::importers::cpuprofile::{Added, CpuProfile};
use crate::importers::tracks::Recorded;
use crate::input::json::{JsonError, JsonKind, JsonReader};
use crate::model::TooLarge;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::io::Read;

/// A profile and the thread that it is of.
#[derive(Default)]
struct Row {
    profile: CpuProfile,
    thread: Option<ThreadKey>,
}

/// The CPU profiles of a trace.
#[derive(Default)]
pub(super) struct CpuProfiles {
    rows: IndexMap<(Id, Box<[u8]>), Row, RandomState>,
    /// What the event that is being read has of one. Chrome writes arguments in front of names, so that it is known
    /// only behind them whether they are of a profile.
    part: CpuProfile,
    has_part: bool,
    /// The id of that event, as it is spelled.
    id: Vec<u8>,
}

impl CpuProfiles {
    /// Whether there are samples.
    pub(super) fn has_samples(&self) -> bool {
        self.rows.values().any(|row| row.profile.has_samples())
    }

    /// Forgets the event that was read.
    #[inline]
    pub(super) fn begin_event(&mut self) {
        self.id.clear();
    }

    /// Reads the id of an event.
    ///
    /// # Errors
    /// Those of the reader.
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
    ///
    /// # Errors
    /// Those of the reader, and cancelled.
    pub(super) fn read_data<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        if reader.peek()? != JsonKind::Object {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_raw_key()? {
            match key.bytes() {
                b"cpuProfile" => self.read_profile(reader)?,
                key => {
                    let member = Member::named(key);
                    self.read_member(reader, member)?;
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
        while let Some(key) = reader.next_raw_key()? {
            let member = Member::named(key.bytes());
            self.read_member(reader, member)?;
        }
        Ok(())
    }

    fn read_member<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        member: Member,
    ) -> Result<(), JsonError> {
        let is_array = reader.peek()? == JsonKind::Array;
        self.has_part |= member != Member::Other;
        match member {
            Member::Nodes if is_array => self.part.read_nodes(reader),
            Member::Samples if is_array => self.part.read_samples(reader),
            Member::Deltas if is_array => self.part.read_deltas(reader),
            Member::Start => self.part.read_start(reader),
            Member::End => self.part.read_end(reader),
            _ => reader.skip(),
        }
    }

    /// Takes what the event that was read has of a profile, if its name says that it is of one.
    #[inline]
    pub(super) fn take<'a>(&mut self, thread: ThreadKey, name: impl FnOnce() -> &'a str) {
        if std::mem::take(&mut self.has_part) {
            self.take_part(thread, name());
        }
    }

    fn take_part(&mut self, thread: ThreadKey, name: &str) {
        let part = std::mem::take(&mut self.part);
        let is_of_thread = matches!(name, "Profile" | "CpuProfile");
        if !is_of_thread && name != "ProfileChunk" {
            return;
        }
        let row = self
            .rows
            .entry((thread.0, self.id.as_slice().into()))
            .or_default();
        row.thread = if is_of_thread {
            Some(thread)
        } else {
            row.thread.or(Some(thread))
        };
        row.profile.append(part);
    }

    /// Adds those with samples to what was recorded, and tells of each its thread and what was odd.
    ///
    /// # Errors
    /// The tree is full.
    pub(super) fn add_to(
        self,
        recorded: &mut Recorded,
    ) -> Result<Vec<(ThreadKey, Added)>, TooLarge> {
        let with_samples = self
            .rows
            .into_values()
            .filter(|row| row.profile.has_samples());
        with_samples
            .map(|Row { profile, thread }| {
                Ok((thread.unwrap_or_default(), profile.add_to(recorded)?))
            })
            .collect()
    }
}

/// A member of a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Nodes,
    Samples,
    Deltas,
    Start,
    End,
    Other,
}

impl Member {
    fn named(name: &[u8]) -> Member {
        match name {
            b"nodes" => Member::Nodes,
            b"samples" => Member::Samples,
            b"timeDeltas" => Member::Deltas,
            b"startTime" => Member::Start,
            b"endTime" => Member::End,
            _ => Member::Other,
        }
    }
}
