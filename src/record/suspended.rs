//! Programs launched on Windows: their runtimes, and those of what they start, wait at their own pipes until they are resumed.

use super::called::{Called, VARIABLE};
use super::descendants::Descendants;
use super::pipes::{Listing, pipe_of};
use super::port::{Pipe, Port};
use super::processes::RunningProcess;
use super::program::prepared;
use super::waiting::{Greeter, Met};
use send_ctrlc::Interruptible;
use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A console's ctrl-c does not end the program before its recording is whole.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
/// The window of a console may be closed.
const DETACHED_PROCESS: u32 = 0x8;
/// What ends a program that does not handle ctrl-c or ctrl-break.
const STATUS_CONTROL_C_EXIT: i32 = 0xC000_013A_u32.cast_signed();
/// What that is where there are signals: 128 and that of ctrl-c.
const INTERRUPTED: u8 = 130;
/// How often it is looked whether a runtime waits, before there is one to record and afterwards.
const LOOK: Duration = Duration::from_millis(10);
const LATER_LOOK: Duration = Duration::from_millis(100);
/// How often all processes are listed: not before so many times as long as that took.
const TIMES: u32 = 20;
/// How long what ends with a program may take.
const ENDING: Duration = Duration::from_millis(100);

/// A program that was started. It lives on when this is dropped.
pub(crate) struct ProcessGroup {
    child: Child,
}

/// How it ended.
pub(crate) struct EndedProcess(ExitStatus);

impl ProcessGroup {
    /// Starts a program with a variable in its environment, and our standard streams; `written` takes what it writes to a terminal.
    /// `is_deaf` leaves it without standard input.
    ///
    /// # Errors
    /// The system can't start it.
    pub(crate) fn spawn(
        command: &[OsString],
        variable: (&str, &str),
        is_deaf: bool,
        written: Option<&PipeWriter>,
    ) -> io::Result<ProcessGroup> {
        let mut command = prepared(command, variable, is_deaf, written)?;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        Ok(ProcessGroup {
            child: command.spawn()?,
        })
    }

    /// How it ended, once it has.
    ///
    /// # Errors
    /// The system has lost it.
    pub(crate) fn ended(&mut self) -> io::Result<Option<EndedProcess>> {
        Ok(self.child.try_wait()?.map(EndedProcess))
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks all of its group to end, by ctrl-break: ctrl-c is switched off in a group of its own. Without a console that they share it
    /// is ended.
    pub(crate) fn signal(&mut self, _signal: i32) {
        if self.terminate().is_err() {
            // one that has ended can't be ended
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
    /// The exit code; 255 for those that are larger.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.0.code().unwrap_or(i32::MAX) {
            STATUS_CONTROL_C_EXIT => INTERRUPTED,
            code => u8::try_from(code).unwrap_or(u8::MAX),
        }
    }
}

/// Where the runtimes of a program that we start wait.
pub(crate) struct StartPort {
    watch: Watch,
    met: Receiver<Met>,
    /// A runtime that can't wait.
    running: Option<u32>,
}

impl StartPort {
    /// One without a program. `before` is what the variable was for us.
    ///
    /// # Errors
    /// There is no thread left.
    pub(crate) fn open(before: Option<String>) -> io::Result<StartPort> {
        let (taker, met) = channel();
        Ok(StartPort {
            watch: Watch::start(Greeter::new(Some(taker), before))?,
            met,
            running: None,
        })
    }

    /// What the variable must be for the program.
    pub(crate) fn value(&self, _before: Option<&str>) -> String {
        "1".into()
    }

    /// Says which program it is.
    pub(crate) fn wait_for(&mut self, pid: u32) {
        if let Some(program) = self.watch.program.take() {
            // the thread ends with this
            let _ = program.send(pid);
        }
    }

