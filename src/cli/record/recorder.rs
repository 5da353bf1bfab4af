//! Runs a recording and finalizes its file.

use super::super::exit;
use super::super::live::LiveRecording;
use super::super::signals::StopRequests;
use super::file::{PartFile, default_name};
use super::options::Record;
use super::reporter::{RecordReporter, StatusLine};
use super::summary::print_summary;
use crate::cli::messages;
use crate::input::{Progress, plain};
use crate::query::with_prefix;
use crate::record::message::RecordingRequest;
use crate::record::port::Port;
use crate::record::processes::{RunningProcess, diagnose};
use crate::record::session::{Control, EarlyNames, Session, SessionEnd};
use anyhow::{Result, anyhow};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A process that has just started has few methods to name.
const LAUNCHED_NAMES_DELAY: Duration = Duration::from_secs(1);

pub(super) fn start(
    port: &Arc<dyn Port>,
    process: &RunningProcess,
    request: &RecordingRequest,
) -> Result<Session> {
    let RunningProcess { pid, name, .. } = process;
    Session::start(Arc::clone(port), request)
        .map_err(|port_error| anyhow!(diagnose(&port_error, *pid).sentence(*pid, name)))
}

/// Whether to explore the recording: users who watched it live have seen it, and users who ended dotspot don't want to.
pub(super) fn opens_file(args: &Record, stops: &StopRequests) -> bool {
    !args.no_open && !args.live && !stops.asks_to_leave()
}

pub(super) struct Recorded {
    pub file: Option<PathBuf>,
    pub code: u8,
}

impl Recorded {
    const NOTHING: Recorded = Recorded {
        file: None,
        code: exit::FAILED,
    };
}

pub(super) struct Recorder<'a> {
    pub args: &'a Record,
    pub stops: &'a StopRequests,
    pub reporter: &'a RecordReporter,
}

pub(super) struct StartedRecording {
    session: Session,
    names: EarlyNames,
    pub out: PartFile,
}

