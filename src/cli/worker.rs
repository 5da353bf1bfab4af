//! Runs long jobs off the drawing thread, one at a time; of each kind, only the newest is queued.

use super::jobs::Jobs;
use super::load::panic_text;
use super::notes;
use crate::app::{Effect, JobKind, Message};
use crate::cli::messages;
use crate::model::{MethodNotes, Progress, View};
use parking_lot::{Condvar, Mutex};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

type QueuedJob = (Arc<View>, Effect);

#[derive(Default)]
struct QueuedJobs {
    waiting: BTreeMap<JobKind, QueuedJob>,
    /// all of them, since each is wanted
    notes: VecDeque<QueuedJob>,
    running: Option<(Option<JobKind>, Progress)>,
    is_closed: bool,
}

impl QueuedJobs {
    fn running_view(&self) -> Option<&Progress> {
        let (kind, progress) = self.running.as_ref()?;
        (*kind == Some(JobKind::View)).then_some(progress)
    }
}

pub(super) struct Worker {
    shared: Arc<(Mutex<QueuedJobs>, Condvar)>,
    /// Hangs up when the thread ends.
    done: Receiver<()>,
    notes: (Option<PathBuf>, MethodNotes),
}

impl Worker {
    pub(super) fn percent(&self) -> Option<u8> {
        self.shared.0.lock().running_view().map(Progress::percent)
    }

    pub(super) fn start(
        mut jobs: Jobs,
        send: impl Fn(Message) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let shared: Arc<(Mutex<QueuedJobs>, Condvar)> = Arc::default();
        let queue = Arc::clone(&shared);
        let own_notes = jobs.view.recording.own_notes.clone();
        let notes = (jobs.notes_file.clone(), own_notes);
        let (alive, done) = channel();
        let work = move || {
            let _alive: Sender<()> = alive;
            while let Some(((view, effect), progress)) = next_job(&queue) {
                let failed = effect.clone();
                let job = AssertUnwindSafe(|| jobs.run_watched(&view, effect, &progress));
                let answer = catch_unwind(job).unwrap_or_else(|panic| {
                    Some(Message::Failed(failed, messages::bug(&panic_text(&*panic))))
                });
                answer.into_iter().for_each(&send);
            }
        };
        Builder::new().name("worker".into()).spawn(work)?;
        Ok(Worker {
            shared,
            done,
            notes,
        })
    }

    /// Queues a job on a profile; a pending one of the same kind is dropped.
    pub(super) fn ask(&self, view: &Arc<View>, effect: Effect) {
        let mut queued = self.shared.0.lock();
        let kind = effect.job_kind();
        if kind == Some(JobKind::View) || effect == Effect::CancelView {
            queued.running_view().into_iter().for_each(Progress::cancel);
            queued.waiting.remove(&JobKind::View);
        }
        let job = (Arc::clone(view), effect);
        match kind {
            Some(JobKind::Note) => queued.notes.push_back(job),
            Some(kind) => _ = queued.waiting.insert(kind, job),
            None => {}
        }
        self.shared.1.notify_one();
    }
}

impl Drop for Worker {
    /// Waits for the running job only if it is writing a file.
    fn drop(&mut self) {
        let mut queued = self.shared.0.lock();
        let running = queued.running.take();
        queued.waiting.clear();
        queued.is_closed = true;
        let notes = std::mem::take(&mut queued.notes);
        drop(queued);
        self.shared.1.notify_one();
        if let Some((kind, progress)) = running {
            progress.cancel();
            if matches!(kind, Some(JobKind::Note | JobKind::Export)) {
                let _ = self.done.recv_timeout(WRITE_TIMEOUT);
            }
        }
        let (file, notes_in_profile) = &self.notes;
        for (_, effect) in notes {
            let Effect::Note {
                method,
                note,
                writes: true,
            } = effect
            else {
                continue;
            };
            if let Some(file) = file {
                let _ = notes::write(file, &[method], &note, notes_in_profile);
            }
        }
    }
}

/// The first note, or else the job with the highest priority. `None` once the worker is dropped.
fn next_job(shared: &(Mutex<QueuedJobs>, Condvar)) -> Option<(QueuedJob, Progress)> {
    let mut queued = shared.0.lock();
    queued.running = None;
    loop {
        let next = queued.notes.pop_front();
        if let Some(job) = next.or_else(|| Some(queued.waiting.pop_first()?.1)) {
            let progress = Progress::default();
            // from now on it can be cancelled
            queued.running = Some((job.1.job_kind(), progress.clone()));
            return Some((job, progress));
        }
        if queued.is_closed {
            return None;
        }
        shared.1.wait(&mut queued);
    }
}

#[cfg(test)]
mod tests;
