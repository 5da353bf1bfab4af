//! Runs another program with a time limit and cancellation, and keeps only as much output as an error report needs.
//!
//! It gets its own process group (a job on Windows), so that its children end with it and ctrl-c does not reach it. A
//! child that moves to its own session (`setsid`) survives: ending it would take a cgroup.

pub(crate) mod messages;

use crate::input::{Failure, ImportError, Progress, Stage, name_of, plain};
use crate::text::shortened;
use crate::units::thousands;
use parking_lot::Mutex;
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// From the start, and from the end, of each output.
const CAPTURED_BYTES: usize = 32 << 10;
const POLL: Duration = Duration::from_millis(25);
/// Other programs may have inherited outputs and keep them open.
const GRACE: Duration = Duration::from_millis(250);
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long [`run`] may take to return once it is cancelled.
pub(crate) const END_TIMEOUT: Duration = POLL
    .saturating_add(EXIT_TIMEOUT)
    .saturating_add(GRACE.saturating_mul(2));
const LINE_CHARS: usize = 300;

#[derive(Debug)]
pub(crate) struct Ended {
    pub status: ExitStatus,
    pub stdout: Captured,
    pub stderr: Captured,
}

#[derive(Debug)]
pub(crate) enum Stopped {
    NotStarted(io::Error),
    /// The lines it had written, standard error first.
    TooLong(Vec<String>),
    Cancelled,
}

/// Head and tail; bytes in between are only counted.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out_bytes: u64,
}

impl Captured {
    fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(CAPTURED_BYTES - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(CAPTURED_BYTES);
        self.tail.drain(..excess);
        self.left_out_bytes += excess as u64;
    }

    /// Invalid Unicode is replaced, and a line says how much was left out.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.left_out_bytes > 0 {
            let left_out = messages::bytes_left_out(&thousands(self.left_out_bytes));
            bytes.extend_from_slice(left_out.as_bytes());
        }
        bytes.extend(&self.tail);
        let text = String::from_utf8_lossy(&bytes);
        text.trim_start_matches('\u{feff}').to_string()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let text = self.text();
        let lines = text.lines().map(str::trim_end);
        lines
            .filter(|line| !line.is_empty())
            .map(String::from)
            .collect()
    }
}

/// Until the program ends, without standard input. On return, whatever is left in its process group is killed.
pub(crate) fn run(
    mut command: Command,
    limit: Duration,
    progress: &Progress,
) -> Result<Ended, Stopped> {
    progress.check_cancelled().map_err(|_| Stopped::Cancelled)?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = Instant::now();
    let mut running = Running::start(command).map_err(Stopped::NotStarted)?;
    let stdout = Capture::start(running.child.stdout().take()).map_err(Stopped::NotStarted)?;
    let stderr = Capture::start(running.child.stderr().take()).map_err(Stopped::NotStarted)?;
    let outputs = [stdout, stderr];
    let outcome = running.wait(started, limit, progress);
    if outcome.is_ok() {
        outputs.iter().for_each(Capture::wait);
    }
    drop(running);
    // what kept the outputs open is gone now, unless it left the process group
    let [stdout, stderr] = outputs.map(Capture::end);
    let status = outcome.map_err(|stopped| match stopped {
        Stopped::TooLong(_) => Stopped::TooLong(lines_of(&stdout, &stderr)),
        stopped => stopped,
    })?;
    Ok(Ended {
        status,
        stdout,
        stderr,
    })
}

/// Dropping this kills the program and its group.
struct Running {
    child: Box<dyn ChildWrapper>,
}

