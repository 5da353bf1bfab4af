//! Long work off the drawing thread: one job runs, and of each kind only the newest waits.

use super::jobs::Jobs;
use super::load::panic_text;
use crate::app::{Effect, JobKind, Message, ReportUse};
use crate::model::{View, Work};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

/// What is asked for, and of which profile.
type Job = (Arc<View>, Effect);

#[derive(Default)]
struct Waiting {
    hotspots: Option<Job>,
    search: Option<Job>,
    preview: Option<Job>,
    /// a report that is to be copied, which no preview replaces
    copy: Option<Job>,
    /// another view, of whatever kind
    view: Option<Job>,
    rows: Option<Job>,
    export: Option<Job>,
    /// all of them, since each is wanted
    notes: VecDeque<Job>,
    /// the view or tree of callers that is being made
    running: Option<Work>,
    is_closed: bool,
}

/// The thread that does the jobs of one profile and of those that are made from it.
pub(super) struct Worker {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
    is_abandoned: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// How far the view is that is being made, in percent.
    pub(super) fn percent(&self) -> Option<u8> {
        lock(&self.shared.0).running.as_ref().map(Work::percent)
    }

    /// Starts the thread. `send` gets every answer.
    pub(super) fn start(
        jobs: Jobs,
        send: impl Fn(Message) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let shared: Arc<(Mutex<Waiting>, Condvar)> = Arc::default();
        let theirs = Arc::clone(&shared);
        let mut jobs = jobs;
        let is_abandoned = Arc::clone(&jobs.is_abandoned);
        let thread = std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                while let Some(((view, effect), work)) = next_job(&theirs) {
                    let kind = effect.kind();
                    let answer =
                        catch_unwind(AssertUnwindSafe(|| jobs.run_watched(&view, effect, &work)));
                    let answer = answer.unwrap_or_else(|panic| {
                        Some(Message::Failed(
                            kind,
                            format!("this is a bug in dotspot: {}", panic_text(&*panic)),
                        ))
                    });
                    if let Some(message) = answer {
                        send(message);
                    }
                }
            })?;
        Ok(Worker {
            shared,
            is_abandoned,
            thread: Some(thread),
        })
    }

    /// Asks for a job on a profile; one of the same kind that still waits is forgotten.
    pub(super) fn ask(&self, view: &Arc<View>, effect: Effect) {
        let mut waiting = lock(&self.shared.0);
        let kind = effect.kind();
        if kind == JobKind::View || effect == Effect::GiveUp {
            // the view that was asked for last is the one that is wanted
            waiting.running.iter().for_each(Work::cancel);
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
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        {
            let mut waiting = lock(&self.shared.0);
            waiting.running.iter().for_each(Work::cancel);
            // what a person wrote is not lost
            let notes = std::mem::take(&mut waiting.notes);
            *waiting = Waiting {
                is_closed: true,
                notes,
                ..Waiting::default()
            };
        }
        self.shared.1.notify_one();
        if let Some(thread) = self.thread.take() {
            // its panics are caught; there is nothing more to learn from it
            let _ = thread.join();
        }
    }
}

/// A lock that a panic elsewhere can't take away: what it guards is whole between any two statements.
fn lock(mutex: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for the next job: what a user waits for with every key comes first. `None` when the worker is dropped.
fn next_job(shared: &(Mutex<Waiting>, Condvar)) -> Option<(Job, Work)> {
    let mut waiting = lock(&shared.0);
    waiting.running = None;
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
            let work = Work::default();
            // from now on it can be cancelled
            waiting.running = (job.1.kind() == JobKind::View).then(|| work.clone());
            return Some((job, work));
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
mod tests {
    use super::*;
    use crate::model::testing::profile_of;
    use crate::model::{Step, Steps};

    #[test]
    fn the_view_that_was_asked_for_last_is_made() {
        let view = Arc::new(profile_of("T;run;price 10|U;price 5"));
        let (send, receive) = std::sync::mpsc::channel();
        let worker = Worker::start(Jobs::new(Arc::clone(&view)), move |message| {
            send.send(message).unwrap()
        })
        .unwrap();
        let without = |node: &str| Steps {
            then: vec![Step::DropNode(node.into())],
            ..view.steps.clone()
        };
        for node in ["n1", "n2", "n3", "n4"] {
            worker.ask(&view, Effect::Show(without(node)));
        }
        // earlier ones may have been made before they were no longer wanted
        let last = receive
            .iter()
            .find(|message| matches!(message, Message::Shown(steps, _) if *steps == without("n4")));
        assert!(matches!(last, Some(Message::Shown(_, Ok(made))) if made.tree.len() == 5));
        drop(worker);
        assert!(receive.recv().is_err(), "nothing comes after it");
    }
}