impl Recorder<'_> {
    /// Creates the requested file; without one, checks that the folder is writable.
    pub(super) fn named_file(&self) -> Result<Option<PartFile>> {
        match &self.args.output {
            Some(path) => PartFile::create(path, self.args.force).map(Some),
            None => {
                let probe = tempfile::tempfile_in(".");
                probe.map_err(|error| anyhow!(messages::cant_write_here(&plain(&error))))?;
                Ok(None)
            }
        }
    }

    /// Without `out`, the file is named after the process.
    pub(super) fn begin(
        &self,
        session: Session,
        process: &RunningProcess,
        port: &Arc<dyn Port>,
        out: Option<PartFile>,
    ) -> Result<StartedRecording> {
        let (pid, name) = (process.pid, &process.name);
        let out = match out {
            Some(out) => out,
            None => PartFile::create(&default_name(name, pid, SystemTime::now()), self.args.force)?,
        };
        let names_delay = match self.args.command.is_empty() {
            true => Duration::ZERO,
            false => LAUNCHED_NAMES_DELAY,
        };
        let names = EarlyNames::request(port, names_delay, self.args.live);
        let runtime = process.facts.runtime.as_deref().unwrap_or_default();
        let until = self.args.duration.map_or(String::new(), |time| {
            format!(" for {} s", time.as_secs_f64())
        });
        let sentence =
            messages::recording_now(&pid, name, &with_prefix(", .NET ", runtime), &until);
        self.reporter.report_now(&sentence);
        Ok(StartedRecording {
            session,
            names,
            out,
        })
    }

    /// Writes the recording until it ends. `on_end` is called as soon as no more data arrives, before names and
    /// messages, which can take a while.
    pub(super) fn write(
        &self,
        started: StartedRecording,
        live: Option<&LiveRecording>,
        on_end: impl FnOnce(),
    ) -> Recorded {
        let (mut session, mut names, mut out) = (started.session, started.names, started.out);
        let (mut line, mut stop_requests) = (StatusLine::new(), 0);
        let duration = self.args.duration;
        let is_over = |line: &StatusLine| duration.is_some_and(|limit| line.elapsed() >= limit);
        let end = session.copy(&mut out.file, |session| {
            stop_requests = self.stops.count();
            let (control, what_next) = match stop_requests {
                0 if !is_over(&line) => (Control::Continue, "ctrl-c stops"),
                0 | 1 => (Control::Stop, messages::WAITING_FOR_NAMES),
                _ => (Control::GiveUp, ""),
            };
            let newer_names = names.newer();
            match live {
                None => line.update(session, what_next, self.reporter),
                Some(live) => live.update(&session.tally, newer_names),
            }
            control
        });
        on_end();
        line.clear(self.reporter);
        let is_requested = stop_requests > 0 || is_over(&line);
        let has_ended = matches!(end, SessionEnd::Complete | SessionEnd::CutOff);
        if live.is_some() && !is_requested && has_ended {
            self.reporter.report(messages::PROCESS_ENDED);
        }
        self.finish(&end, &session, out, names, stop_requests)
    }

    /// More stop requests than `stop_requests` cut this short.
    fn finish(
        &self,
        end: &SessionEnd,
        session: &Session,
        mut out: PartFile,
        names: EarlyNames,
        stop_requests: u32,
    ) -> Recorded {
        let (why, reporter) = (why_incomplete(end), self.reporter);
        if session.bytes == 0 {
            let why = why.unwrap_or_else(|| messages::STREAM_EMPTY.into());
            return self.nothing_recorded(out, &why);
        }
        let Some(why) = why else {
            let part = out.part.clone();
            let Some(file) = out.keep(reporter) else {
                return self.file_gone();
            };
            // a script must not continue with a file whose name isn't the one it asked for
            let code = match file == part {
                true => exit::FAILED,
                false => exit::SUCCESS,
            };
            let can_be_opened = self.summary(&file, session);
            let file = Some(file).filter(|_| can_be_opened);
            return Recorded { file, code };
        };
        let complete_bytes = session.tally.blocks.complete_bytes;
        let write_failed = matches!(end, SessionEnd::WriteFailed(_));
        let gave_up = matches!(end, SessionEnd::GivenUp);
        let names = names.stream(|| gave_up || self.stops.count() > stop_requests);
        match out.keep_part(complete_bytes, &names) {
            Ok((0, _)) | Err(_) if write_failed => return self.nothing_recorded(out, &why),
            kept => {
                reporter.report(&messages::incomplete(&why));
                if kept.is_ok_and(|(_, named)| named > 0) {
                    reporter.report(messages::NAMES_FROM_START_ONLY);
                }
            }
        }
        let Some(file) = out.current_path() else {
            return self.file_gone();
        };
        let can_be_opened = self.summary(&file, session);
        if write_failed && !can_be_opened {
            let _ = std::fs::remove_file(&file);
            reporter.report(&format!("removed {}", file.display()));
        }
        let file = Some(file).filter(|_| can_be_opened);
        let code = exit::FAILED;
        Recorded { file, code }
    }

    fn file_gone(&self) -> Recorded {
        self.reporter.report(messages::RECORDING_WAS_REMOVED);
        Recorded::NOTHING
    }

    fn nothing_recorded(&self, out: PartFile, why: &str) -> Recorded {
        out.remove();
        self.reporter.report(&messages::nothing_recorded(&why));
        Recorded::NOTHING
    }

    /// Another stop request cuts this short. Returns whether the file can be opened.
    fn summary(&self, file: &Path, session: &Session) -> bool {
        let progress = Progress::default();
        self.stops.cancel_on_next(&progress);
        print_summary(file, &session.tally, self.reporter, progress)
    }
}

fn why_incomplete(end: &SessionEnd) -> Option<String> {
    Some(match end {
        SessionEnd::Complete => return None,
        SessionEnd::CutOff => messages::PROCESS_ENDED_ABRUPTLY.into(),
        SessionEnd::GivenUp => messages::STOPPED_BEFORE_NAMES.into(),
        SessionEnd::Stuck => messages::PROCESS_STOPPED_ANSWERING.into(),
        SessionEnd::StopFailed(port_error) => messages::cant_stop(&port_error),
        SessionEnd::Damaged(at) => messages::stream_malformed(&at),
        SessionEnd::WriteFailed(error) => messages::cant_write_file(&plain(error)),
        SessionEnd::ReadFailed(error) => messages::cant_continue_reading(&plain(error)),
    })
}