impl Running {
    fn start(command: Command) -> io::Result<Running> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        {
            use windows::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;
            command.wrap(process_wrap::std::CreationFlags(CREATE_NEW_PROCESS_GROUP));
            command.wrap(process_wrap::std::JobObject);
        }
        command.spawn().map(|child| Running { child })
    }

    /// Waits for the program, but not for the rest of its group, which may take longer.
    fn wait(
        &mut self,
        started: Instant,
        limit: Duration,
        progress: &Progress,
    ) -> Result<ExitStatus, Stopped> {
        let mut pause = Duration::from_millis(1);
        loop {
            let ended = self.child.inner_mut().try_wait();
            if let Some(status) = ended.map_err(Stopped::NotStarted)? {
                return Ok(status);
            }
            progress.check_cancelled().map_err(|_| Stopped::Cancelled)?;
            let remaining = limit.saturating_sub(started.elapsed());
            if remaining.is_zero() {
                return Err(Stopped::TooLong(Vec::new()));
            }
            thread::sleep(pause.min(remaining));
            pause = (pause * 2).min(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // fails if nothing is left
        let _ = self.child.start_kill();
        let since = Instant::now();
        while matches!(self.child.inner_mut().try_wait(), Ok(None))
            && since.elapsed() < EXIT_TIMEOUT
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Reads a stream on its own thread, since its writer would block meanwhile.
pub(crate) struct Capture {
    captured: Arc<Mutex<Captured>>,
    /// Disconnected at the end of the stream.
    end: Receiver<()>,
}

impl Capture {
    pub(crate) fn start(stream: Option<impl Read + Send + 'static>) -> io::Result<Capture> {
        let captured: Arc<Mutex<Captured>> = Arc::default();
        let (shared, (reading, end)) = (Arc::clone(&captured), channel::<()>());
        let read = move || {
            let _reading = reading;
            let Some(mut stream) = stream else { return };
            let mut buffer = vec![0; 1 << 16];
            loop {
                match stream.read(&mut buffer) {
                    Ok(count @ 1..) => shared.lock().push(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    _ => return,
                }
            }
        };
        thread::Builder::new().name("output".into()).spawn(read)?;
        Ok(Capture { captured, end })
    }

    fn wait(&self) {
        let _ = self.end.recv_timeout(GRACE);
    }

    /// What was written up to the end, or up to now if others keep the stream open.
    pub(crate) fn end(self) -> Captured {
        self.wait();
        std::mem::take(&mut *self.captured.lock())
    }
}

impl Ended {
    pub(crate) fn lines(&self) -> Vec<String> {
        lines_of(&self.stdout, &self.stderr)
    }

    pub(crate) fn complaint(&self) -> Option<String> {
        const KEYWORDS: &str = "error|exception|fail|unable|can't|cannot|can not|not |invalid";
        let is_complaint = |line: &String| {
            let line = line.to_lowercase();
            KEYWORDS.split('|').any(|keyword| line.contains(keyword))
        };
        let mut lines = self.lines().into_iter();
        let complaint = lines.find(is_complaint);
        let complaint = complaint.or_else(|| self.stderr.lines().into_iter().next());
        complaint.map(|line| shortened(line.trim(), LINE_CHARS))
    }

    /// `None` if it ended by itself. `file` is the file being read.
    pub(crate) fn killed(&self, file: &str, program: &Path) -> Option<Failure> {
        let how = killer(self.status)?;
        let failure = Failure::new(file, "", messages::killed(&name_of(program), &how));
        let failure = failure
            .advice(messages::FIND_OUT_WHAT_KILLED_IT)
            .stage(Stage::Launch);
        Some(failure.detail(report(program, self.lines())))
    }

    pub(crate) fn failed(&self, file: &str, program: &Path) -> Failure {
        if let Some(failure) = self.killed(file, program) {
            return failure;
        }
        let code = self.status.code().map(code_text);
        let code = code.unwrap_or_else(|| messages::UNKNOWN_EXIT_CODE.into());
        // the last line is where it gave up; the first ones tend to be a banner
        let last = || {
            let lines = self.stdout.lines();
            lines.last().map(|line| shortened(line.trim(), LINE_CHARS))
        };
        let said = self.complaint().or_else(last);
        let said = said.map_or(" and said nothing".into(), |line| format!(": {line}"));
        let problem = format!("{} ended with {code}{said}", name_of(program));
        let failure = Failure::new(file, "", problem).stage(Stage::Launch);
        failure.detail(report(program, self.lines()))
    }
}

impl Stopped {
    pub(crate) fn into_error(self, file: &str, program: &Path, limit: Duration) -> ImportError {
        let name = name_of(program);
        let failure = match self {
            Stopped::Cancelled => return ImportError::Cancelled,
            Stopped::NotStarted(error) => {
                let advice = match error.kind() {
                    io::ErrorKind::NotFound => messages::CHECK_PROGRAM_EXISTS,
                    io::ErrorKind::PermissionDenied => messages::CHECK_EXECUTE_PERMISSION,
                    _ => messages::RUN_IT_BY_HAND,
                };
                let failure = Failure::new(file, "", messages::cant_start(&name, &plain(&error)));
                failure.advice(advice).detail(report(program, Vec::new()))
            }
            Stopped::TooLong(lines) => {
                let problem = messages::timed_out(&name, &limit.as_secs_f64());
                let failure = Failure::new(file, "", problem).detail(report(program, lines));
                failure.advice(messages::RAISE_DECODER_TIMEOUT)
            }
        };
        failure.stage(Stage::Launch).into()
    }
}

fn lines_of(stdout: &Captured, stderr: &Captured) -> Vec<String> {
    let mut lines = stderr.lines();
    lines.extend(stdout.lines());
    lines
}

fn report(program: &Path, lines: Vec<String>) -> impl Iterator<Item = String> {
    let wrote = match lines.is_empty() {
        true => "it wrote nothing",
        false => "it wrote:",
    };
    let head = format!("program {}; {wrote}", program.display());
    std::iter::once(head).chain(lines.into_iter().map(|line| format!("  {line}")))
}

#[cfg(unix)]
fn killer(status: ExitStatus) -> Option<String> {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status)?;
    Some(match signal_hook::low_level::signal_name(signal) {
        Some(name) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    })
}

#[cfg(not(unix))]
fn killer(status: ExitStatus) -> Option<String> {
    // such codes are NTSTATUS errors, for example 0xC0000005
    let code = status.code().filter(|code| *code < -0x3000_0000)?;
    Some(format!("the system ({})", code_text(code)))
}

fn code_text(code: i32) -> String {
    match code {
        0.. => format!("exit code {code}"),
        _ => format!("exit code {code:#010X}"),
    }
}

#[cfg(all(test, unix))]
#[path = "../../tests/common/processes.rs"]
#[allow(unreachable_pub)]
mod processes;

#[cfg(all(test, unix))]
mod tests;
