//! A program that is recorded, with all that it starts: a process group.

use super::port::Port;
use super::proc_fs::group_lives;
use super::processes::{RunningProcess, old_in_group};
use super::program::prepared;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A whole group, which takes longer, is examined once in this many times.
const THOROUGHLY: u32 = 10;
/// How long what ends with a program may take.
const ENDING: Duration = Duration::from_millis(100);

/// A program that was started. It has its own process group, so that a terminal's ctrl-c does not end it before its recording is complete; it
/// lives on when this is dropped.
pub(crate) struct ProcessGroup {
    child: Child,
    /// How often it was looked at.
    looks: u32,
}

/// How it ended.
pub(crate) struct EndedProcess(ExitStatus);

impl ProcessGroup {
    /// Starts a program with a variable in its environment, and our standard streams; `written` takes what it writes to a terminal.
    /// `has_no_stdin` leaves it without standard input: a background process that reads from the terminal is stopped.
    ///
    /// # Errors
    /// The system can't start it.
    pub(crate) fn spawn(
        command: &[OsString],
        variable: (&str, &str),
        has_no_stdin: bool,
        written: Option<&PipeWriter>,
    ) -> io::Result<ProcessGroup> {
        let mut command = prepared(command, variable, has_no_stdin, written)?;
        command.process_group(0);
        Ok(ProcessGroup {
            child: command.spawn()?,
            looks: 0,
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

    /// Whether processes that the program has started live on after it.
    pub(crate) fn lives_on(&self) -> bool {
        // those that end with it may take a moment
        group_lives(self.id()) && {
            thread::sleep(ENDING);
            group_lives(self.id())
        }
    }

    /// Sends a signal by its number to all of the group.
    pub(crate) fn signal(&self, signal: i32) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
            // one that has ended hears nothing
            let _ = kill_process_group(pid, signal);
        }
    }

    /// A process of the group that runs .NET and can't wait at its start. Not every look is at all of the group.
    pub(crate) fn old(&mut self) -> Option<(RunningProcess, Arc<dyn Port>)> {
        self.looks += 1;
        old_in_group(self.child.id(), self.looks.is_multiple_of(THOROUGHLY))
    }
}

impl EndedProcess {
    /// The exit code as shells tell it: 128 and its number for a signal.
    pub(crate) fn exit_code(&self) -> u8 {
        let killed = || self.0.signal().map(|signal| 128 + signal);
        let code = self.0.code().or_else(killed);
        // systems keep eight bits of an exit code
        code.map_or(u8::MAX, |code| (code & 0xff) as u8)
    }
}
