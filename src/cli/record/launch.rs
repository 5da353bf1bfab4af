//! `dotspot record -- COMMAND`: launches a program and records it from the start.

use super::super::signals::StopRequests;
use super::super::terminal;
use super::file::PartFile;
use super::options::Record;
use super::recorder::{Recorded, Recorder, opens_file, start};
use super::reporter::RecordReporter;
use super::watched;
use crate::child::Capture;
use crate::cli::messages;
use crate::input::plain;
use crate::record::message::RecordingRequest;
use crate::record::port::Port;
use crate::record::processes::RunningProcess;
use crate::record::program::{EndedProcess, ProcessGroup};
#[cfg(unix)]
use crate::record::reverse::ReversePort as StartPort;
use crate::record::session::Session;
#[cfg(windows)]
use crate::record::suspended::StartPort;
use crate::record::suspended_runtime::{SuspendedRuntime, VARIABLE};
use anyhow::Result;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const NO_RECORDING: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;
/// After this, users are told that no runtime has connected: they do within 10 to 20 ms.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Old runtimes listen about 80 ms after they start; others connect at once.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) fn launch(
    args: &Record,
    request: &RecordingRequest,
    stops: &StopRequests,
) -> Result<(u8, Option<PathBuf>)> {
    let reporter = RecordReporter::new(args.live);
    let recorder = Recorder {
        args,
        stops,
        reporter: &reporter,
    };
    // nothing is started unless the recording can be written
    let out = recorder.named_file()?;
    let before = std::env::var(VARIABLE).ok();
    let (port, group, output) = match start_program(args, before) {
        Ok(started) => started,
        Err((code, sentence)) => {
            out.into_iter().for_each(PartFile::remove);
            reporter.report(&sentence);
            return Ok((code, None));
        }
    };
    let mut launched = LaunchedProgram {
        recorder,
        request,
        port,
        group,
        out,
        started: Instant::now(),
        forwarded: 0,
    };
    let file = match launched.record() {
        Ok(recorded) => recorded.and_then(|recorded| recorded.file),
        Err(error) => {
            reporter.report(&format!("{error:#}"));
            None
        }
    };
    launched.out.take().into_iter().for_each(PartFile::remove);
    let ended = launched.wait();
    // the program's exit code, if anything was recorded
    let code = match ended {
        Ok(ended) if file.is_some() => ended.exit_code(),
        Ok(_) => NO_RECORDING,
        Err(error) => {
            reporter.report(&messages::end_unknown(&plain(&error)));
            NO_RECORDING
        }
    };
    launched.leave();
    let leaves = stops.asks_to_leave();
    let _deadline = leaves.then(|| terminal::exit_deadline(i32::from(code)));
    if let Some(output) = output {
        let _ = write!(io::stdout(), "{}", output.end().text());
    }
    Ok((code, file.filter(|_| opens_file(args, stops))))
}

/// The output is captured while the explorer has the terminal.
type StartedProgram = (StartPort, ProcessGroup, Option<Capture>);

/// `before` is the variable's value in our own environment. The error is an exit code and a sentence.
fn start_program(args: &Record, before: Option<String>) -> Result<StartedProgram, (u8, String)> {
    let cant_prepare = |error| (NO_RECORDING, messages::cant_prepare_program(&plain(&error)));
    let port = StartPort::open(before.clone());
    #[cfg_attr(unix, expect(unused_mut))]
    let mut port = port.map_err(cant_prepare)?;
    let value = port.value(before.as_deref());
    let start_capture = || {
        let (incoming, pipe) = io::pipe()?;
        Ok((Capture::start(Some(incoming))?, pipe))
    };
    let output = args.live.then(start_capture).transpose();
    let output = output.map_err(cant_prepare)?;
    let (output, pipe) = output.unzip();
    let (variable, has_no_stdin) = ((VARIABLE, value.as_str()), io::stdin().is_terminal());
    let group = ProcessGroup::spawn(&args.command, variable, has_no_stdin, pipe.as_ref());
    let group = group.map_err(|error| {
        let sentence = messages::cant_start(&args.command[0].display(), &plain(&error));
        match error.kind() {
            io::ErrorKind::NotFound => (NOT_FOUND, sentence),
            _ => (NOT_EXECUTABLE, sentence),
        }
    })?;
    #[cfg(windows)]
    port.wait_for(group.id());
    Ok((port, group, output))
}

