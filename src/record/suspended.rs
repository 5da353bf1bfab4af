//! Programs launched on Windows: their runtimes, and those of their child processes, wait at their own pipes at
//! startup.

use super::descendants::Descendants;
use super::pipes::{Listing, pipe_of};
use super::port::{Pipe, Port};
use super::processes::RunningProcess;
use super::program::{CREATE_NEW_PROCESS_GROUP, EndedProcess, ProcessGroup};
use super::suspended_runtime::{SuspendedRuntime, VARIABLE};
use super::waiting::{FoundRuntime, RuntimeResumer};
use send_ctrlc::Interruptible;
use std::io;
use std::os::windows::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const DETACHED_PROCESS: u32 = 0x8;
/// The exit status of a program that does not handle ctrl-c or ctrl-break.
const STATUS_CONTROL_C_EXIT: i32 = 0xC000_013A_u32.cast_signed();
const INTERRUPTED: u8 = 130;
/// How often to look for waiting runtimes: until the one to record is found, and then.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(100);
const LISTING_INTERVAL_FACTOR: u32 = 20;
const EXIT_GRACE: Duration = Duration::from_millis(100);

impl ProcessGroup {
    /// Sends ctrl-break, because new groups ignore ctrl-c. Kills the program if it has another console.
    pub(crate) fn signal(&mut self, _signal: i32) {
        if self.terminate().is_err() {
            let _ = self.child.kill();
        }
    }
}

impl Interruptible for ProcessGroup {
    fn pid(&mut self) -> io::Result<Option<u32>> {
        Ok(self.child.try_wait()?.is_none().then(|| self.child.id()))
    }
}

impl EndedProcess {
    pub(crate) fn exit_code(&self) -> u8 {
        match self.0.code().unwrap_or(i32::MAX) {
            STATUS_CONTROL_C_EXIT => INTERRUPTED,
            code => u8::try_from(code).unwrap_or(u8::MAX),
        }
    }
}

pub(crate) struct StartPort {
    watch: Watch,
    found: Receiver<FoundRuntime>,
    /// A runtime that is too old to be suspended.
    running: Option<u32>,
}

impl StartPort {
    pub(crate) fn open(before: Option<String>) -> io::Result<StartPort> {
        let (recorder, found) = channel();
        Ok(StartPort {
            watch: Watch::start(RuntimeResumer::new(Some(recorder), before))?,
            found,
            running: None,
        })
    }

    pub(crate) fn value(&self, _before: Option<&str>) -> String {
        "1".into()
    }

    pub(crate) fn wait_for(&mut self, pid: u32) {
        if let Some(program) = self.watch.program.take() {
            let _ = program.send(pid);
        }
    }

    pub(crate) fn suspended(&mut self, timeout: Duration) -> Option<SuspendedRuntime> {
        match self.found.recv_timeout(timeout) {
            Ok(FoundRuntime::Waiting(suspended)) => return Some(suspended),
            Ok(FoundRuntime::Running(pid)) => self.running = Some(pid),
            Err(RecvTimeoutError::Disconnected) => thread::sleep(timeout),
            Err(RecvTimeoutError::Timeout) => {}
        }
        None
    }

    pub(crate) fn running(&mut self) -> Option<(RunningProcess, Arc<dyn Port>)> {
        let pid = self.running.take()?;
        Some((RunningProcess::running(pid, None), Arc::new(pipe_of(pid))))
    }

    /// If processes that the program started are still running, starts another process, which calls [`linger`] to
    /// resume the runtimes they start, with the ids of those processes as its last arguments.
    pub(crate) fn hand_over(mut self, group: &ProcessGroup, to: &mut Command) -> io::Result<bool> {
        // processes that end with it may take a moment
        thread::sleep(EXIT_GRACE);
        let mut survivors = self.watch.end();
        // the program itself is listed while we hold its handle
        survivors.retain(|&pid| pid != group.id());
        if survivors.is_empty() {
            return Ok(false);
        }
        to.args(survivors.iter().map(u32::to_string));
        to.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
        to.stdin(Stdio::null()).stdout(Stdio::null());
        to.stderr(Stdio::null()).spawn().map(|_| true)
    }
}

/// Runs as long as any of the processes or their descendants do.
pub(crate) fn linger(processes: &[u32]) {
    let resumer = RuntimeResumer::new(None, std::env::var(VARIABLE).ok());
    watch(processes, resumer, <[_]>::is_empty);
}

struct Watch {
    program: Option<Sender<u32>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<u32>>>,
}

impl Watch {
    fn start(resumer: RuntimeResumer) -> io::Result<Watch> {
        let (program, started) = channel();
        let is_over: Arc<AtomicBool> = Arc::default();
        let flag = Arc::clone(&is_over);
        let run = move || match started.recv() {
            Ok(program) => watch(&[program], resumer, |_| flag.load(Ordering::SeqCst)),
            Err(_) => Vec::new(),
        };
        let thread = thread::Builder::new().name("waiting".into()).spawn(run)?;
        Ok(Watch {
            program: Some(program),
            is_over,
            thread: Some(thread),
        })
    }

    fn end(&mut self) -> Vec<u32> {
        self.program = None;
        self.is_over.store(true, Ordering::SeqCst);
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

/// Handles waiting runtimes until `is_over`, checks once more, and returns the processes still running.
fn watch(
    processes: &[u32],
    mut resumer: RuntimeResumer,
    is_over: impl Fn(&[(u32, u64)]) -> bool,
) -> Vec<u32> {
    let (mut listing, mut descendants) = (Listing::new(), Descendants::of(processes));
    let mut running: Vec<(u32, u64)> = processes.iter().map(|&pid| (pid, 0)).collect();
    // most processes aren't runtimes, and those that are get checked again
    let port_of = |pid| -> Arc<dyn Port> {
        Arc::new(Pipe {
            missing_attempts: 1,
            ..pipe_of(pid)
        })
    };
    let mut next = Instant::now();
    loop {
        let (is_last, since) = (is_over(&running), Instant::now());
        if is_last || since >= next {
            running = descendants.running(&listing.all());
            next = since + LISTING_INTERVAL_FACTOR * since.elapsed();
        }
        resumer.check(&running, port_of);
        if is_last {
            return running.into_iter().map(|(pid, _)| pid).collect();
        }
        thread::sleep(if resumer.has_found() {
            IDLE_POLL_INTERVAL
        } else {
            POLL_INTERVAL
        });
    }
}

#[cfg(test)]
mod tests;
