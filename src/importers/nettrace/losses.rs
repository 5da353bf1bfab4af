//! Events dropped before they reached the file.
//!
//! Threads count the events that they send, from 1 and whether or not these are kept: a gap is a loss. Sequence points
//! repeat the counts, which reveals losses at the end, too.

use super::framing::BlockResult;
use crate::input::cursor::Cursor;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Losses {
    last: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// The previous event's thread and count, not yet in `last`: most events follow one of the same thread.
    current: Option<(u64, u32)>,
    pub(super) lost: u64,
    is_renumbered: bool,
}

impl Losses {
    pub(super) fn event(&mut self, thread: u64, sequence: u32) {
        match &mut self.current {
            Some((current, last)) if *current == thread && last.wrapping_add(1) == sequence => {
                *last = sequence
            }
            _ => self.switch_thread(thread, sequence),
        }
    }

    fn switch_thread(&mut self, thread: u64, sequence: u32) {
        let last = self.last_sequence(thread);
        // a new thread may reuse the id of one that has ended, and counts from 1 again
        if sequence != 1 && !self.is_unknown(thread) {
            self.add(sequence.wrapping_sub(last).wrapping_sub(1));
        }
        self.current = Some((thread, sequence));
    }

    pub(super) fn sequence_point(&mut self, thread: u64, sequence: u32) {
        let missing = sequence.wrapping_sub(self.last_sequence(thread));
        if self.is_unknown(thread) || self.add(missing) {
            self.last.insert(thread, sequence);
        }
    }

    pub(super) fn read_sequence_point(&mut self, content: &[u8]) -> BlockResult {
        let mut cursor = Cursor::new(content);
        let mut threads = || -> Option<()> {
            cursor.u64()?;
            for _ in 0..cursor.u32()? {
                let thread = cursor.u64()?;
                self.sequence_point(thread, cursor.u32()?);
            }
            Some(())
        };
        threads().ok_or(cursor.position())
    }

    pub(super) fn end(&mut self, thread: u64, sequence: u32) {
        self.sequence_point(thread, sequence);
        self.last.remove(&thread);
    }

    /// All ids are reassigned, to other threads or to the same ones, which keep counting.
    pub(super) fn renumber(&mut self) {
        self.current = None;
        self.last.clear();
        self.is_renumbered = true;
    }

    fn is_unknown(&self, thread: u64) -> bool {
        self.is_renumbered && !self.last.contains_key(&thread)
    }

    /// Moves `current` into `last`.
    fn last_sequence(&mut self, thread: u64) -> u32 {
        if let Some((current, last)) = self.current.take() {
            self.last.insert(current, last);
        }
        self.last.get(&thread).copied().unwrap_or(0)
    }

    /// Ignores negative differences: counts may lag behind, which is not a loss.
    fn add(&mut self, missing: u32) -> bool {
        let is_forward = missing <= i32::MAX as u32;
        self.lost += u64::from(if is_forward { missing } else { 0 });
        is_forward
    }
}

#[cfg(test)]
mod tests;
