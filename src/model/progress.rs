use super::TooLarge;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a long task is, and the request to cancel it. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: Arc<AtomicBool>,
    done: AtomicU64,
    /// 0 if unknown.
    total: AtomicU64,
    nodes: Arc<AtomicU64>,
    /// Made by a second thread, and not yet with the first.
    second_nodes: Arc<AtomicU64>,
    phase: Mutex<Option<String>>,
}

impl Shared {
    fn numbers(&self) -> [&AtomicU64; 4] {
        [&self.done, &self.total, &self.nodes, &self.second_nodes]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cancelled")
    }
}

impl std::error::Error for Cancelled {}

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

const STEP: u64 = 1000;

impl Progress {
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// For signal handlers, which can do no more than set it.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.cancelled)
    }

    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        match self.0.cancelled.load(Ordering::Relaxed) {
            true => Err(Cancelled),
            false => Ok(()),
        }
    }

    /// Readers call this at least every 64 kB or 10,000 nodes.
    pub fn at(&self, nodes: usize) -> Result<(), Cancelled> {
        self.report_nodes(nodes);
        self.check_cancelled()
    }

    pub fn report_nodes(&self, nodes: usize) {
        self.0.nodes.store(nodes as u64, Ordering::Relaxed);
    }

    pub fn add_bytes(&self, count: u64) {
        self.0.done.fetch_add(count, Ordering::Relaxed);
    }

    pub fn add_total_bytes(&self, count: u64) {
        self.0.total.fetch_add(count, Ordering::Relaxed);
    }

    /// Describes a phase without bytes, such as another program's work, and resets the numbers.
    pub fn begin(&self, phase: impl Into<String>) {
        for number in self.0.numbers() {
            number.store(0, Ordering::Relaxed);
        }
        *self.0.phase.lock() = Some(phase.into());
    }

    pub fn phase(&self) -> Option<String> {
        self.0.phase.lock().clone()
    }

    /// Has its own numbers, but is cancelled with this one.
    pub fn detached(&self) -> Progress {
        self.counting_in(Arc::default())
    }

    /// For a second thread of the same reader. Its nodes are added to this one's until [`Progress::end_second`].
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

    pub(crate) fn end_second(&self) {
        self.0.second_nodes.store(0, Ordering::Relaxed);
    }

    /// Bytes read, total bytes (0 if unknown) and nodes made.
    pub fn now(&self) -> (u64, u64, u64) {
        let numbers = self
            .0
            .numbers()
            .map(|number| number.load(Ordering::Relaxed));
        let [done, total, nodes, second_nodes] = numbers;
        (done, total, nodes + second_nodes)
    }

    pub fn set_steps(&self, steps: usize) {
        (self.0.total).store(STEP.saturating_mul(steps as u64), Ordering::Relaxed);
    }

    pub fn end_step(&self) {
        self.set_in_step(STEP);
    }

    pub fn update(&self, done: usize, of: usize) -> Result<(), Cancelled> {
        let within = done as u64 * STEP / (of as u64).max(1);
        self.set_in_step(within.min(STEP - 1));
        self.check_cancelled()
    }

    fn set_in_step(&self, within: u64) {
        let before = self.0.done.load(Ordering::Relaxed) / STEP * STEP;
        self.0.done.store(before + within, Ordering::Relaxed);
    }

    pub fn counter(&self, of: usize) -> Counter<'_> {
        Counter {
            progress: self,
            of,
            next: 0,
        }
    }

    pub fn percent(&self) -> u8 {
        let (done, total, _) = self.now();
        (done.saturating_mul(100) / total.max(1)).min(100) as u8
    }
}

/// Reports a step's progress and checks for cancellation now and then.
#[derive(Debug)]
pub struct Counter<'a> {
    progress: &'a Progress,
    of: usize,
    next: usize,
}

impl Counter<'_> {
    const NODES: usize = 1 << 16;

    pub fn at(&mut self, done: usize) -> Result<(), Cancelled> {
        if done < self.next {
            return Ok(());
        }
        self.next = done + Self::NODES;
        self.progress.update(done, self.of)
    }
}

#[cfg(test)]
mod tests;
