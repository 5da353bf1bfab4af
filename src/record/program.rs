//! A program that is launched and recorded, with its child processes.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, PipeWriter};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
#[cfg(windows)]
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};

#[cfg(windows)]
pub(super) const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// Its own process group keeps a terminal's ctrl-c from ending it before its recording is complete. It keeps running
/// when this is dropped.
pub(crate) struct ProcessGroup {
    pub(super) child: Child,
    #[cfg(unix)]
    pub(super) checks: u32,
}

pub(crate) struct EndedProcess(pub(super) ExitStatus);

impl ProcessGroup {
    /// `output` receives what the program would write to a terminal. `has_no_stdin`: a background process that reads
    /// from the terminal would be stopped.
    pub(crate) fn spawn(
        command: &[OsString],
        variable: (&str, &str),
        has_no_stdin: bool,
        output: Option<&PipeWriter>,
    ) -> io::Result<ProcessGroup> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).env(variable.0, variable.1);
        if has_no_stdin {
            command.stdin(Stdio::null());
        }
        if let Some(pipe) = output.filter(|_| io::stdout().is_terminal()) {
            command.stdout(pipe.try_clone()?);
        }
        if let Some(pipe) = output.filter(|_| io::stderr().is_terminal()) {
            command.stderr(pipe.try_clone()?);
        }
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(windows)]
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        Ok(ProcessGroup {
            child: command.spawn()?,
            #[cfg(unix)]
            checks: 0,
        })
    }

    pub(crate) fn ended(&mut self) -> io::Result<Option<EndedProcess>> {
        Ok(self.child.try_wait()?.map(EndedProcess))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}
