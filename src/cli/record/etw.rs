//! `dotspot record --etw`: Windows' own tracing of the whole machine, through its program `wpr`. Never run on Windows:
//! tests use a stand-in, and compare command lines and profile with the documentation.

use super::super::exit;
use super::super::files::{Destination, folder_of, why_not_written};
use super::super::signals::StopRequests;
use super::file::default_name;
use super::options::Record;
use super::recorder::opens_file;
use super::reporter::RecordReporter;
use crate::child::{Ended, Stopped, run};
use crate::cli::messages;
use crate::input::{Progress, plain};
use crate::query::QueryError;
use crate::record::obstacle::Obstacle;
use crate::units::size;
use anyhow::{Result, anyhow};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempPath;

/// What is recorded, in `wpr`'s format: see the "elements" page of its documentation.
const PROFILE: &str = include_str!("../../../assets/dotspot.wprp");
/// Starting takes a second; stopping may merge gigabytes, and writes the names of native images.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const STOP_TIMEOUT: Duration = Duration::from_secs(1800);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct Wpr {
    program: PathBuf,
    start_timeout: Duration,
}

impl Wpr {
    /// Not looked up in the current folder or the path.
    pub(super) fn of_system() -> Wpr {
        let root = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
        Wpr {
            program: Path::new(&root).join("System32").join("wpr.exe"),
            start_timeout: START_TIMEOUT,
        }
    }

    /// Records into files rather than memory. A recording that does not start in time is cancelled, because it may
    /// still have started.
    fn start(&self, profile: &Path) -> Result<()> {
        let mut profile = profile.as_os_str().to_owned();
        profile.push("!dotspot");
        let words: [&OsStr; 3] = ["-start".as_ref(), &profile, "-filemode".as_ref()];
        let ended = self.run_program(&words, self.start_timeout);
        if matches!(ended, Err(Stopped::TooLong(_))) {
            let _ = self.cancel();
        }
        self.check(ended)
    }

    fn cancel(&self) -> Result<()> {
        self.run(&["-cancel".as_ref()], START_TIMEOUT)
    }

    fn run(&self, arguments: &[&OsStr], limit: Duration) -> Result<()> {
        self.check(self.run_program(arguments, limit))
    }

    fn run_program(&self, arguments: &[&OsStr], limit: Duration) -> Result<Ended, Stopped> {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        run(command, limit, &Progress::default())
    }

    fn check(&self, ended: Result<Ended, Stopped>) -> Result<()> {
        let program = self.program.display();
        let ended = ended.map_err(|stopped| match stopped {
            Stopped::NotStarted(error) => anyhow!(messages::cant_start(&program, &plain(&error))),
            Stopped::TooLong(_) | Stopped::Cancelled => anyhow!(messages::wpr_too_slow(&program)),
        })?;
        if ended.status.success() {
            return Ok(());
        }
        let code = ended.status.code().map_or(0, i32::cast_unsigned);
        let why = ended.error_line();
        let why = why.unwrap_or_else(|| format!("exit code {code:08X}"));
        Err(anyhow!(messages::wpr_failed(&program, &why)))
    }
}

/// Cancels the recording when dropped.
struct Cancellation<'a>(Option<&'a Wpr>);

impl Drop for Cancellation<'_> {
    fn drop(&mut self) {
        let _ = self.0.take().map(Wpr::cancel);
    }
}

/// Records until stopped. `programs` are the ids and programs of all processes. Returns the exit code, and the file if
/// the explorer should open it.
pub(super) fn record(
    args: &Record,
    wpr: &Wpr,
    programs: &[(u32, String)],
    stops: &StopRequests,
) -> Result<(u8, Option<PathBuf>)> {
    check_target(args, programs)?;
    let path = args.output.clone().unwrap_or_else(|| {
        let name = args.name.as_deref().unwrap_or("etw");
        default_name(name, args.pid.unwrap_or(0), SystemTime::now()).with_extension("etl")
    });
    let not_written = |error| anyhow!(why_not_written(&path, &error));
    let file = Destination::new(&path, args.force).file();
    let file = file.map_err(not_written)?;
    let folder = tempfile::Builder::new()
        .prefix(".dotspot-")
        .tempdir_in(folder_of(&file));
    let folder = folder.map_err(not_written)?;
    let profile = folder.path().join("dotspot.wprp");
    fs::write(&profile, PROFILE).map_err(not_written)?;
    let reporter = RecordReporter::new(false);
    wpr.start(&profile)?;
    let mut cancellation = Cancellation(Some(wpr));
    reporter.report_now(messages::RECORDING_MACHINE);
    let started = Instant::now();
    let is_over = || {
        args.duration
            .is_some_and(|limit| started.elapsed() >= limit)
    };
    while stops.count() == 0 && !is_over() {
        thread::sleep(POLL_INTERVAL);
    }
    let merged = folder.path().join("recording.etl");
    reporter.report_now(messages::WRITING_ETL);
    wpr.run(&["-stop".as_ref(), merged.as_os_str()], STOP_TIMEOUT)?;
    cancellation.0 = None;
    let merged = TempPath::try_from_path(merged).map_err(not_written)?;
    let persisted = match args.force {
        true => merged.persist(&file),
        false => merged.persist_noclobber(&file),
    };
    persisted.map_err(|error| not_written(error.error))?;
    let bytes = file.metadata().map_or(0, |meta| meta.len());
    reporter.report(&format!("wrote {} ({})", file.display(), size(bytes)));
    let to_open = Some(file).filter(|_| opens_file(args, stops));
    Ok((exit::SUCCESS, to_open))
}

/// The named process must exist, or the machine would be recorded for nothing.
fn check_target(args: &Record, programs: &[(u32, String)]) -> Result<()> {
    if let Some(pid) = args.pid
        && !programs.iter().any(|(running, _)| *running == pid)
    {
        return Err(QueryError::usage(Obstacle::NoProcess.sentence(pid, "")).into());
    }
    if let Some(name) = &args.name
        && !programs.iter().any(|(_, program)| is_called(program, name))
    {
        return Err(QueryError::usage(messages::no_program_named(name)).into());
    }
    Ok(())
}

/// Names match in part and ignoring case, as in the explorer.
fn is_called(program: &str, name: &str) -> bool {
    program.to_lowercase().contains(&name.to_lowercase())
}

/// The value of `--process` with which the file is opened.
pub(in crate::cli) fn process(args: &Record) -> Option<String> {
    let pid = args.pid.map(|pid| pid.to_string());
    pid.or_else(|| args.name.clone()).filter(|_| args.etw)
}

#[cfg(all(test, unix))]
mod tests;
