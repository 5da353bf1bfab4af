//! Progress messages of non-interactive commands while they wait for another program.

use crate::input::Progress;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

const MIN_DURATION: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Does the work and meanwhile prints each of its steps that takes long once on standard error, if that is a terminal.
pub(super) fn watched<T>(progress: &Progress, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    thread::scope(|scope| {
        let (_done, is_done) = channel();
        let _ = thread::Builder::new().spawn_scoped(scope, move || print_steps(progress, is_done));
        work()
    })
}

fn print_steps(progress: &Progress, is_done: Receiver<()>) {
    let (mut step, mut since, mut is_printed) = (None, Instant::now(), false);
    while is_done.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let current = progress.phase();
        if current != step {
            (step, since, is_printed) = (current, Instant::now(), false);
        }
        if let (Some(step), false) = (&step, is_printed || since.elapsed() < MIN_DURATION) {
            super::print::print_notice(&format!("{step} …"));
            is_printed = true;
        }
    }
}
