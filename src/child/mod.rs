//! Runs another program with a time limit and cancellation, and captures only as much output as an error report needs.
//!
//! The program gets its own process group (a job on Windows), so that its children end with it. A terminal's ctrl-c
//! therefore does not reach it; the caller cancels [`Progress`] instead. A child that moves to its own session
//! (`setsid`) leaves the group and survives: ending it would take a cgroup, which dotspot may not create.

pub(crate) mod messages;

use crate::input::{Failure, ImportError, Progress, Stage, name_of, plain};
use crate::units::thousands;
use process_wrap::std::{ChildWrapper, CommandWrap};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of the start, and how much of the end, of each output is kept.
const KEPT_BYTES: usize = 32 << 10;
/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(25);
/// How long outputs may stay open once the program has ended: another program may have inherited them.
const GRACE: Duration = Duration::from_millis(250);
/// How long a program that was told to end may take for it.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long [`run`] may take to come back once it is cancelled.
pub(crate) const END_TIMEOUT: Duration = POLL.saturating_add(EXIT_TIMEOUT).saturating_add(GRACE);
/// The longest line that a sentence takes in, in characters.
const LINE_CHARS: usize = 300;

/// A program that ended by itself, or that something else ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The system could not start it, or lost it.
    NotStarted(io::Error),
    /// It ran past the limit and was ended, and had written these lines, those on standard error first.
    TooLong(Vec<String>),
    /// Someone asked to stop, and it was ended.
    Cancelled,
}

/// The start and the end of an output, 32 kB each; what lies between is only counted.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out_bytes: u64,
}

impl Captured {
    fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT_BYTES - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(KEPT_BYTES);
        self.tail.drain(..excess);
        self.left_out_bytes += excess as u64;
    }

    /// The output as text: what is no Unicode is replaced, and a line says how much was left out.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.left_out_bytes > 0 {
            bytes.extend_from_slice(
                messages::bytes_left_out(&thousands(self.left_out_bytes)).as_bytes(),
            );
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes)
            .trim_start_matches('\u{feff}')
            .to_string()
    }

    /// The lines that are not blank, without space at their ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.text()
            .lines()
            .map(|line| line.trim_end().to_string())
            .filter(|line| !line.is_empty())
            .collect()
    }
}

/// Runs a program until it ends, with nothing on its standard input. Whatever it has started and left in its process group
/// is ended with it, on every way out of here.
///
/// # Errors
/// [`Stopped`]; the program is no longer there then.
pub(crate) fn run(
    mut command: Command,
    limit: Duration,
    progress: &Progress,
) -> Result<Ended, Stopped> {
    progress.go_on().map_err(|_| Stopped::Cancelled)?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = Instant::now();
    let mut running = Running::start(command).map_err(Stopped::NotStarted)?;
    let (done, ends) = channel();
    let stdout = read_along(running.child.stdout().take(), &done).map_err(Stopped::NotStarted)?;
    let stderr = read_along(running.child.stderr().take(), &done).map_err(Stopped::NotStarted)?;
    drop(done);
    let outcome = running.wait(started, limit, progress);
    let all_is_read = outcome.is_ok() && have_ended(&ends);
    drop(running);
    if !all_is_read {
        // what held the outputs open is gone now, unless it left the process group; then its reader is left behind
        have_ended(&ends);
    }
    let (stdout, stderr) = (taken(&stdout), taken(&stderr));
    match outcome {
        Ok(status) => Ok(Ended {
            status,
            stdout,
            stderr,
        }),
        Err(Stopped::TooLong(_)) => Err(Stopped::TooLong(lines_of(&stdout, &stderr))),
        Err(stopped) => Err(stopped),
    }
}

/// A program that runs, and ends with its group when this is dropped.
struct Running {
    child: Box<dyn ChildWrapper>,
}

