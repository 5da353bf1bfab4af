//! Events that were dropped before they reached the file.
//!
//! Every thread counts the events that it sends, from 1 and whether or not they are kept. A gap is a loss. Sequence
//! points repeat the counts, so that losses at the end show, too.

use std::collections::HashMap;

/// Counts lost events.
#[derive(Default)]
pub(super) struct Losses {
    /// The count of each capture thread's last event.
    last: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// The thread of the event before and its count, which `last` need not have: most events follow one of the same thread.
    current: Option<(u64, u32)>,
    lost: u64,
    /// Whether numbers were given to other threads.
    is_renumbered: bool,
}

impl Losses {
    /// Notes an event.
    pub(super) fn event(&mut self, thread: u64, sequence: u32) {
        match &mut self.current {
            Some((current, last)) if *current == thread && last.wrapping_add(1) == sequence => {
                *last = sequence
            }
            _ => self.other_event(thread, sequence),
        }
    }

    fn other_event(&mut self, thread: u64, sequence: u32) {
        let last = self.last_of(thread);
        if self.is_unknown(thread) {
            self.current = Some((thread, sequence));
            return;
        }
        // a new thread may have the id of one that has ended, and counts from 1 again
        if sequence != 1 {
            self.add(sequence.wrapping_sub(last).wrapping_sub(1));
        }
        self.current = Some((thread, sequence));
    }

    /// Notes how many events a thread has sent at a sequence point.
    pub(super) fn sequence_point(&mut self, thread: u64, sequence: u32) {
        let missing = sequence.wrapping_sub(self.last_of(thread));
        if self.is_unknown(thread) || self.add(missing) {
            self.last.insert(thread, sequence);
        }
    }

    /// Notes that a thread has come to its end, with the number of events that it has sent.
    pub(super) fn end(&mut self, thread: u64, sequence: u32) {
        self.sequence_point(thread, sequence);
        self.last.remove(&thread);
    }

    /// Notes that all numbers go to other threads, or to the same, which then count on.
    pub(super) fn renumber(&mut self) {
        self.current = None;
        self.last.clear();
        self.is_renumbered = true;
    }

    /// Whether the count with which a thread starts says nothing.
    fn is_unknown(&self, thread: u64) -> bool {
        self.is_renumbered && !self.last.contains_key(&thread)
    }

    /// The count of a thread's last event, where all counts are in `last`.
    fn last_of(&mut self, thread: u64) -> u32 {
        if let Some((current, last)) = self.current.take() {
            self.last.insert(current, last);
        }
        self.last.get(&thread).copied().unwrap_or(0)
    }

    /// Adds a difference of counts, unless it is negative: counts may lag behind, and that is no loss.
    fn add(&mut self, missing: u32) -> bool {
        let is_forward = missing <= i32::MAX as u32;
        if is_forward {
            self.lost += u64::from(missing);
        }
        is_forward
    }

    /// How many events were lost.
    pub(super) fn count(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events as (thread, count), then a sequence point.
    #[track_caller]
    fn check(events: &[(u64, u32)], point: &[(u64, u32)], expect: u64) {
        let mut losses = Losses::default();
        events
            .iter()
            .for_each(|&(thread, sequence)| losses.event(thread, sequence));
        point
            .iter()
            .for_each(|&(thread, sequence)| losses.sequence_point(thread, sequence));
        assert_eq!(losses.count(), expect);
    }

    #[test]
    fn gaps_are_losses() {
        check(
            &[(1, 1), (1, 2), (2, 1), (1, 3), (2, 2)],
            &[(1, 3), (2, 2)],
            0,
        );
        check(&[(1, 1), (1, 4)], &[], 2);
        check(&[(1, 3)], &[], 2);
        check(&[(1, 1), (2, 1), (1, 5), (2, 3)], &[], 4);
        check(&[(1, 1)], &[(1, 11), (2, 5)], 15);
        check(&[(1, 1), (1, 2)], &[(1, 1)], 0);
    }

    #[test]
    fn a_thread_with_the_id_of_an_ended_one_counts_from_1() {
        check(&[(1, 1), (1, 2), (1, 1), (1, 2)], &[(1, 2)], 0);
        check(&[(1, 1), (1, 2), (2, 1), (1, 1)], &[], 0);
    }

    #[test]
    fn numbers_go_to_other_threads() {
        let mut losses = Losses::default();
        (1..=3).for_each(|sequence| losses.event(7, sequence));
        losses.end(7, 5);
        assert_eq!(losses.count(), 2);
        losses.event(7, 1);
        losses.renumber();
        losses.event(7, 40);
        losses.event(7, 42);
        losses.sequence_point(7, 43);
        losses.sequence_point(8, 500);
        losses.sequence_point(8, 501);
        assert_eq!(losses.count(), 2 + 1 + 1 + 1);
    }

    #[test]
    fn counts_wrap() {
        let mut losses = Losses::default();
        losses.sequence_point(1, 0x7fff_ffff);
        losses.sequence_point(1, u32::MAX);
        let before = losses.count();
        losses.event(1, 0);
        losses.event(1, 2);
        assert_eq!(losses.count() - before, 1);
    }
}
