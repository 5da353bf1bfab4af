//! A wish to stop from outside, while something is read without a screen.
//!
//! A decoder's program runs in a process group of its own, which a terminal's ctrl-c does not reach. So a signal cancels the
//! reading, which ends the program and clears up, and dotspot then ends by the signal as anyone expects.

use crate::importers::{ImportError, Progress};

/// How long reading may take to notice that it is cancelled, and to clear up.
#[cfg(unix)]
const MOST_NOTICING: std::time::Duration = std::time::Duration::from_secs(1);

/// Reads something that a signal cancels; dotspot ends by that signal then.
///
/// # Errors
/// What reading gives.
#[cfg(unix)]
pub fn interruptible<T>(read: impl FnOnce(Progress) -> Result<T, ImportError>) -> Result<T, ImportError> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI32, Ordering};

    let progress = Progress::default();
    let told = Arc::new(AtomicI32::new(0));
    // without the thread signals end dotspot at once, which is what they did before
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        let (progress, told) = (progress.clone(), Arc::clone(&told));
        let watch = move || {
            if let Some(signal) = signals.forever().next() {
                told.store(signal, Ordering::SeqCst);
                progress.cancel();
                // what does not mind ends here: a step that can't be cancelled, or the writing of what was read
                std::thread::sleep(MOST_NOTICING);
                let _ = emulate_default_handler(signal);
            }
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(watch);
    }
    let result = read(progress);
    let signal = told.load(Ordering::SeqCst);
    if signal != 0 {
        let _ = emulate_default_handler(signal);
    }
    result
}

/// Reads something. What is started meanwhile ends with dotspot: the system sees to it.
///
/// # Errors
/// What reading gives.
#[cfg(not(unix))]
pub fn interruptible<T>(read: impl FnOnce(Progress) -> Result<T, ImportError>) -> Result<T, ImportError> {
    read(Progress::default())
}
