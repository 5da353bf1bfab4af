//! Where the messages about a recording go.

use super::super::print::notice;
use crate::record::session::Session;
use crate::text::{fit_end, visible};
use crate::units::{counted, size, thousands};
use parking_lot::Mutex;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Prints messages on its own thread: a stopped terminal must not stop a recording.
pub(super) struct RecordReporter {
    /// Messages to print when this is dropped, if the explorer has the terminal.
    postponed: Option<Mutex<Vec<String>>>,
    texts: Sender<String>,
    pending: Arc<AtomicUsize>,
}

const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

impl RecordReporter {
    pub(super) fn new(is_live: bool) -> RecordReporter {
        let (texts, queue) = channel::<String>();
        let pending = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&pending);
        let run = move || {
            for text in queue {
                let _ = io::stderr().write_all(text.as_bytes());
                counter.fetch_sub(1, Ordering::SeqCst);
            }
        };
        let _ = thread::Builder::new().name("reporter".into()).spawn(run);
        RecordReporter {
            postponed: is_live.then(Mutex::default),
            texts,
            pending,
        }
    }

    pub(super) fn report(&self, sentence: &str) {
        match &self.postponed {
            None => self.report_now(sentence),
            Some(postponed) => postponed.lock().push(sentence.into()),
        }
    }

    pub(super) fn report_now(&self, sentence: &str) {
        self.write(notice(sentence));
    }

    fn write(&self, text: String) {
        self.pending.fetch_add(1, Ordering::SeqCst);
        // without the thread, nothing is ever written, and nobody waits for it long
        let _ = self.texts.send(text);
    }

    fn is_idle(&self) -> bool {
        self.pending.load(Ordering::SeqCst) == 0
    }

    /// Waits until everything is written, but not for a stopped terminal.
    pub(super) fn flush(&self) {
        let deadline = Instant::now() + NOTICE_TIMEOUT;
        while !self.is_idle() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn postponed(&self) -> String {
        let postponed = self.postponed.as_ref();
        postponed.map_or(String::new(), |sentences| sentences.lock().join("; "))
    }
}

impl Drop for RecordReporter {
    fn drop(&mut self) {
        let postponed = self.postponed.take().map(Mutex::into_inner);
        for sentence in postponed.unwrap_or_default() {
            self.report_now(&sentence);
        }
        self.flush();
    }
}

const PRINT_INTERVAL: Duration = Duration::from_secs(10);
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Progress: an updating line on a terminal, occasional lines elsewhere.
pub(super) struct StatusLine {
    started: Instant,
    printed_at: Instant,
    is_terminal: bool,
    is_drawn: bool,
}

impl StatusLine {
    pub(super) fn new() -> StatusLine {
        let now = Instant::now();
        StatusLine {
            started: now,
            printed_at: now,
            is_terminal: io::stderr().is_terminal(),
            is_drawn: false,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn update(&mut self, session: &Session, what_next: &str, reporter: &RecordReporter) {
        let since = self.printed_at.elapsed();
        if self.is_terminal && since >= UPDATE_INTERVAL && reporter.is_idle() {
            (self.is_drawn, self.printed_at) = (true, Instant::now());
            let text = format!("{}; {what_next}", self.text(session));
            let text = fit_end(&visible(&text), width());
            reporter.write(format!("\r\x1b[2K{text}"));
        } else if !self.is_terminal && since >= PRINT_INTERVAL {
            self.printed_at = Instant::now();
            reporter.report(&self.text(session));
        }
    }

    fn text(&self, session: &Session) -> String {
        let tally = &session.tally;
        let seconds = self.elapsed().as_secs_f64();
        let samples = counted(tally.samples, "sample");
        let threads = counted(tally.threads() as u64, "thread");
        let (bytes, dropped) = (size(session.bytes), thousands(tally.dropped()));
        format!("{seconds:.1} s, {samples}, {threads}, {bytes}, {dropped} dropped")
    }

    pub(super) fn clear(&mut self, reporter: &RecordReporter) {
        if std::mem::take(&mut self.is_drawn) {
            reporter.write("\r\x1b[2K".into());
        }
    }
}

fn width() -> usize {
    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
    columns.saturating_sub(1).max(20)
}
