//! Which processes can be recorded, and why others can't.

use super::message::{ProcessInfo, identify, is_sdk};
use super::obstacle::Obstacle;
#[cfg(windows)]
use super::pipes as system;
use super::port::{CONNECT_TIMEOUT, Port};
use super::port_error::{FAIL, PortError, UNKNOWN_COMMAND};
#[cfg(unix)]
use super::proc_fs as system;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
pub(crate) use system::Facts;

const ASK_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(crate) struct RunningProcess {
    pub pid: u32,
    pub name: String,
    pub facts: Facts,
    pub obstacle: Option<Obstacle>,
}

impl RunningProcess {
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub(crate) fn has_file(&self, name: &str) -> bool {
        let mut paths = self.facts.arguments.iter().map(Path::new).enumerate();
        paths.any(|(at, path)| {
            let is_assembly = path
                .extension()
                .is_some_and(|name| name.eq_ignore_ascii_case("dll"));
            let mut names = [path.file_name(), path.file_stem()].into_iter().flatten();
            (at == 0 || is_assembly) && names.any(|file| file.eq_ignore_ascii_case(name))
        })
    }

    pub(crate) fn is_sdk(&self) -> bool {
        is_sdk(&self.name)
    }

    pub(crate) fn running(pid: u32, info: Option<ProcessInfo>) -> RunningProcess {
        RunningProcess::new(pid, Facts::of(pid).unwrap_or_default()).with_info(info)
    }

    fn new(pid: u32, facts: Facts) -> RunningProcess {
        RunningProcess {
            pid,
            name: name_in(&facts.arguments),
            facts,
            obstacle: None,
        }
    }

    fn with_info(mut self, info: Option<ProcessInfo>) -> RunningProcess {
        let Some(info) = info else { return self };
        self.name = info.entry.unwrap_or(self.name);
        self.facts.runtime = info.runtime.or(self.facts.runtime);
        if self.facts.arguments.is_empty() {
            self.facts.arguments = vec![info.command_line];
        }
        self
    }
}

/// Ids and programs; empty except on Windows.
pub(crate) fn all_programs() -> Vec<(u32, String)> {
    #[cfg(windows)]
    return system::Listing::new().programs();
    #[cfg(not(windows))]
    Vec::new()
}

pub(crate) fn diagnose(port_error: &PortError, pid: u32) -> Obstacle {
    match port_error {
        // pipes disappear with their process, but sockets may be left behind
        PortError::Gone if cfg!(windows) && Facts::of(pid).is_some() => Obstacle::NotDotnet,
        PortError::Gone => Obstacle::Ended,
        PortError::HungUp if Facts::of(pid).is_none() => Obstacle::Ended,
        PortError::Forbidden => {
            let user = Facts::of(pid).and_then(|facts| facts.user);
            Obstacle::OtherUser(user.unwrap_or_default())
        }
        PortError::Silent => {
            Obstacle::Silent(Facts::of(pid).map_or("ended".into(), |facts| facts.state))
        }
        PortError::Refused(UNKNOWN_COMMAND) => Obstacle::TooOld,
        PortError::Refused(FAIL) => Obstacle::TooMany,
        other => Obstacle::Other(other.to_string()),
    }
}

fn name_in(arguments: &[String]) -> String {
    let mut rest = arguments.iter().skip(1);
    let assembly = rest.find(|argument| argument.to_ascii_lowercase().ends_with(".dll"));
    let name = match (assembly, arguments.first()) {
        (Some(assembly), _) => Path::new(assembly).file_stem(),
        (None, program) => program.map(Path::new).and_then(|program| {
            let is_exe = |name: &std::ffi::OsStr| name.eq_ignore_ascii_case("exe");
            match program.extension().is_some_and(is_exe) {
                true => program.file_stem(),
                false => program.file_name(),
            }
        }),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The processes that run .NET: recordable ones first, the SDK's last within each group. All are asked at once and
/// have one second to answer. `folder` may contain more sockets.
pub(crate) fn list(folder: Option<&Path>) -> Vec<RunningProcess> {
    let (sender, answers) = channel();
    let mut processes = Vec::new();
    let mut pending: BTreeMap<u32, RunningProcess> = BTreeMap::new();
    for (pid, facts) in Facts::all_processes() {
        let port = match system::port_of(pid, &facts, folder) {
            Ok(port) => port,
            Err(reason) => {
                if is_worth_listing(&reason, pid, &facts) {
                    processes.push(RunningProcess {
                        obstacle: Some(reason),
                        ..RunningProcess::new(pid, facts)
                    });
                }
                continue;
            }
        };
        let sender = sender.clone();
        // nobody listens after the deadline
        let ask = move || drop(sender.send((pid, identify(&*port, ASK_TIMEOUT))));
        let process = RunningProcess {
            obstacle: Some(Obstacle::Silent(facts.state.clone())),
            ..RunningProcess::new(pid, facts)
        };
        pending.insert(pid, process);
        let _ = thread::Builder::new().name("ask".into()).spawn(ask);
    }
    drop(sender);
    let deadline = Instant::now() + ASK_TIMEOUT;
    let next = || answers.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    while let Ok((pid, answer)) = next() {
        let Some(mut process) = pending.remove(&pid) else {
            continue;
        };
        process.obstacle = None;
        match answer {
            Ok(info) => process = process.with_info(info),
            Err(PortError::Gone) => continue,
            Err(port_error) => process.obstacle = Some(diagnose(&port_error, pid)),
        }
        processes.push(process);
    }
    processes.extend(pending.into_values());
    processes.sort_by_key(|process| (process.obstacle.is_some(), process.is_sdk(), process.pid));
    processes
}

/// Processes that we can't examine are certain to be .NET only if they listen as a runtime does.
fn is_worth_listing(reason: &Obstacle, pid: u32, facts: &Facts) -> bool {
    match reason {
        Obstacle::NotDotnet | Obstacle::NoProcess => false,
        Obstacle::OtherUser(_) | Obstacle::Container => system::is_listening(pid, facts),
        _ => true,
    }
}

pub(crate) fn find(
    pid: u32,
    folder: Option<&Path>,
) -> Result<(RunningProcess, Arc<dyn Port>), (String, Obstacle)> {
    let facts = Facts::of(pid).ok_or((String::new(), Obstacle::NoProcess))?;
    let port = system::port_of(pid, &facts, folder)
        .map_err(|reason| (name_in(&facts.arguments), reason))?;
    let process = RunningProcess::new(pid, facts);
    match identify(&*port, CONNECT_TIMEOUT) {
        Ok(info) => Ok((process.with_info(info), port)),
        Err(port_error) => Err((process.name, diagnose(&port_error, pid))),
    }
}

/// A process of a group whose runtime is too old to connect to us at startup. `is_thorough` examines the whole group,
/// not only its leader.
#[cfg(unix)]
pub(crate) fn old_in_group(
    group: u32,
    is_thorough: bool,
) -> Option<(RunningProcess, Arc<dyn Port>)> {
    let pids = match is_thorough {
        true => system::pids_in_group(group),
        false => vec![group],
    };
    pids.into_iter().find_map(|pid| {
        let facts = Facts::of(pid).filter(|facts| facts.is_in_group(group))?;
        let port = system::port_of(pid, &facts, None).ok()?;
        let is_old = matches!(identify(&*port, ASK_TIMEOUT), Ok(None));
        is_old.then(|| (RunningProcess::new(pid, facts), port))
    })
}

#[cfg(test)]
mod tests;
