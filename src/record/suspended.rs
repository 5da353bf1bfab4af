//! Programs launched on Windows: their runtimes wait at their own pipe until they are resumed.
//!
//! The runtime must be in the process that we start. What that starts in turn has pipes of its own, whose names we don't know.

use super::called::Called;
use super::message::identify;
use super::pipes::pipe_of;
use super::port::{PATIENCE, Port};
use super::processes::RunningProcess;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, PipeWriter};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A console's ctrl-c does not end the program before its recording is whole.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

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
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).env(variable.0, variable.1);
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        if is_deaf {
            command.stdin(Stdio::null());
        }
        if let Some(pipe) = written.filter(|_| io::stdout().is_terminal()) {
            command.stdout(pipe.try_clone()?);
        }
        if let Some(pipe) = written.filter(|_| io::stderr().is_terminal()) {
            command.stderr(pipe.try_clone()?);
        }
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

    /// Ends it: there are no signals here that a program of another group hears.
    pub(crate) fn signal(&mut self, _signal: i32) {
        // one that has ended can't be ended
        let _ = self.child.kill();
    }

    /// It, if its runtime is too old to wait at its start.
    pub(crate) fn old(&self, _is_thorough: bool) -> Option<(RunningProcess, Arc<dyn Port>)> {
        let port = pipe_of(self.id());
        let is_old = matches!(identify(&port, PATIENCE), Ok(None));
        is_old.then(|| (RunningProcess::running(self.id()), Arc::new(port) as _))
    }
}

impl EndedProcess {
    /// The exit code; 255 for those that are larger.
    pub(crate) fn exit_code(&self) -> u8 {
        let code = self.0.code().unwrap_or(i32::MAX);
        u8::try_from(code).unwrap_or(u8::MAX)
    }
}

/// The pipe of a program that we start.
pub(crate) struct StartPort {
    before: Option<String>,
    /// The program, until its runtime has answered.
    awaited: Option<u32>,
}

impl StartPort {
    /// One without a program. `before` is what the variable was for us.
    ///
    /// # Errors
    /// None.
    pub(crate) fn open(before: Option<String>) -> io::Result<StartPort> {
        let awaited = None;
        Ok(StartPort { before, awaited })
    }

    /// What the variable must be for the program.
    pub(crate) fn value(&self, _before: Option<&str>) -> String {
        "1".into()
    }

    /// Says which program it is.
    pub(crate) fn wait_for(&mut self, pid: u32) {
        self.awaited = Some(pid);
    }

    /// The runtime of the program, once it waits at its pipe.
    pub(crate) fn call(&mut self, patience: Duration) -> Option<Called> {
        let port = self.awaited.map(pipe_of);
        let asked = port.map(|port| (identify(&port, PATIENCE), port));
        let Some((Ok(Some(info)), port)) = asked else {
            thread::sleep(patience);
            return None;
        };
        let pid = u64::from(self.awaited.take()?);
        let before = self.before.clone();
        Some(Called::new(
            pid,
            info.entry,
            info.runtime,
            Arc::new(port),
            before,
        ))
    }
}
