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
use crate::cli::options::refuse_if;
use crate::query::QueryError;
use crate::record::port::Port;
use crate::record::processes::{RunningProcess, all_programs, find, list};
use anyhow::{Result, anyhow};
use file::PartFile;
use options::Record;
use recorder::{Recorder, opens_file, start};
use reporter::RecordReporter;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn record(args: &Record) -> Result<(u8, Option<PathBuf>)> {
    if args.etw && !cfg!(windows) {
        let usage = QueryError::usage(messages::ETW_NEEDS_WINDOWS);
        return Err(usage.advice(messages::RECORD_WITHOUT_ETW).into());
    }
    if args.etw {
        let (wpr, running) = (etw::Wpr::of_system(), all_programs());
        return etw::record(args, &wpr, &running, &StopRequests::start()?);
    }
    let request = args.request()?;
    let has_terminal = || io::stdout().is_terminal() && io::stdin().is_terminal();
    refuse_if(args.live && !has_terminal(), messages::LIVE_NEEDS_TERMINAL)?;
    if !args.command.is_empty() {
        return launch::launch(args, &request, &StopRequests::start()?);
    }
    let (process, port) = find_process(args)?;
    let stops = StopRequests::start()?;
    let reporter = RecordReporter::new(args.live);
    let recorder = Recorder {
        args,
        stops: &stops,
        reporter: &reporter,
    };
    let out = recorder.named_file()?;
    let session = match start(&port, &process, &request) {
        Ok(session) => session,
        Err(error) => {
            out.into_iter().for_each(PartFile::remove);
            return Err(error);
        }
    };
    let started = recorder.begin(session, &process, &port, out)?;
    let recorded = watched::write(&recorder, started, || ())?;
    let code = recorded.code;
    Ok((code, recorded.file.filter(|_| opens_file(args, &stops))))
}

fn find_process(args: &Record) -> Result<(RunningProcess, Arc<dyn Port>)> {
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
    let is_match = |process: &RunningProcess| match has_name {
        true => process.is_called(name),
        false => process.has_file(name),
    };
    let mut matches: Vec<RunningProcess> = processes.into_iter().filter(is_match).collect();
    if matches.iter().any(|process| !process.is_sdk()) {
        matches.retain(|process| !process.is_sdk());
    }
    match matches.as_slice() {
        [] => {
            let usage = QueryError::usage(messages::no_process_named(&name));
            Err(usage.advice(messages::PS_LISTS_THEM).into())
        }
        [only] => Ok(only.pid),
        several => {
            let pids = several.iter().map(|process| process.pid.to_string());
            let (count, pids) = (several.len(), pids.collect::<Vec<_>>().join(", "));
            let usage = QueryError::usage(messages::several_processes_named(&count, &name, &pids));
            Err(usage.advice(messages::CHOOSE_BY_PID).into())
        }
    }
}

#[cfg(test)]
mod tests;
