//! Signals that end dotspot while it reads or writes a profile without a screen.
//!
//! A decoder may have a program at work and a folder full of its output. Its process group is not the terminal's, so ctrl-c
//! reaches dotspot only, which has to end it and to clear up. Nor must half of a file be left where a whole one is written.

use crate::input::Progress;
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default, register_conditional_shutdown, register_usize};
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(unix)]
const ENDS: &[i32] = &[SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDS: &[i32] = &[SIGINT, SIGTERM];

/// Where memory ends and nobody asked beforehand, Rust says so on standard error and aborts. Whoever called dotspot sees a
/// command that failed then, as with any other error, and no crash.
///
/// # Errors
/// If the system does not let us.
pub(super) fn fail_instead_of_aborting() -> io::Result<()> {
    register_conditional_shutdown(SIGABRT, 1, Arc::new(AtomicBool::new(true))).map(drop)
}

/// Watches for signals while something is read or written: the first one cancels that, a second one ends dotspot at once.
pub(super) struct Watch {
    came: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    /// Watches from now on.
    ///
    /// # Errors
    /// If the system does not let us.
    pub(super) fn start(progress: &Progress) -> io::Result<Watch> {
        let watch = Watch { came: Arc::default(), is_over: Arc::default() };
        for &signal in ENDS.iter().filter(|&&signal| !is_ignored(signal)) {
            // they run in this order
            register_conditional_default(signal, Arc::clone(&watch.is_over))?;
            register(signal, Arc::clone(&watch.is_over))?;
            register_usize(signal, Arc::clone(&watch.came), signal.unsigned_abs() as usize)?;
            register(signal, progress.cancel_flag())?;
        }
        Ok(watch)
    }

    /// Watches again, for what is done next: only the first signal is waited for, and that was none before [`Watch::pause`].
    pub(super) fn resume(self) -> Watch {
        self.is_over.store(false, Ordering::SeqCst);
        self
    }

    /// Fails once a signal came.
    ///
    /// # Errors
    /// `Interrupted` is what a signal makes of an error elsewhere, and writers try again; so it is another.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.came.load(Ordering::SeqCst) {
            0 => Ok(()),
            _ => Err(io::Error::other("ended by a signal")),
        }
    }

    /// What was read is read, or given up and cleared away. If a signal came, dotspot ends by it here, so that shells see what
    /// they would have seen without us. Signals that come later do what they always do.
    pub(super) fn end(self) {
        self.pause();
    }

    /// The same, where more will be to watch.
    pub(super) fn pause(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Ok(signal @ 1..) = i32::try_from(self.came.load(Ordering::SeqCst)) {
            // returns only if the signal has no effect by itself
            let _ = emulate_default_handler(signal);
        }
    }
}

/// Whether whoever started dotspot wants it to live on after a signal, as `nohup` does. Other systems than Linux don't say.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
