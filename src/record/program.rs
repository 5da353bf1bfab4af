use std::ffi::OsString;
use std::io::{self, IsTerminal as _, PipeWriter};
use std::process::{Command, Stdio};

/// `output` receives what the program would write to a terminal. `has_no_stdin` starts it without standard input: a
/// background process that reads from the terminal would be stopped.
pub(super) fn prepare(
    command: &[OsString],
    variable: (&str, &str),
    has_no_stdin: bool,
    output: Option<&PipeWriter>,
) -> io::Result<Command> {
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
    Ok(command)
}