impl Running {
    fn start(command: Command) -> io::Result<Running> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        Ok(Running {
            child: command.spawn()?,
        })
    }

    /// Waits for the program itself: the rest of its group may take longer, and is not what was asked for.
    fn wait(
        &mut self,
        started: Instant,
        limit: Duration,
        progress: &Progress,
    ) -> Result<ExitStatus, Stopped> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = self
                .child
                .inner_mut()
                .try_wait()
                .map_err(Stopped::NotStarted)?
            {
                return Ok(status);
            }
            progress.go_on().map_err(|_| Stopped::Cancelled)?;
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(Stopped::TooLong(Vec::new()));
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // fails where nobody of the group is left, which is what is wanted
        let _ = self.child.start_kill();
        let since = Instant::now();
        while matches!(self.child.inner_mut().try_wait(), Ok(None))
            && since.elapsed() < EXIT_TIMEOUT
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Reads an output on a thread of its own, for the other one would block meanwhile. `done` is dropped at the end.
fn read_along(
    stream: Option<impl Read + Send + 'static>,
    done: &Sender<()>,
) -> io::Result<Arc<Mutex<Captured>>> {
    let captured: Arc<Mutex<Captured>> = Arc::default();
    let Some(mut stream) = stream else {
        return Ok(captured);
    };
    let (theirs, done) = (Arc::clone(&captured), done.clone());
    thread::Builder::new()
        .name("output".into())
        .spawn(move || {
            let _done = done;
            let mut buffer = vec![0; 1 << 16];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => theirs
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        })?;
    Ok(captured)
}

/// Waits for a moment until both outputs are read to their ends, and says whether they are.
fn have_ended(ends: &Receiver<()>) -> bool {
    // nothing is ever sent: a hang-up is the word
    matches!(
        ends.recv_timeout(GRACE),
        Err(std::sync::mpsc::RecvTimeoutError::Disconnected)
    )
}

