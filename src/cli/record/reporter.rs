//! Where the messages about a recording go.

use super::super::say::say;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Prints messages on its own thread: a stopped terminal must not stop a recording.
pub(super) struct RecordReporter {
    /// Messages to print when this is dropped, if the explorer has the terminal.
    later: Option<Mutex<Vec<String>>>,
    works: Sender<Box<dyn FnOnce() + Send>>,
    waiting: Arc<AtomicUsize>,
}

/// How long a terminal may take for the last messages.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

impl RecordReporter {
    /// A reporter that waits until it is dropped, if the explorer has the terminal.
    pub(super) fn new(is_live: bool) -> RecordReporter {
        let (works, come) = channel::<Box<dyn FnOnce() + Send>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let speak = move || {
            for work in come {
                work();
                left.fetch_sub(1, Ordering::SeqCst);
            }
        };
        // without a thread nothing is printed
        let _ = thread::Builder::new().name("voice".into()).spawn(speak);
        RecordReporter {
            later: is_live.then(Mutex::default),
            works,
            waiting,
        }
    }

    pub(super) fn say(&self, sentence: &str) {
        match &self.later {
            None => self.say_now(sentence),
            Some(later) => later.lock().push(sentence.into()),
        }
    }

    /// Reports a message even though the explorer will have the terminal.
    pub(super) fn say_now(&self, sentence: &str) {
        let sentence = sentence.to_string();
        self.write(move || say(&sentence));
    }

    /// Queues text for standard error.
    pub(super) fn write(&self, work: impl FnOnce() + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if self.works.send(Box::new(work)).is_err() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0
    }

    /// Waits until everything is written, but not for a stopped terminal.
    pub(super) fn flush(&self) {
        let until = Instant::now() + NOTICE_TIMEOUT;
        while !self.is_idle() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The messages for later, on one line.
    pub(super) fn kept(&self) -> String {
        self.later
            .as_ref()
            .map_or(String::new(), |later| later.lock().join("; "))
    }
}

impl Drop for RecordReporter {
    fn drop(&mut self) {
        for sentence in self.later.take().map(Mutex::into_inner).unwrap_or_default() {
            self.say_now(&sentence);
        }
        self.flush();
    }
}
