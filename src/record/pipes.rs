//! On Windows, processes that listen on named pipes.

use super::descendants::ProcessEntry;
use super::obstacle::Obstacle;
use super::port::{MISSING_ATTEMPTS, Pipe, Port};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

const PIPES: &str = r"\\.\pipe\";
const PREFIX: &str = "dotnet-diagnostic-";

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Only the program's name if the system denies us the rest.
    pub arguments: Vec<String>,
    /// Only our own name is known without asking other machines.
    pub user: Option<String>,
    pub uptime: Option<Duration>,
    pub runtime: Option<String>,
    pub state: String,
}

impl Facts {
    pub(crate) fn of(pid: u32) -> Option<Facts> {
        let mut found = facts_of(ProcessesToUpdate::Some(&[Pid::from_u32(pid)])).into_iter();
        found.find_map(|(found, facts)| (found == pid).then_some(facts))
    }

    /// All processes that listen; all processes, if pipes can't be listed.
    pub(crate) fn all_processes() -> Vec<(u32, Facts)> {
        match fs::read_dir(PIPES) {
            Err(_) => facts_of(ProcessesToUpdate::All),
            Ok(pipes) => {
                let pids = pipes.flatten().filter_map(|pipe| {
                    let name = pipe.file_name();
                    let pid = name.to_str()?.strip_prefix(PREFIX)?;
                    pid.parse().ok().map(Pid::from_u32)
                });
                facts_of(ProcessesToUpdate::Some(&pids.collect::<Vec<_>>()))
            }
        }
    }

    fn new(process: &Process, dotspot: Option<&Process>) -> Facts {
        let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        let mut arguments: Vec<String> = process.cmd().iter().map(|part| text(part)).collect();
        if arguments.is_empty() {
            arguments.push(text(process.name()));
        }
        let our_user = dotspot.and_then(Process::user_id);
        let is_ours = our_user.is_some() && process.user_id() == our_user;
        let user = is_ours.then(|| std::env::var("USERNAME").ok());
        Facts {
            arguments,
            user: user.flatten(),
            uptime: Some(Duration::from_secs(process.run_time())),
            runtime: None,
            state: "running".into(),
        }
    }
}

fn facts_of(which: ProcessesToUpdate) -> Vec<(u32, Facts)> {
    let kind = ProcessRefreshKind::nothing()
        .with_cmd(UpdateKind::Always)
        .with_user(UpdateKind::Always);
    let mut system = System::new();
    system.refresh_processes_specifics(which, true, kind);
    let pid = Pid::from_u32(std::process::id());
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, kind);
    let dotspot = system.process(pid);
    let facts = system
        .processes()
        .iter()
        .map(|(pid, process)| (pid.as_u32(), Facts::new(process, dotspot)));
    facts.collect()
}

pub(super) struct Listing(System);

impl Listing {
    pub(super) fn new() -> Listing {
        Listing(System::new())
    }

    pub(super) fn all(&mut self) -> Vec<ProcessEntry> {
        let listed = self.refreshed().map(|(pid, process)| ProcessEntry {
            pid,
            parent: process.parent().map_or(0, Pid::as_u32),
            start: process.start_time(),
        });
        listed.collect()
    }

    pub(super) fn programs(&mut self) -> Vec<(u32, String)> {
        let name = |process: &Process| process.name().to_string_lossy().into_owned();
        let named = self.refreshed().map(|(pid, process)| (pid, name(process)));
        named.collect()
    }

    fn refreshed(&mut self) -> impl Iterator<Item = (u32, &Process)> {
        let nothing = ProcessRefreshKind::nothing();
        self.0
            .refresh_processes_specifics(ProcessesToUpdate::All, true, nothing);
        let processes = self.0.processes().iter();
        processes.map(|(pid, process)| (pid.as_u32(), process))
    }
}

pub(crate) fn pipe_of(pid: u32) -> Pipe {
    Pipe {
        path: PathBuf::from(format!("{PIPES}{PREFIX}{pid}")),
        server: pid,
        missing_attempts: MISSING_ATTEMPTS,
    }
}

/// Connecting shows whether it listens.
pub(crate) fn port_of(
    pid: u32,
    _facts: &Facts,
    _folder: Option<&Path>,
) -> Result<Arc<dyn Port>, Obstacle> {
    Ok(Arc::new(pipe_of(pid)))
}

pub(crate) fn listens(_pid: u32, _facts: &Facts) -> bool {
    true
}
