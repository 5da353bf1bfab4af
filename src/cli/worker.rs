//! Runs long jobs off the drawing thread: one at a time; of each kind, only the newest is queued.

use super::jobs::Jobs;
use super::load::panic_text;
use super::notes;
use crate::app::{Effect, JobKind, Message, ReportUse};
use crate::cli::messages;
use crate::model::{MethodNotes, Progress, View};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How long leaving waits for a file that is being written.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// The request and its profile.
type QueuedJob = (Arc<View>, Effect);

#[derive(Default)]
struct QueuedJobs {
    hotspots: Option<QueuedJob>,
    search: Option<QueuedJob>,
    preview: Option<QueuedJob>,
    /// a report that is to be copied, which no preview replaces
    copy: Option<QueuedJob>,
    /// another view, of whatever kind
    view: Option<QueuedJob>,
    rows: Option<QueuedJob>,
    export: Option<QueuedJob>,
    /// all of them, since each is wanted
    notes: VecDeque<QueuedJob>,
    /// the view or tree of callers that is being made
    running: Option<Progress>,
    /// whether a note is being written
    is_noting: bool,
    is_closed: bool,
}

/// The thread that does the jobs of one profile and of those that are made from it.
pub(super) struct Worker {
    shared: Arc<(Mutex<QueuedJobs>, Condvar)>,
    is_abandoned: Arc<AtomicBool>,
    is_writing: Arc<AtomicBool>,
    /// Hangs up when the thread ends.
    done: Receiver<()>,
    /// The file for notes, and the notes in the profile itself.
    notes: (Option<PathBuf>, MethodNotes),
}

impl Worker {
    /// How far the view is that is being made, in percent.
    pub(super) fn percent(&self) -> Option<u8> {
        lock(&self.shared.0).running.as_ref().map(Progress::percent)
    }

    /// Starts the thread. `send` gets every answer.
    pub(super) fn start(
        jobs: Jobs,
        send: impl Fn(Message) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let shared: Arc<(Mutex<QueuedJobs>, Condvar)> = Arc::default();
        let theirs = Arc::clone(&shared);
        let mut jobs = jobs;
        let is_abandoned = Arc::clone(&jobs.is_abandoned);
        let is_writing = Arc::clone(&jobs.is_writing);
        let notes = jobs.notes_place();
        let (alive, done) = channel();
        std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                let _alive: std::sync::mpsc::Sender<()> = alive;
                while let Some(((view, effect), progress)) = next_job(&theirs) {
                    let kind = effect.kind();
                    let answer = catch_unwind(AssertUnwindSafe(|| {
                        jobs.run_watched(&view, effect, &progress)
                    }));
                    let answer = answer.unwrap_or_else(|panic| {
                        Some(Message::Failed(kind, messages::bug(&panic_text(&*panic))))
                    });
                    if let Some(message) = answer {
                        send(message);
                    }
                }
            })?;
        Ok(Worker {
            shared,
            is_abandoned,
            is_writing,
            done,
            notes,
        })
    }

    /// Asks for a job on a profile; one of the same kind that still waits is forgotten.
    pub(super) fn ask(&self, view: &Arc<View>, effect: Effect) {
        let mut waiting = lock(&self.shared.0);
        let kind = effect.kind();
        if kind == JobKind::View || effect == Effect::GiveUp {
            // the view that was asked for last is the one that is wanted
            waiting.running.iter().for_each(Progress::cancel);
            waiting.view = None;
        }
        let is_search = matches!(effect, Effect::Search { .. });
        let is_hotspots = matches!(effect, Effect::Hotspots { .. });
        let is_preview = matches!(effect, Effect::Report(_, ReportUse::Preview));
        let is_copy = matches!(effect, Effect::Report(_, ReportUse::Clipboard));
        let job = (Arc::clone(view), effect);
        match kind {
            JobKind::None => return,
            JobKind::Note => waiting.notes.push_back(job),
            JobKind::View => waiting.view = Some(job),
            JobKind::Export => waiting.export = Some(job),
            JobKind::Rows if is_search => waiting.search = Some(job),
            JobKind::Rows if is_hotspots => waiting.hotspots = Some(job),
            JobKind::Rows if is_preview => waiting.preview = Some(job),
            JobKind::Rows if is_copy => waiting.copy = Some(job),
            JobKind::Rows => waiting.rows = Some(job),
        }
        self.shared.1.notify_one();
    }
}

impl Drop for Worker {
    /// Cancels the running job, and waits for it only while it writes a file. The thread may outlive this.
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::SeqCst);
        let (notes, is_noting) = {
            let mut waiting = lock(&self.shared.0);
            waiting.running.iter().for_each(Progress::cancel);
            let (notes, is_noting) = (std::mem::take(&mut waiting.notes), waiting.is_noting);
            *waiting = QueuedJobs {
                is_closed: true,
                ..QueuedJobs::default()
            };
            (notes, is_noting)
        };
        self.shared.1.notify_one();
        if is_noting || self.is_writing.load(Ordering::SeqCst) {
            let _ = self.done.recv_timeout(WRITE_TIMEOUT);
        }
        // notes that still wait are not lost
        let (file, own) = &self.notes;
        for (_, effect) in notes {
            if let (
                Effect::Note {
                    method,
                    note,
                    writes: true,
                },
                Some(file),
            ) = (effect, file)
            {
                let _ = notes::keep(file, &[method], &note, own);
            }
        }
    }
}

/// A lock that a panic elsewhere can't take away: what it guards is whole between any two statements.
fn lock(mutex: &Mutex<QueuedJobs>) -> MutexGuard<'_, QueuedJobs> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for the next job: what a user waits for with every key comes first. `None` when the worker is dropped.
fn next_job(shared: &(Mutex<QueuedJobs>, Condvar)) -> Option<(QueuedJob, Progress)> {
    let mut waiting = lock(&shared.0);
    (waiting.running, waiting.is_noting) = (None, false);
    loop {
        // sums of a tree that is about to go can wait
        let next = (waiting.notes.pop_front())
            .or_else(|| waiting.search.take())
            .or_else(|| waiting.rows.take())
            .or_else(|| waiting.view.take())
            .or_else(|| waiting.hotspots.take())
            .or_else(|| waiting.copy.take())
            .or_else(|| waiting.preview.take())
            .or_else(|| waiting.export.take());
        if let Some(job) = next {
            let progress = Progress::default();
            // from now on it can be cancelled
            waiting.running = (job.1.kind() == JobKind::View).then(|| progress.clone());
            waiting.is_noting = job.1.kind() == JobKind::Note;
            return Some((job, progress));
        }
        if waiting.is_closed {
            return None;
        }
        waiting = shared
            .1
            .wait(waiting)
            .unwrap_or_else(|poisoned| poisoned.into_inner());
    }
}

#[cfg(test)]
mod tests;
