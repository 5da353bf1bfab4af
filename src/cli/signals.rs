//! Termination signals while dotspot reads or writes a profile non-interactively.
//!
//! Decoder programs have their own process group, so ctrl-c reaches only dotspot, which has to end them and clean up.

#[cfg(windows)]
use crate::cli::console_events::SIGINT;
use crate::cli::messages;
use crate::input::Progress;
use parking_lot::Mutex;
#[cfg(unix)]
use signal_hook::consts::SIGINT;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
#[cfg(unix)]
use unix::{end_by, on_end};
#[cfg(windows)]
use windows::{end_by, on_end};

#[cfg(unix)]
pub(super) use unix::fail_instead_of_aborting;

#[cfg(windows)]
pub(super) fn fail_instead_of_aborting() -> io::Result<()> {
    Ok(())
}

/// The first signal cancels; a second one ends dotspot.
#[derive(Default)]
pub(super) struct Watch {
    last_signal: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn start(progress: &Progress) -> io::Result<Watch> {
        let watch = Watch::default();
        let flags = [Arc::clone(&watch.is_over), progress.cancel_flag()];
        on_end(&watch, &flags)?;
        Ok(watch)
    }

    /// For the next task, if no signal arrived before [`Watch::pause`].
    pub(super) fn resume(self) -> Watch {
        self.is_over.store(false, Ordering::SeqCst);
        self
    }

    /// The last one that has arrived, or 0.
    fn signal(&self) -> i32 {
        self.last_signal.load(Ordering::SeqCst) as i32
    }

    /// The error is not `Interrupted`: writers would try again.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.signal() {
            0 => Ok(()),
            _ => Err(io::Error::other(messages::ENDED_SIGNAL)),
        }
    }

    /// Ends dotspot by the signal that has arrived, if any. Later signals have their default effect.
    pub(super) fn pause(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let signal @ 1.. = self.signal() {
            end_by(signal);
        }
    }
}

/// Counts stop requests during a recording; none ends dotspot by itself.
#[derive(Default)]
pub(super) struct StopRequests {
    watch: Watch,
    has_arrived: Arc<AtomicBool>,
    counted: Mutex<(u32, Option<Instant>)>,
}

/// Stop requests within this time count as one: `timeout` signals a program and then its group.
const SAME_REQUEST: Duration = Duration::from_millis(300);

impl StopRequests {
    pub(super) fn start() -> io::Result<StopRequests> {
        let stops = StopRequests::default();
        on_end(&stops.watch, &[Arc::clone(&stops.has_arrived)])?;
        Ok(stops)
    }

    pub(super) fn count(&self) -> u32 {
        let (count, last) = &mut *self.counted.lock();
        let has_arrived = self.has_arrived.swap(false, Ordering::SeqCst);
        if has_arrived && last.is_none_or(|last| last.elapsed() > SAME_REQUEST) {
            (*count, *last) = (*count + 1, Some(Instant::now()));
        }
        *count
    }

    pub(super) fn ensure(&self) {
        if self.count() == 0 {
            (self.stop_requester())();
        }
    }

    pub(super) fn stop_requester(&self) -> impl Fn() + Send + Sync + use<> {
        let has_arrived = Arc::clone(&self.has_arrived);
        let last_signal = Arc::clone(&self.watch.last_signal);
        move || {
            last_signal.store(SIGINT as usize, Ordering::SeqCst);
            has_arrived.store(true, Ordering::SeqCst);
        }
    }

    /// The next signal is counted and also stops a reader.
    pub(super) fn cancel_on_next(&self, progress: &Progress) {
        let _ = on_end(&self.watch, &[progress.cancel_flag()]);
    }

    pub(super) fn signal(&self) -> i32 {
        self.watch.signal()
    }

    /// Whether dotspot should end, and not only the recording.
    pub(super) fn should_quit(&self) -> bool {
        !matches!(self.signal(), 0 | SIGINT)
    }
}

