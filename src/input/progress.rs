//! The progress of a reader, shared with its watcher.

use super::ImportError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicU64,
    total_bytes: AtomicU64,
    nodes: Arc<AtomicU64>,
    /// those that a second thread has made and the first does not have yet
    second_nodes: Arc<AtomicU64>,
    cancelled: Arc<AtomicBool>,
    step: Mutex<Option<String>>,
}

/// A reader's progress and the wish to stop it. Clones share their numbers, so another thread can watch and cancel.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

impl Progress {
    /// Called by readers at least once per 64 kB or 10,000 nodes: notes how far they are.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`] once [`Progress::cancel`] was called; the reader passes it on and is done.
    pub fn at(&self, nodes: usize) -> Result<(), ImportError> {
        self.tell_nodes(nodes);
        self.go_on()
    }

    /// Notes how many nodes there are, where something else asks whether to go on.
    #[inline]
    pub fn tell_nodes(&self, nodes: usize) {
        self.0.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    /// Asks whether to go on, where no nodes are made yet.
    ///
    /// # Errors
    /// As [`Progress::at`].
    pub fn go_on(&self) -> Result<(), ImportError> {
        match self.0.cancelled.load(Ordering::Relaxed) {
            true => Err(ImportError::Cancelled),
            false => Ok(()),
        }
    }

    /// Adds bytes that were read; [`super::Input`] does this by itself.
    pub fn add_bytes(&self, count: u64) {
        self.0.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Says how many bytes there are in all, or adds to it where a family of files is read.
    pub fn add_total_bytes(&self, count: u64) {
        self.0.total_bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Says what is being done where bytes can't tell: another program at work. Reading that follows is a step of its own, and
    /// what was read before counts no more.
    pub fn begin(&self, step: impl Into<String>) {
        for number in [
            &self.0.bytes,
            &self.0.total_bytes,
            &self.0.nodes,
            &self.0.second_nodes,
        ] {
            number.store(0, Ordering::Relaxed);
        }
        *self.0.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(step.into());
    }

    /// What is being done, if it was said.
    pub fn step(&self) -> Option<String> {
        self.0
            .step
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A progress with numbers of its own, for what is to be counted apart, that the same wish stops.
    pub fn apart(&self) -> Progress {
        Progress(Arc::new(Shared {
            cancelled: self.cancel_flag(),
            ..Shared::default()
        }))
    }

    /// The progress of a second thread that reads for the same reader. Its nodes count, too, until [`Progress::end_second`].
    pub(crate) fn second(&self) -> Progress {
        let nodes = Arc::clone(&self.0.second_nodes);
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

    /// Takes back bytes that were counted and will be read again.
    pub(crate) fn take_bytes_back(&self, count: u64) {
        let taken = |bytes: u64| Some(bytes.saturating_sub(count));
        let _ = self
            .0
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken);
    }

    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// What [`Progress::cancel`] sets, for handlers of signals, which can do no more than that.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.cancelled)
    }

    /// Bytes read, bytes in all (0 if unknown), nodes made.
    pub fn now(&self) -> (u64, u64, u64) {
        (
            self.0.bytes.load(Ordering::Relaxed),
            self.0.total_bytes.load(Ordering::Relaxed),
            self.0.nodes.load(Ordering::Relaxed) + self.0.second_nodes.load(Ordering::Relaxed),
        )
    }
}

#[cfg(test)]
mod tests;