fn taken(captured: &Mutex<Captured>) -> Captured {
    std::mem::take(&mut captured.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Ended {
    /// All lines it wrote, those on standard error first.
    pub(crate) fn lines(&self) -> Vec<String> {
        lines_of(&self.stdout, &self.stderr)
    }

    /// The line that says what went wrong, as far as can be told: the first one that sounds like it, else the first one on
    /// standard error.
    pub(crate) fn complaint(&self) -> Option<String> {
        let errors = self.stderr.lines();
        complaint_in(&self.lines()).or_else(|| errors.first().map(|line| shortened(line)))
    }

    /// The failure of a program that something has killed; `None` if it ended by itself.
    ///
    /// `file` is what is being read, `program` what was run.
    pub(crate) fn killed(&self, file: &str, program: &Path) -> Option<Failure> {
        let how = killer(self.status)?;
        let failure = Failure::new(file, "", messages::killed(&name_of(program), &how));
        let advice = messages::FIND_OUT_WHAT_KILLED_IT;
        Some(
            failure
                .advice(advice)
                .stage(Stage::Launch)
                .detail(report(program, self.lines())),
        )
    }

    /// The failure of a program that ended with an exit code that is not 0, or was killed.
    pub(crate) fn failed(&self, file: &str, program: &Path) -> Failure {
        if let Some(failure) = self.killed(file, program) {
            return failure;
        }
        let code = self
            .status
            .code()
            .map_or_else(|| messages::UNKNOWN_EXIT_CODE.into(), code_text);
        // the last line is where it gave up; the first ones tend to praise the program
        let said = self
            .complaint()
            .or_else(|| self.stdout.lines().last().map(|line| shortened(line)));
        let said = said.map_or(" and said nothing".into(), |line| format!(": {line}"));
        let failure = Failure::new(
            file,
            "",
            format!("{} ended with {code}{said}", name_of(program)),
        );
        failure
            .stage(Stage::Launch)
            .detail(report(program, self.lines()))
    }
}

impl Stopped {
    /// The error that this means for `file`, which `program` was to read within `limit`.
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
                let problem = messages::timed_out(&name, &duration_text(limit));
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

/// The first line that sounds like a complaint.
fn complaint_in(lines: &[String]) -> Option<String> {
    const SIGNS: &[&str] = &[
        "error",
        "exception",
        "fail",
        "unable",
        "can't",
        "cannot",
        "can not",
        "not ",
        "invalid",
    ];
    let sounds_like_it = |line: &&String| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    lines
        .iter()
        .find(sounds_like_it)
        .map(|line| shortened(line))
}

/// A line that fits a sentence.
fn shortened(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

/// For those who ask for more: the program and all its lines.
fn report(program: &Path, lines: Vec<String>) -> impl Iterator<Item = String> {
    let head = if lines.is_empty() {
        "it wrote nothing"
    } else {
        "it wrote:"
    };
    let head = format!("program {}; {head}", program.display());
    std::iter::once(head).chain(lines.into_iter().map(|line| format!("  {line}")))
}

/// What killed a program: a signal, or on Windows a fault that the system names by a code.
#[cfg(unix)]
fn killer(status: ExitStatus) -> Option<String> {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status)?;
    let name = signal_hook::low_level::signal_name(signal)
        .map_or(String::new(), |name| format!(" ({name})"));
    Some(format!("signal {signal}{name}"))
}

#[cfg(not(unix))]
fn killer(status: ExitStatus) -> Option<String> {
    // codes of this kind are NTSTATUS errors, such as 0xC0000005
    let code = status.code().filter(|code| *code < -0x3000_0000)?;
    Some(format!("the system ({})", code_text(code)))
}

fn code_text(code: i32) -> String {
    if code < 0 {
        format!("exit code {code:#010X}")
    } else {
        format!("exit code {code}")
    }
}

/// A limit for people: `90 s`, `10 min`.
fn duration_text(limit: Duration) -> String {
    match limit.as_secs() {
        seconds if seconds >= 120 && seconds.is_multiple_of(60) => {
            format!("{} min", thousands(seconds / 60))
        }
        0 => format!("{} ms", limit.as_millis()),
        seconds => format!("{} s", thousands(seconds)),
    }
}

#[cfg(all(test, unix))]
#[path = "../../tests/common/processes.rs"]
#[allow(unreachable_pub)]
mod processes;

#[cfg(all(test, unix))]
mod tests {
    use super::processes::is_alive;
    use super::*;

    /// A shell that runs a script.
    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    fn run_shell(script: &str) -> Result<Ended, Stopped> {
        run(shell(script), LONG, &Progress::default())
    }

    #[track_caller]
    fn assert_ends(pid: &str) {
        assert!(pid.parse::<u32>().is_ok(), "{pid:?} is a process id");
        for _ in 0..100 {
            if !is_alive(pid) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("process {pid} is still there");
    }

    #[test]
    fn outputs_are_kept_up_to_64_kb() {
        let check = |pushes: &[usize], kept: usize, left_out_bytes: u64| {
            let mut captured = Captured::default();
            pushes
                .iter()
                .for_each(|&count| captured.push(&vec![b'x'; count]));
            assert_eq!(
                (
                    captured.head.len() + captured.tail.len(),
                    captured.left_out_bytes
                ),
                (kept, left_out_bytes)
            );
        };
        check(&[], 0, 0);
        check(&[10, 0, 20], 30, 0);
        check(&[32_768, 1], 32_769, 0);
        check(&[65_536], 65_536, 0);
        check(&[1, 65_536], 65_536, 1);
        check(&[100_000, 5], 65_536, 34_469);
        let mut captured = Captured::default();
        captured.push("\u{feff}first\r\n\n".as_bytes());
        captured.push(&vec![b'-'; 70_000]);
        captured.push(b"\n  last \xff\n");
        let lines = captured.lines();
        // 3 + 8 + 70,000 + 10 bytes came, and 65,536 are kept
        assert_eq!(
            (lines[0].as_str(), lines[2].as_str()),
            ("first", "(4,485 bytes left out)")
        );
        assert_eq!(lines.last().unwrap(), "  last \u{fffd}");
    }

    #[test]
    fn a_program_says_what_it_says() {
        let ended =
            run_shell("echo out; echo bad >&2; read line || echo nothing to read; exit 3").unwrap();
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.lines(), ["bad", "out", "nothing to read"]);
        let failure = ended.failed("a.dtp", Path::new("/x/Reporter.exe"));
        assert_eq!(
            failure.to_string(),
            "a.dtp: stage launch: Reporter.exe ended with exit code 3: bad"
        );
        assert_eq!(
            failure.detail,
            [
                "program /x/Reporter.exe; it wrote:",
                "  bad",
                "  out",
                "  nothing to read"
            ]
        );
        let silent = run_shell("exit 1").unwrap().failed("a.dtp", Path::new("x"));
        assert_eq!(silent.problem, "x ended with exit code 1 and said nothing");
        let chatty = run_shell("echo Welcome; echo Bye; exit 1")
            .unwrap()
            .failed("a.dtp", Path::new("x"));
        assert_eq!(chatty.problem, "x ended with exit code 1: Bye");
    }

    #[test]
    fn the_complaint_is_the_line_that_sounds_like_one() {
        #[track_caller]
        fn check(lines: &[&str], expect: Option<&str>) {
            let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
            assert_eq!(complaint_in(&lines).as_deref(), expect);
        }
        check(&[], None);
        check(&["one", "two"], None);
        check(
            &[
                "dotTrace Reporter 2024.3",
                "Copyright",
                "  Error: no such snapshot",
            ],
            Some("Error: no such snapshot"),
        );
        check(
            &["noted", "Timeline snapshots are not supported"],
            Some("Timeline snapshots are not supported"),
        );
        assert_eq!(shortened(&"é".repeat(400)), format!("{}…", "é".repeat(300)));
        assert_eq!(shortened(&"é".repeat(300)), "é".repeat(300));
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended_with_all_it_started() {
        let limit = Duration::from_millis(400);
        let since = Instant::now();
        let stopped = run(
            shell("sleep 1000 & echo $!; echo $$; wait"),
            limit,
            &Progress::default(),
        )
        .unwrap_err();
        assert!(since.elapsed() < Duration::from_secs(60));
        let Stopped::TooLong(lines) = &stopped else {
            panic!("{stopped:?}")
        };
        lines.iter().for_each(|pid| assert_ends(pid));
        let error = stopped.into_error(
            "a.dtp",
            Path::new("/x/Reporter.exe"),
            Duration::from_secs(600),
        );
        assert_eq!(
            (error.to_string().as_str(), error.exit_code()),
            (
                "a.dtp: stage launch: Reporter.exe was stopped because it took longer than 10 min; --decoder-timeout \
                 SECONDS gives it more time",
                14
            )
        );
    }

    #[test]
    fn a_wish_to_cancel_ends_a_program() {
        let progress = Progress::default();
        let canceller = progress.clone();
        let waiting = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            canceller.cancel();
        });
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let script = format!("sleep 1000 & echo $! $$ > '{}'; wait", pids.display());
        let since = Instant::now();
        let stopped = run(shell(&script), LONG, &progress).unwrap_err();
        assert!(matches!(stopped, Stopped::Cancelled) && since.elapsed() < Duration::from_secs(60));
        std::fs::read_to_string(pids)
            .unwrap()
            .split_whitespace()
            .for_each(assert_ends);
        waiting.join().unwrap();
        let stopped = run(shell("true"), LONG, &progress).unwrap_err();
        assert_eq!(
            stopped.into_error("a", Path::new("b"), LONG),
            ImportError::Cancelled
        );
    }

    #[test]
    fn a_program_is_ended_when_it_is_dropped() {
        let running = Running::start(shell("sleep 1000")).unwrap();
        let pid = running.child.id().to_string();
        assert!(is_alive(&pid));
        drop(running);
        assert!(!is_alive(&pid));
    }

    /// The pipes stay open after the program has ended, which must not be waited for.
    #[test]
    fn what_a_program_leaves_behind_is_ended() {
        let since = Instant::now();
        let ended = run_shell("sleep 1000 & echo $!").unwrap();
        assert!(ended.status.success());
        assert_ends(&ended.stdout.lines()[0]);
        // it has left the process group, so it goes on, and nobody waits for it
        let ended =
            run_shell("command -v setsid > /dev/null && setsid sleep 100 & echo done").unwrap();
        assert_eq!(ended.stdout.lines(), ["done"]);
        assert!(since.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_flood_is_counted_and_not_kept() {
        let ended =
            run_shell("head -c 100000000 /dev/zero; echo end; head -c 100000000 /dev/zero >&2")
                .unwrap();
        assert_eq!(ended.stdout.left_out_bytes, 100_000_004 - 65_536);
        assert!(ended.stdout.text().ends_with("end\n"));
        assert_eq!(ended.stderr.left_out_bytes, 100_000_000 - 65_536);
        assert!(ended.stderr.tail.capacity() + ended.stderr.head.capacity() < 1 << 20);
    }

    #[test]
    fn being_killed_and_not_being_there_are_told() {
        let ended = run_shell("echo last words; kill -9 $$").unwrap();
        let failure = ended.failed("a.dtp", Path::new("Reporter.exe"));
        assert_eq!(
            failure.problem,
            "Reporter.exe was killed by signal 9 (SIGKILL)"
        );
        assert_eq!(
            (failure.stage, failure.detail[1].as_str()),
            (Some(Stage::Launch), "  last words")
        );
        assert!(
            run_shell("true")
                .unwrap()
                .killed("a.dtp", Path::new("x"))
                .is_none()
        );
        let path = Path::new("/no/such/Reporter.exe");
        let stopped = run(Command::new(path), LONG, &Progress::default()).unwrap_err();
        assert_eq!(
            stopped.into_error("a.dtp", path, LONG).to_string(),
            "a.dtp: stage launch: Reporter.exe can't be started: no such file or directory; check that it is there, and \
             what it needs to run"
        );
    }

    #[test]
    fn limits_are_told_in_a_fitting_unit() {
        for (milliseconds, expect) in [
            (1000, "1 s"),
            (90_000, "90 s"),
            (600_000, "10 min"),
            (250, "250 ms"),
        ] {
            assert_eq!(duration_text(Duration::from_millis(milliseconds)), expect);
        }
    }
}