struct LaunchedProgram<'a> {
    recorder: Recorder<'a>,
    request: &'a RecordingRequest,
    port: StartPort,
    group: ProcessGroup,
    out: Option<PartFile>,
    started: Instant,
    forwarded: u32,
}

enum Recordable {
    Suspended(SuspendedRuntime),
    /// A runtime that can't wait at startup.
    Running(RunningProcess, Arc<dyn Port>),
}

impl LaunchedProgram<'_> {
    fn record(&mut self) -> Result<Option<Recorded>> {
        match self.find()? {
            None => Ok(None),
            Some(Recordable::Suspended(runtime)) => self.record_suspended(&runtime).map(Some),
            Some(Recordable::Running(process, port)) => {
                let session = start(&port, &process, self.request)?;
                let missing = messages::start_missing(&self.started.elapsed().as_millis());
                self.recorder.reporter.report_now(&missing);
                self.write(session, &process, &port).map(Some)
            }
        }
    }

    /// Stop requests reach the program once the recording has ended.
    fn write(
        &mut self,
        session: Session,
        process: &RunningProcess,
        port: &Arc<dyn Port>,
    ) -> Result<Recorded> {
        let (recorder, out) = (&self.recorder, self.out.take());
        let started = recorder.begin(session, process, port, out)?;
        let on_end = || forward(recorder.stops, &mut self.group, &mut self.forwarded);
        watched::write(recorder, started, on_end)
    }

    /// Nothing may block or fail before the runtime is resumed: it would wait forever.
    fn record_suspended(&mut self, suspended: &SuspendedRuntime) -> Result<Recorded> {
        // if that fails, its children connect and are resumed
        let _ = suspended.restore_environment();
        let process = suspended.process();
        let session = start(&suspended.port, &process, self.request);
        let resumed = suspended.resume();
        let session = session?;
        resumed.map_err(|port_error| {
            anyhow::anyhow!(messages::waits_at_start(&process.pid, &port_error))
        })?;
        self.write(session, &process, &suspended.port)
    }

    /// Waits for a recordable runtime; returns `None` if the program ends first.
    fn find(&mut self) -> Result<Option<Recordable>> {
        let (reporter, mut is_reported) = (self.recorder.reporter, false);
        loop {
            if let Some(suspended) = self.port.suspended(POLL_INTERVAL) {
                return Ok(Some(Recordable::Suspended(suspended)));
            }
            #[cfg(unix)]
            let running = self.group.old_runtime();
            #[cfg(windows)]
            let running = self.port.running();
            if let Some((process, port)) = running {
                return Ok(Some(Recordable::Running(process, port)));
            }
            self.forward();
            if self.group.ended()?.is_some() {
                reporter.report(messages::PROGRAM_ENDED_WITHOUT_RUNTIME);
                return Ok(None);
            }
            if !is_reported && self.started.elapsed() > WAIT_TIMEOUT {
                is_reported = true;
                reporter.report_now(messages::NO_RUNTIME_CONNECTED);
            }
        }
    }

    fn forward(&mut self) {
        forward(self.recorder.stops, &mut self.group, &mut self.forwarded);
    }

    /// Child processes that outlive the program may start .NET programs, which wait for us.
    fn leave(self) {
        let LaunchedProgram { port, group, .. } = self;
        let exe = std::env::current_exe();
        let handed_over =
            exe.and_then(|exe| port.hand_over(&group, Command::new(exe).arg("linger")));
        self.recorder.reporter.report(&match handed_over {
            Ok(false) => return,
            Ok(true) => messages::CHILD_PROCESSES_REMAIN.into(),
            Err(error) => messages::children_wait_forever(&plain(&error)),
        });
    }

    fn wait(&mut self) -> io::Result<EndedProcess> {
        loop {
            self.forward();
            if let Some(ended) = self.group.ended()? {
                return Ok(ended);
            }
            // runtimes that connect from now on are resumed
            drop(self.port.suspended(POLL_INTERVAL));
        }
    }
}

/// The program is not in the foreground group, so the terminal signals only us.
fn forward(stops: &StopRequests, group: &mut ProcessGroup, forwarded: &mut u32) {
    let count = stops.count();
    if count > *forwarded {
        *forwarded = count;
        group.signal(stops.signal());
    }
}
