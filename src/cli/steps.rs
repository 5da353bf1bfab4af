//! Progress messages of non-interactive commands while they wait for another program.

use crate::input::Progress;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

const MIN_DURATION: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Prints each step once on standard error if it takes long and that is a terminal, until the result is dropped.
pub(super) fn watch(progress: &Progress) -> Option<Sender<()>> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let (progress, (stop, stopped)) = (progress.clone(), channel());
    let watch = move || {
        let (begun, mut steps) = (Instant::now(), LastStep::default());
        while stopped.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if let Some(step) = steps.due_step(progress.phase(), begun.elapsed()) {
                super::print::print_notice(&format!("{step} …"));
            }
        }
    };
    let thread = std::thread::Builder::new().name("steps".into());
    thread.spawn(watch).ok().map(|_| stop)
}

#[derive(Default)]
struct LastStep {
    step: Option<String>,
    since: Duration,
    is_printed: bool,
}

impl LastStep {
    fn due_step(&mut self, step: Option<String>, now: Duration) -> Option<&str> {
        if self.step != step {
            let (since, is_printed) = (now, false);
            *self = LastStep {
                step,
                since,
                is_printed,
            };
        }
        if self.is_printed || now.saturating_sub(self.since) < MIN_DURATION {
            return None;
        }
        let step = self.step.as_deref()?;
        self.is_printed = true;
        Some(step)
    }
}

#[cfg(test)]
mod tests;