impl Drop for StopRequests {
    fn drop(&mut self) {
        self.watch.is_over.store(true, Ordering::SeqCst);
    }
}

#[cfg(unix)]
mod unix {
    use super::Watch;
    use crate::cli::exit;
    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::{
        register, register_conditional_default, register_conditional_shutdown, register_usize,
    };
    use signal_hook::low_level::emulate_default_handler;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// Rust aborts when memory runs out. With this, callers see a failed command instead of a crash.
    pub(in crate::cli) fn fail_instead_of_aborting() -> io::Result<()> {
        // a limit on file sizes makes writing fail, as a full disk does
        if !is_ignored(signal_hook::consts::SIGXFSZ) {
            register(signal_hook::consts::SIGXFSZ, Arc::default())?;
        }
        let always = Arc::new(AtomicBool::new(true));
        register_conditional_shutdown(SIGABRT, i32::from(exit::FAILED), always).map(drop)
    }

    /// A termination signal takes effect if `is_over` is set; otherwise it is stored in `last_signal`, and `flags` are set.
    pub(super) fn on_end(watch: &Watch, flags: &[Arc<AtomicBool>]) -> io::Result<()> {
        let ends = [SIGINT, SIGTERM, SIGHUP];
        for signal in ends.into_iter().filter(|&signal| !is_ignored(signal)) {
            // they run in this order
            register_conditional_default(signal, Arc::clone(&watch.is_over))?;
            register_usize(signal, Arc::clone(&watch.last_signal), signal as usize)?;
            for flag in flags {
                register(signal, Arc::clone(flag))?;
            }
        }
        Ok(())
    }

    pub(super) fn end_by(signal: i32) {
        let _ = emulate_default_handler(signal);
    }

    /// Whether our parent wants us to survive a signal, as `nohup` does. Known only on Linux.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.unwrap_or(0) >> (signal - 1) & 1 == 1
    }
}

#[cfg(windows)]
mod windows {
    use super::{SIGINT, Watch};
    use crate::cli::console_events::on_each;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The exit code of programs that ctrl-c ended (`STATUS_CONTROL_C_EXIT`).
    const ENDED_BY_CONSOLE: u32 = 0xC000_013A;

    pub(super) fn on_end(watch: &Watch, flags: &[Arc<AtomicBool>]) -> io::Result<()> {
        let (is_over, last_signal) = (Arc::clone(&watch.is_over), Arc::clone(&watch.last_signal));
        let flags = flags.to_vec();
        on_each(move |signal| {
            if is_over.load(Ordering::SeqCst) {
                end_by(signal);
            }
            last_signal.store(signal as usize, Ordering::SeqCst);
            for flag in &flags {
                flag.store(true, Ordering::SeqCst);
            }
        })
    }

    pub(super) fn end_by(signal: i32) {
        assert!(signal >= SIGINT);
        std::process::exit(ENDED_BY_CONSOLE.cast_signed());
    }
}

/// Calls `notify` when the terminal that keys are read from is gone: not every program gets a signal then, and crossterm
/// would read its end again and again.
#[cfg(unix)]
pub(super) fn when_hung_up(notify: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use std::io::IsTerminal as _;
    use std::os::fd::{AsFd as _, OwnedFd};
    let stdin = io::stdin();
    let terminal = match stdin.is_terminal() {
        true => stdin.as_fd().try_clone_to_owned(),
        false => std::fs::File::open("/dev/tty").map(OwnedFd::from),
    };
    // if there is none, reading keys fails
    let Ok(terminal) = terminal else {
        return Ok(());
    };
    let gone = PollFlags::HUP | PollFlags::ERR;
    let watch = move || {
        loop {
            let mut watched = [PollFd::new(&terminal, PollFlags::empty())];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if watched[0].revents().intersects(gone) => return notify(),
                // some systems can't watch terminals
                _ => return,
            }
        }
    };
    let thread = std::thread::Builder::new().name("hang-up".into());
    thread.spawn(watch).map(drop)
}

#[cfg(test)]
mod tests;
