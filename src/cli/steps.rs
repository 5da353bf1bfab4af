//! Progress messages of non-interactive commands while they wait for another program.

use crate::input::Progress;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What takes less than this is not worth a word.
const AFTER: Duration = Duration::from_secs(1);
/// How often we check.
const EVERY: Duration = Duration::from_millis(100);

/// Says on standard error what is being done, each step once, if it takes long. Stops when dropped.
pub(super) struct Watch(Option<(Sender<()>, JoinHandle<()>)>);

impl Watch {
    /// Watches a reader where someone sees what is said. Without a thread for it nothing is said, which is not a reason to fail.
    pub(super) fn on_terminal(progress: &Progress) -> Option<Watch> {
        if !io::stderr().is_terminal() {
            return None;
        }
        let (progress, (stop, stopped)) = (progress.clone(), channel());
        let watch = move || {
            let (begun, mut steps) = (Instant::now(), LastStep::default());
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if let Some(step) = steps.worth_a_word(progress.phase(), begun.elapsed()) {
                    super::say::say(&format!("{step} …"));
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("steps".into())
            .spawn(watch);
        Some(Watch(Some((stop, thread.ok()?))))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            // all that it does is to speak, and if that failed nobody is there to be told
            let _ = thread.join();
        }
    }
}

/// The step that was seen last.
#[derive(Default)]
struct LastStep {
    step: Option<String>,
    since: Duration,
    is_said: bool,
}

impl LastStep {
    /// The step of now, once it has taken long enough; each is given once.
    fn worth_a_word(&mut self, step: Option<String>, now: Duration) -> Option<&str> {
        if self.step != step {
            let (since, is_said) = (now, false);
            *self = LastStep {
                step,
                since,
                is_said,
            };
        }
        if self.is_said || now.saturating_sub(self.since) < AFTER {
            return None;
        }
        let step = self.step.as_deref()?;
        self.is_said = true;
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_steps_are_said_once() {
        let mut steps = LastStep::default();
        for (seconds, step, expect) in [
            (0.0, "", None),
            (2.0, "", None),
            (2.1, "building the helper", None),
            (3.0, "building the helper", None),
            (3.1, "building the helper", Some("building the helper")),
            (9.0, "building the helper", None),
            (9.1, "starting it", None),
            (9.5, "reading", None),
            (10.4, "reading", None),
            (10.6, "reading", Some("reading")),
        ] {
            let now = Duration::from_secs_f64(seconds);
            let step = (!step.is_empty()).then(|| step.to_string());
            assert_eq!(steps.worth_a_word(step, now), expect, "after {seconds} s");
        }
    }
}
