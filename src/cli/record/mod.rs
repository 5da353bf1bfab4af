//! `dotspot record`: samples a running process, by id or name, or launches a program.

pub(super) mod etw;
mod file;
mod launch;
pub(super) mod options;
mod recorder;
mod reporter;
mod summary;
mod watched;

use super::signals::StopRequests;
use crate::cli::messages;
use crate::query::QueryError;
use crate::record::port::Port;
use crate::record::processes::{RunningProcess, all_programs, find, list};
use anyhow::{Result, anyhow};
use file::PartFile;
use options::Record;
use recorder::{Recorder, start};
use reporter::RecordReporter;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn record(args: &Record) -> Result<(u8, Option<PathBuf>)> {
    if args.etw && !cfg!(windows) {
        let usage = QueryError::usage(messages::ETW_NEEDS_WINDOWS);
        return Err(usage.advice(messages::RECORD_WITHOUT_ETW).into());
    }
    if args.etw {
        let (wpr, running) = (etw::Wpr::of_system(), all_programs());
        return etw::record(args, &wpr, &running, &StopRequests::start()?);
    }
    let wanted = args.wanted()?;
    if args.live && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        return Err(QueryError::usage(messages::LIVE_NEEDS_TERMINAL).into());
    }
    if !args.command.is_empty() {
        return launch::launch(args, &wanted, &StopRequests::start()?);
    }
    let (process, port) = chosen(args)?;
    let stops = StopRequests::start()?;
    let reporter = RecordReporter::new(args.live);
    let recorder = Recorder {
        args,
        stops: &stops,
        delay: Duration::ZERO,
        reporter: &reporter,
    };
    let out = recorder.named_file()?;
    let session = match start(&port, &process, &wanted) {
        Err(error) => {
            out.into_iter().for_each(PartFile::remove);
            return Err(error);
        }
        started => started?,
    };
    let begun = recorder.begin(session, &process, &port, out)?;
    let recorded = match args.live {
        true => watched::watch(&recorder, begun, || ())?,
        false => recorder.write(begun, None, || ()),
    };
    let code = recorded.code();
    // users who watched it live have seen it, and users who ended dotspot don't want to
    let opens = !args.no_open && !args.live && !stops.asks_to_leave();
    Ok((code, recorded.file.filter(|_| opens)))
}

fn chosen(args: &Record) -> Result<(RunningProcess, Arc<dyn Port>)> {
    let folder = args.tmpdir.as_deref();
    let pid = match (args.pid, &args.name) {
        (Some(pid), _) => pid,
        (None, Some(name)) => pid_of(name, list(folder))?,
        (None, None) => {
            let usage = QueryError::usage(messages::SPECIFY_WHAT_TO_RECORD);
            return Err(usage.advice(messages::PS_LISTS_PROCESSES).into());
        }
    };
    find(pid, folder).map_err(|(name, reason)| anyhow!(reason.sentence(pid, &name)))
}

fn pid_of(name: &str, processes: Vec<RunningProcess>) -> Result<u32> {
    // others may have loaded a file with that name, such as a plug-in
    let has_name = processes.iter().any(|process| process.is_called(name));
    let fits = |process: &RunningProcess| match has_name {
        true => process.is_called(name),
        false => process.has_file(name),
    };
    let mut called: Vec<RunningProcess> = processes.into_iter().filter(fits).collect();
    // the SDK itself can be recorded by its id
    if called.iter().any(|process| !process.is_sdk()) {
        called.retain(|process| !process.is_sdk());
    }
    match called.as_slice() {
        [] => {
            let usage = QueryError::usage(messages::no_process_named(&name));
            Err(usage.advice(messages::PS_LISTS_THEM).into())
        }
        [only] => Ok(only.pid),
        several => {
            let pids: Vec<String> = several
                .iter()
                .map(|process| process.pid.to_string())
                .collect();
            let (count, pids) = (several.len(), pids.join(", "));
            let usage = QueryError::usage(messages::several_processes_named(&count, &name, &pids));
            Err(usage.advice(messages::CHOOSE_BY_PID).into())
        }
    }
}

#[cfg(test)]
mod tests;
