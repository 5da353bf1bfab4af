//! An updating line on a terminal, occasional lines elsewhere.

use super::reporter::RecordReporter;
use crate::record::session::Session;
use crate::text::visible;
use crate::units::{counted, size, thousands};
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often a line is printed if it can't be updated.
const PRINT_INTERVAL: Duration = Duration::from_secs(10);

/// How often an updating line changes.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct StatusLine {
    started: Instant,
    said: Instant,
    is_live: bool,
    is_drawn: bool,
}

impl StatusLine {
    pub(super) fn new() -> StatusLine {
        let now = Instant::now();
        StatusLine {
            started: now,
            said: now,
            is_live: io::stderr().is_terminal(),
            is_drawn: false,
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn tell(&mut self, session: &Session, what_next: &str, reporter: &RecordReporter) {
        let since = self.said.elapsed();
        if self.is_live && since >= UPDATE_INTERVAL && reporter.is_idle() {
            (self.is_drawn, self.said) = (true, Instant::now());
            let text = visible(&format!("{}; {what_next}", self.text(session))).into_owned();
            // if standard error is closed, there is nobody to report to
            reporter.write(move || {
                let text = crate::text::fit_end(&text, width());
                let _ = write!(io::stderr(), "\r\x1b[2K{text}");
            });
        } else if !self.is_live && since >= PRINT_INTERVAL {
            self.said = Instant::now();
            reporter.say(&self.text(session));
        }
    }

    fn text(&self, session: &Session) -> String {
        let tally = session.tally();
        let seconds = self.elapsed().as_secs_f64();
        let samples = counted(tally.samples(), "sample");
        let threads = counted(tally.threads() as u64, "thread");
        let (bytes, dropped) = (size(session.bytes()), thousands(tally.dropped()));
        format!("{seconds:.1} s, {samples}, {threads}, {bytes}, {dropped} dropped")
    }

    pub(super) fn clear(&mut self, reporter: &RecordReporter) {
        if std::mem::take(&mut self.is_drawn) {
            reporter.write(|| drop(write!(io::stderr(), "\r\x1b[2K")));
        }
    }
}

fn width() -> usize {
    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
    columns.saturating_sub(1).max(20)
}
