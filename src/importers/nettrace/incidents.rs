//! What else happened in the runtime, as numbers for people: exceptions and garbage collections.

use super::threads::ThreadKey;
use crate::importers::messages;
use crate::input::cursor::Cursor;
use crate::units::thousands;
use indexmap::IndexMap;
use std::collections::HashMap;

/// The reasons for which the runtime stops all threads that are of a garbage collection (`SuspendForGC`, and
/// `SuspendForGCPrep`); the sampler stops them, too.
const COLLECTION_REASONS: [u32; 2] = [1, 6];
/// How many types of exceptions are named.
const NAMED_TYPES: usize = 3;

/// Counts what happened.
#[derive(Default)]
pub(super) struct Incidents {
    exceptions: IndexMap<String, u64, foldhash::fast::RandomState>,
    /// How many collections there were of each generation.
    collections: IndexMap<u32, u64, foldhash::fast::RandomState>,
    /// Since when each thread has kept the others stopped.
    stopped: HashMap<ThreadKey, u64, foldhash::fast::RandomState>,
    pauses: u64,
    pause_ticks: u64,
    longest_pause_ticks: u64,
}

impl Incidents {
    /// Reads an exception that was thrown.
    pub(super) fn read_exception(&mut self, payload: &[u8]) {
        let name = Cursor::new(payload).text().unwrap_or_default();
        *self.exceptions.entry(name).or_default() += 1;
    }

    /// Reads the start of a collection: its number and, since version 1 of the event, the generation.
    pub(super) fn read_collection(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        let (_number, generation) = (cursor.u32()?, cursor.u32()?);
        *self.collections.entry(generation).or_default() += 1;
        Some(())
    }

    /// Reads that a thread begins to stop all others.
    pub(super) fn read_stop(&mut self, payload: &[u8], thread: ThreadKey, time: u64) -> Option<()> {
        let reason = Cursor::new(payload).u32()?;
        if COLLECTION_REASONS.contains(&reason) {
            self.stopped.insert(thread, time);
        } else {
            self.stopped.remove(&thread);
        }
        Some(())
    }

    /// Notes that a thread has let all others go on.
    pub(super) fn go_on(&mut self, thread: ThreadKey, time: u64) {
        if let Some(ticks) = self
            .stopped
            .remove(&thread)
            .and_then(|since| time.checked_sub(since))
        {
            self.pauses += 1;
            self.pause_ticks = self.pause_ticks.saturating_add(ticks);
            self.longest_pause_ticks = self.longest_pause_ticks.max(ticks);
        }
    }

    /// Facts about what happened, if anything did.
    pub(super) fn facts(
        &self,
        ticks_per_second: u64,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let exceptions = self.exceptions_text().map(|text| ("exceptions", text));
        let collections = self
            .collections_text()
            .map(|text| ("garbage collections", text));
        let milliseconds = |ticks: u64| {
            let tenths = (u128::from(ticks) * 10_000 + u128::from(ticks_per_second) / 2)
                / u128::from(ticks_per_second);
            let tenths = u64::try_from(tenths).unwrap_or(u64::MAX);
            format!("{}.{} ms", thousands(tenths / 10), tenths % 10)
        };
        let pauses = (self.pauses > 0).then(|| {
            let (all, longest) = (
                milliseconds(self.pause_ticks),
                milliseconds(self.longest_pause_ticks),
            );
            (
                "GC pauses",
                messages::pauses_in_all(&thousands(self.pauses), &all, &longest),
            )
        });
        [exceptions, collections, pauses].into_iter().flatten()
    }

    fn exceptions_text(&self) -> Option<String> {
        let mut types: Vec<(&str, u64)> = self
            .exceptions
            .iter()
            .map(|(name, &count)| (if name.is_empty() { "?" } else { name }, count))
            .collect();
        types.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let all = types.iter().map(|(_, count)| count).sum();
        let mut parts: Vec<String> = types
            .iter()
            .take(NAMED_TYPES)
            .map(|(name, count)| format!("{} {name}", thousands(*count)))
            .collect();
        let others: u64 = types.iter().skip(NAMED_TYPES).map(|(_, count)| count).sum();
        if others > 0 {
            parts.push(messages::other_types(&thousands(others)));
        }
        (all > 0).then(|| format!("{}: {}", thousands(all), parts.join(", ")))
    }

    fn collections_text(&self) -> Option<String> {
        let mut generations: Vec<(u32, u64)> = self
            .collections
            .iter()
            .map(|(&row, &count)| (row, count))
            .collect();
        generations.sort_unstable();
        let all = generations.iter().map(|(_, count)| count).sum();
        let parts: Vec<String> = generations
            .iter()
            .map(|(generation, count)| format!("{} of generation {generation}", thousands(*count)))
            .collect();
        (all > 0).then(|| format!("{}: {}", thousands(all), parts.join(", ")))
    }
}

#[cfg(test)]
mod tests;
