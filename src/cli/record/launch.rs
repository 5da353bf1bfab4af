//! `dotspot record -- COMMAND`: a program that is started, and recorded from its first moment.

use super::super::say::say;
use super::super::signals::Stops;
use super::file::check_new;
use super::options::Record;
use super::recorder::{Recorded, Recorder, start};
use super::voice::Voice;
use super::watched;
use crate::input::plain;
use crate::record::group::{Ended, Group};
use crate::record::message::Wanted;
use crate::record::port::Port;
use crate::record::processes::Process;
use crate::record::reverse::{Called, ReversePort, VARIABLE};
use crate::record::session::Session;
use anyhow::{Context as _, Result};
use std::fs::File;
use std::io::{self, IsTerminal as _, Seek as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The exit codes of programs that start others: we failed; the program can't be executed; there is none.
const OURS: u8 = 125;
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;
/// A runtime calls within 10 to 20 ms.
const MOST_WAITING: Duration = Duration::from_secs(10);
/// How often is looked for what does not call.
const LOOK: Duration = Duration::from_millis(5);
/// Every so many times all of its process group is looked at, which takes longer.
const THOROUGHLY: u32 = 10;
/// A process that has just started has few methods to name.
const NAMES_AFTER: Duration = Duration::from_secs(1);

/// Starts a program, records it and waits for its end. Gives the exit code, and the file if the explorer is to open it.
pub(super) fn launch(args: &Record, wanted: &Wanted, stops: &Stops) -> Result<(u8, Option<PathBuf>)> {
    if let Some(path) = &args.output {
        check_new(path, args.force)?;
    }
    let before = std::env::var(VARIABLE).ok();
    let port = match ReversePort::open(before.clone()) {
        Ok(port) => port,
        Err(error) => {
            say(&format!("a port for the program can't be made: {}", plain(&error)));
            return Ok((OURS, None));
        }
    };
    let value = port.value(before.as_deref());
    // the explorer has the terminal meanwhile
    let written = args.live.then(tempfile::tempfile).transpose().context("no temporary file can be made")?;
    let group = match Group::spawn(&args.command, (VARIABLE, &value), io::stdin().is_terminal(), written.as_ref()) {
        Ok(group) => group,
        Err(error) => {
            say(&format!("{} can't be started: {}", args.command[0].display(), plain(&error)));
            let is_there = error.kind() != io::ErrorKind::NotFound;
            return Ok((if is_there { NOT_EXECUTABLE } else { NOT_FOUND }, None));
        }
    };
    let mut launched = Launched { args, wanted, stops, port, group, started: Instant::now(), forwarded: 0 };
    let recorded = match launched.record() {
        Ok(recorded) => recorded,
        Err(error) => {
            say(&format!("{error:#}"));
            None
        }
    };
    let ended = launched.wait().context("the program is lost")?;
    written.map_or(Ok(()), show_written).context("what the program wrote can't be shown")?;
    let code = if recorded.is_some() { ended.exit_code() } else { OURS };
    Ok((code, recorded.and_then(|recorded| recorded.file).filter(|_| !args.no_open && !args.live)))
}

/// Shows what a program wrote while the explorer had the terminal.
fn show_written(mut written: File) -> io::Result<()> {
    written.rewind()?;
    io::copy(&mut written, &mut io::stdout().lock()).map(drop)
}

/// A program that was started.
struct Launched<'a> {
    args: &'a Record,
    wanted: &'a Wanted,
    stops: &'a Stops,
    port: ReversePort,
    group: Group,
    started: Instant,
    /// How many wishes to stop it has heard of.
    forwarded: u32,
}

/// What of a program can be recorded.
enum Found {
    /// A runtime that waits at its start.
    Waiting(Called),
    /// One that runs already, because it can't wait.
    Running(Process, Arc<dyn Port>),
}

impl Launched<'_> {
    fn record(&mut self) -> Result<Option<Recorded>> {
        match self.found()? {
            None => Ok(None),
            Some(Found::Waiting(called)) => self.record_waiting(&called).map(Some),
            Some(Found::Running(process, port)) => {
                let session = start(&port, &process, self.wanted)?;
                let late = self.started.elapsed().as_millis();
                say(&format!("the first {late} ms are missing: .NET Core 3 can't be made to wait at its start"));
                self.write(session, &process, &port).map(Some)
            }
        }
    }

    /// Writes a recording that was started. Where it is watched, wishes to stop reach the program as soon as that is over.
    fn write(&mut self, session: Session, process: &Process, port: &Arc<dyn Port>) -> Result<Recorded> {
        let (args, stops) = (self.args, self.stops);
        let voice = Voice::new(args.live);
        let recorder = Recorder { args, stops, delay: NAMES_AFTER, voice: &voice };
        match args.live {
            true => {
                let begun = recorder.begin(session, process, port)?;
                watched::watch(&recorder, begun, || self.forward()).map(|(recorded, ())| recorded)
            }
            false => recorder.run(session, process, port),
        }
    }

    /// Between its call and its going on nothing may be done that can take long or fail: it waits for ever.
    fn record_waiting(&mut self, called: &Called) -> Result<Recorded> {
        // where that fails, what it starts still calls, and is let go on
        let _ = called.restore_environment();
        let process = Process::called(called);
        let session = start(&called.port, &process, self.wanted);
        let resumed = called.resume();
        let session = session?;
        resumed.map_err(|trouble| anyhow::anyhow!("process {} waits at its start: {trouble}", process.pid))?;
        self.write(session, &process, &called.port)
    }

    /// Waits for what can be recorded; `None` if the program ends before.
    fn found(&mut self) -> Result<Option<Found>> {
        let (mut is_said, mut looks) = (false, 0);
        loop {
            if let Some(called) = self.port.call(LOOK) {
                return Ok(Some(Found::Waiting(called)));
            }
            looks += 1;
            if let Some((process, port)) = self.group.old(looks % THOROUGHLY == 0) {
                return Ok(Some(Found::Running(process, port)));
            }
            self.forward();
            if self.group.ended()?.is_some() {
                say("nothing was recorded: the program ended and no .NET runtime had started in it");
                return Ok(None);
            }
            if !is_said && self.started.elapsed() > MOST_WAITING {
                is_said = true;
                say(
                    "no .NET runtime has called for 10 s: the program is not .NET, has its diagnostics switched off, or starts .NET later; \
                     it runs on. Without the port, DOTNET_EnableEventPipe=1 lets a runtime write a recording by itself",
                );
            }
        }
    }

    /// Tells the program of wishes to stop that it has not heard of: it is in no foreground group, so that a terminal tells us alone.
    fn forward(&mut self) {
        let count = self.stops.count();
        if count > self.forwarded {
            self.forwarded = count;
            self.group.signal(self.stops.signal());
        }
    }

    /// Waits for the end of the program, which hears of wishes to stop from now on, and of those before.
    fn wait(&mut self) -> io::Result<Ended> {
        loop {
            self.forward();
            if let Some(ended) = self.group.ended()? {
                return Ok(ended);
            }
            // whoever calls now is let go on by the port itself
            drop(self.port.call(4 * LOOK));
        }
    }
}
