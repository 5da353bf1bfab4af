//! The progress of long work, shared with its observers, and the request to cancel it.

use super::TooLarge;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How far a long task is, and the request to cancel it: reading a file, making a view, writing an index. Clones share it, so another thread
/// can watch and cancel. `Progress::default()` is unwatched.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: Arc<AtomicBool>,
    /// Bytes that were read, or thousandths of a step.
    done: AtomicU64,
    /// Of how many; 0 if that is unknown.
    total: AtomicU64,
    nodes: Arc<AtomicU64>,
    /// those that a second thread has made and the first does not have yet
    second_nodes: Arc<AtomicU64>,
    phase: Mutex<Option<String>>,
}

/// If cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cancelled")
    }
}

impl std::error::Error for Cancelled {}

/// Why no tree was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    TooLarge,
    Cancelled,
}

impl From<TooLarge> for BuildError {
    fn from(TooLarge: TooLarge) -> BuildError {
        BuildError::TooLarge
    }
}

impl From<Cancelled> for BuildError {
    fn from(Cancelled: Cancelled) -> BuildError {
        BuildError::Cancelled
    }
}

/// How many units a step has, see [`Progress::set_steps`].
const STEP: u64 = 1000;

impl Progress {
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// What [`Progress::cancel`] sets, for handlers of signals, which can do no more than that.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.cancelled)
    }

    /// Asks whether to continue.
    ///
    /// # Errors
    /// [`Progress::cancel`] was called; the work passes it on and is done.
    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        match self.0.cancelled.load(Ordering::Relaxed) {
            true => Err(Cancelled),
            false => Ok(()),
        }
    }

    /// Called by readers at least once per 64 kB or 10,000 nodes: notes how far they are.
    ///
    /// # Errors
    /// As [`Progress::check_cancelled`].
    pub fn at(&self, nodes: usize) -> Result<(), Cancelled> {
        self.report_nodes(nodes);
        self.check_cancelled()
    }

    /// Reports the number of nodes, without asking whether to continue.
    #[inline]
    pub fn report_nodes(&self, nodes: usize) {
        self.0.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    /// Adds bytes that were read; an input does this by itself.
    pub fn add_bytes(&self, count: u64) {
        self.0.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Uncounts bytes that will be read again.
    pub(crate) fn take_bytes_back(&self, count: u64) {
        let taken = |bytes: u64| Some(bytes.saturating_sub(count));
        let _ = (self.0.done).fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken);
    }

    /// Says how many bytes there are in all, or adds to it where a family of files is read.
    pub fn add_total_bytes(&self, count: u64) {
        self.0.total.fetch_add(count, Ordering::Relaxed);
    }

    /// Says what is being done where bytes can't tell: another program at work. Reading that follows is a phase of its own, and
    /// what was read before counts no more.
    pub fn begin(&self, phase: impl Into<String>) {
        let Shared {
            done,
            total,
            nodes,
            second_nodes,
            phase: now,
            ..
        } = &*self.0;
        for number in [done, total, nodes, second_nodes] {
            number.store(0, Ordering::Relaxed);
        }
        *now.lock().unwrap_or_else(PoisonError::into_inner) = Some(phase.into());
    }

    /// What is being done, if it was said.
    pub fn phase(&self) -> Option<String> {
        let phase = self.0.phase.lock();
        phase.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A progress with numbers of its own, for what is to be counted apart, that the same wish stops.
    pub fn apart(&self) -> Progress {
        self.counting_in(Arc::default())
    }

    /// The progress of a second thread that reads for the same reader. Its nodes count, too, until [`Progress::end_second`].
    pub(crate) fn second(&self) -> Progress {
        self.counting_in(Arc::clone(&self.0.second_nodes))
    }

    fn counting_in(&self, nodes: Arc<AtomicU64>) -> Progress {
        Progress(Arc::new(Shared {
            nodes,
            cancelled: self.cancel_flag(),
            ..Shared::default()
        }))
    }

    /// The nodes of the second thread are the reader's own now, or lost.
    pub(crate) fn end_second(&self) {
        self.0.second_nodes.store(0, Ordering::Relaxed);
    }

    /// Bytes read, bytes in all (0 if unknown), nodes made.
    pub fn now(&self) -> (u64, u64, u64) {
        let Shared {
            done,
            total,
            nodes,
            second_nodes,
            ..
        } = &*self.0;
        let [done, total, nodes, second_nodes] =
            [done, total, nodes, second_nodes].map(|number| number.load(Ordering::Relaxed));
        (done, total, nodes + second_nodes)
    }

    /// Says how many steps the work has. They are taken as equally long.
    pub fn set_steps(&self, steps: usize) {
        (self.0.total).store(STEP.saturating_mul(steps as u64), Ordering::Relaxed);
    }

    /// A step is done.
    pub fn end_step(&self) {
        self.set_in_step(STEP);
    }

    /// Says how far the step is.
    ///
    /// # Errors
    /// As [`Progress::check_cancelled`].
    pub fn is_at(&self, done: usize, of: usize) -> Result<(), Cancelled> {
        let within = done as u64 * STEP / (of as u64).max(1);
        self.set_in_step(within.min(STEP - 1));
        self.check_cancelled()
    }

    fn set_in_step(&self, within: u64) {
        let before = self.0.done.load(Ordering::Relaxed) / STEP * STEP;
        self.0.done.store(before + within, Ordering::Relaxed);
    }

    /// Counts the nodes of a step.
    pub fn counter(&self, of: usize) -> Counter<'_> {
        Counter {
            progress: self,
            of,
            next: 0,
        }
    }

    /// How much of the work is done.
    pub fn percent(&self) -> u8 {
        let (done, total, _) = self.now();
        (done.saturating_mul(100) / total.max(1)).min(100) as u8
    }
}

/// Counts the nodes of a step for [`Progress`]: now and then, it reports progress and checks for cancellation.
#[derive(Debug)]
pub struct Counter<'a> {
    progress: &'a Progress,
    of: usize,
    next: usize,
}

impl Counter<'_> {
    /// How many nodes are passed before it asks again.
    const NODES: usize = 1 << 16;

    /// Called for each node, or for some.
    ///
    /// # Errors
    /// As [`Progress::check_cancelled`].
    #[inline]
    pub fn at(&mut self, done: usize) -> Result<(), Cancelled> {
        if done < self.next {
            return Ok(());
        }
        self.next = done + Self::NODES;
        self.progress.is_at(done, self.of)
    }
}

#[cfg(test)]
mod tests;
