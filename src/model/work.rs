//! Progress and cancellation of long work.

use super::TooLarge;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The progress of a long job, shared by the worker and the waiting thread. `Work::default()` is unwatched.
#[derive(Clone, Debug, Default)]
pub struct Work(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_cancelled: AtomicBool,
    /// how many steps it takes
    steps: AtomicU32,
    /// how many of them are done
    done: AtomicU32,
    /// how far the next one is, in thousandths
    permille: AtomicU32,
}

/// Why something was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmade {
    TooLarge,
    /// It is not wanted any longer.
    Cancelled,
}

impl From<TooLarge> for Unmade {
    fn from(TooLarge: TooLarge) -> Unmade {
        Unmade::TooLarge
    }
}

impl Work {
    /// Sets the number of steps.
    pub fn set_steps(&self, steps: usize) {
        self.0
            .steps
            .store(u32::try_from(steps).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// Ends a step.
    pub fn end_step(&self) {
        self.0.permille.store(0, Ordering::Relaxed);
        self.0.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Reports how much of the step is done.
    ///
    /// # Errors
    /// [`Unmade::Cancelled`]: the rest is not wanted any longer.
    pub fn is_at(&self, done: usize, of: usize) -> Result<(), Unmade> {
        let permille = done as u64 * 1000 / (of as u64).max(1);
        self.0
            .permille
            .store(permille.min(1000) as u32, Ordering::Relaxed);
        if self.0.is_cancelled.load(Ordering::Relaxed) {
            Err(Unmade::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Counts the nodes of a step, of which there are so many.
    pub fn counter(&self, of: usize) -> Counter<'_> {
        Counter {
            work: self,
            of,
            next: 0,
        }
    }

    /// Cancels the work.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// How far it is, 0 to 100.
    pub fn percent(&self) -> u8 {
        let [steps, done, permille] = [&self.0.steps, &self.0.done, &self.0.permille]
            .map(|value| u64::from(value.load(Ordering::Relaxed)));
        ((done * 1000 + permille) / (10 * steps.max(1))).min(100) as u8
    }
}

/// Counts the nodes of a step for [`Work`]: now and then, it reports progress and checks for cancellation.
#[derive(Debug)]
pub struct Counter<'a> {
    work: &'a Work,
    of: usize,
    /// The count at which it reports next.
    next: usize,
}

impl Counter<'_> {
    /// The number of nodes between two reports.
    const NODES: usize = 1 << 16;

    /// So many are done.
    ///
    /// # Errors
    /// [`Unmade::Cancelled`]: the rest is not wanted any longer.
    #[inline]
    pub fn at(&mut self, done: usize) -> Result<(), Unmade> {
        if done < self.next {
            return Ok(());
        }
        self.next = done + Self::NODES;
        self.work.is_at(done, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_tells_how_far_it_is_and_ends_when_it_is_not_wanted() {
        let work = Work::default();
        let watched = work.clone();
        work.set_steps(2);
        assert_eq!((work.is_at(1, 4), watched.percent()), (Ok(()), 12));
        work.end_step();
        assert_eq!((work.is_at(1, 2), watched.percent()), (Ok(()), 75));
        work.end_step();
        assert_eq!(watched.percent(), 100);
        watched.cancel();
        assert_eq!(work.is_at(0, 0), Err(Unmade::Cancelled));
        let mut counter = work.counter(10);
        assert_eq!(
            (counter.at(0), counter.at(1)),
            (Err(Unmade::Cancelled), Ok(())),
            "asked now and then"
        );
    }
}
