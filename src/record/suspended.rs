//! Programs launched on Windows: their runtimes wait at their own pipe until they are resumed.
//!
//! The runtime must be in the process that we start. What that starts in turn has pipes of its own, whose names we don't know.

use super::called::Called;
use super::message::identify;
use super::pipes::pipe_of;
use super::port::{PATIENCE, Pipe, Port};
use super::processes::RunningProcess;
use super::program::prepared;
use std::ffi::OsString;
use std::io::{self, PipeWriter};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, ExitStatus};
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
    /// The program and its pipe, until its runtime has answered.
    awaited: Option<(u32, Pipe)>,
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
        self.awaited = Some((pid, pipe_of(pid)));
    }

    /// The runtime of the program, once it waits at its pipe.
    pub(crate) fn call(&mut self, patience: Duration) -> Option<Called> {
        let asked = self.awaited.as_ref();
        let Some(Ok(Some(info))) = asked.map(|(_, pipe)| identify(pipe, PATIENCE)) else {
            thread::sleep(patience);
            return None;
        };
        let (pid, pipe) = self.awaited.take()?;
        let before = self.before.clone();
        let port = Arc::new(pipe);
        Some(Called::new(
            u64::from(pid),
            info.entry,
            info.runtime,
            port,
            before,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::port::tests::{pipe, serve};
    use crate::record::tests::server::reply;

    /// What a process of .NET 7 says of itself: its number, a cookie, and five texts.
    fn info() -> Vec<u8> {
        let mut payload = [&7u64.to_le_bytes()[..], &[1; 16]].concat();
        for text in ["Shop.exe", "Windows", "x64", "Shop", "8.0.1"] {
            let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
            payload.extend((units.len() as u32).to_le_bytes());
            payload.extend(units.into_iter().flat_map(u16::to_le_bytes));
        }
        reply(true, &payload)
    }

    #[test]
    fn a_runtime_that_waits_gets_its_environment_back_and_goes_on() {
        let pipe = pipe("waits");
        let good = || vec![reply(true, &[])];
        let heard = serve(&pipe, vec![vec![info()], good(), good()]);
        let mut port = StartPort::open(Some("0".into())).unwrap();
        assert!(
            port.call(Duration::ZERO).is_none(),
            "no program was started"
        );
        port.awaited = Some((7, pipe));
        let called = port.call(Duration::ZERO).expect("it waits");
        assert_eq!((called.pid, called.entry.as_deref()), (7, Some("Shop")));
        assert_eq!(called.runtime.as_deref(), Some("8.0.1"));
        assert!(port.call(Duration::ZERO).is_none(), "there is one program");
        called.restore_environment().unwrap();
        called.resume().unwrap();
        drop(called);
        // process information, the variable, resume; nothing more
        let commands: Vec<(u8, u8)> = heard.iter().map(|said| (said[16], said[17])).collect();
        assert_eq!(commands, [(4, 4), (4, 3), (4, 1)]);
    }
}