    /// The runtime that is to be recorded, if it waits in time. There is at most one.
    pub(crate) fn call(&mut self, patience: Duration) -> Option<Called> {
        match self.met.recv_timeout(patience) {
            Ok(Met::Waiting(called)) => return Some(called),
            Ok(Met::Running(pid)) => self.running = Some(pid),
            Err(RecvTimeoutError::Disconnected) => thread::sleep(patience),
            Err(RecvTimeoutError::Timeout) => {}
        }
        None
    }

    /// The runtime that is to be recorded, if it is too old to wait at its start.
    pub(crate) fn running(&mut self) -> Option<(RunningProcess, Arc<dyn Port>)> {
        let pid = self.running.take()?;
        Some((RunningProcess::running(pid), Arc::new(pipe_of(pid))))
    }

    /// If something that the program has started lives on, has another process, which is to call [`linger`], let go on what that starts.
    /// It gets the numbers of those that live as its last arguments. Gives whether some live on.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn hand_over(mut self, group: &ProcessGroup, to: &mut Command) -> io::Result<bool> {
        // those that end with it may take a moment
        thread::sleep(ENDING);
        let mut left = self.watch.end();
        // the system lists it as long as we have a handle
        left.retain(|&pid| pid != group.id());
        if left.is_empty() {
            return Ok(false);
        }
        to.args(left.iter().map(u32::to_string));
        to.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
        to.stdin(Stdio::null()).stdout(Stdio::null());
        to.stderr(Stdio::null()).spawn().map(|_| true)
    }
}

/// Lets go on what these processes start, as long as one of them lives or what they have started.
pub(crate) fn linger(processes: &[u32]) {
    let greeter = Greeter::new(None, std::env::var(VARIABLE).ok());
    watch(processes, greeter, <[_]>::is_empty);
}

/// A thread that greets the runtimes of a program and of what it starts.
struct Watch {
    /// Takes the number of the program.
    program: Option<Sender<u32>>,
    is_over: Arc<AtomicBool>,
    /// It gives those that lived at its last look.
    thread: Option<JoinHandle<Vec<u32>>>,
}

impl Watch {
    fn start(greeter: Greeter) -> io::Result<Watch> {
        let (program, started) = channel();
        let is_over: Arc<AtomicBool> = Arc::default();
        let flag = Arc::clone(&is_over);
        let run = move || match started.recv() {
            Ok(program) => watch(&[program], greeter, |_| flag.load(Ordering::SeqCst)),
            Err(_) => Vec::new(),
        };
        let thread = thread::Builder::new().name("waiting".into()).spawn(run)?;
        Ok(Watch {
            program: Some(program),
            is_over,
            thread: Some(thread),
        })
    }

    /// Ends after one more look. Gives those that live.
    fn end(&mut self) -> Vec<u32> {
        self.program = None;
        self.is_over.store(true, Ordering::SeqCst);
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Watch {
    /// Nothing that was started so far waits in vain.
    fn drop(&mut self) {
        self.end();
    }
}

/// Greets until it is over for those that live, and gives those that live one look later.
fn watch(
    processes: &[u32],
    mut greeter: Greeter,
    is_over: impl Fn(&[(u32, u64)]) -> bool,
) -> Vec<u32> {
    let (mut listing, mut descendants) = (Listing::new(), Descendants::of(processes));
    let mut living: Vec<(u32, u64)> = processes.iter().map(|&pid| (pid, 0)).collect();
    // most processes are no runtimes: whether one listens by now is seen at the next look
    let port_of = |pid| -> Arc<dyn Port> {
        Arc::new(Pipe {
            missing_attempts: 1,
            ..pipe_of(pid)
        })
    };
    let mut next = Instant::now();
    loop {
        let (is_last, since) = (is_over(&living), Instant::now());
        if is_last || since >= next {
            living = descendants.living(&listing.all());
            next = since + TIMES * since.elapsed();
        }
        greeter.look(&living, port_of);
        if is_last {
            return living.into_iter().map(|(pid, _)| pid).collect();
        }
        thread::sleep(if greeter.has_met() { LATER_LOOK } else { LOOK });
    }
}

#[cfg(test)]
mod tests;
