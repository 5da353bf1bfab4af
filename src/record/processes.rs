//! Which processes can be recorded, and why others can't.

use super::message::{ProcessInfo, identify};
use super::port::{PATIENCE, Port};
use super::proc_fs::{self, Facts};
use super::reverse::{Called, is_sdk};
use super::trouble::Trouble;
use super::why_not::WhyNot;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// How long each process of a list may take to say what it is.
const MOST_ASKING: Duration = Duration::from_secs(1);

/// A process that runs .NET.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// Its number here; within a container it may have another.
    pub pid: u32,
    /// The name of the assembly with `Main`, or of the program.
    pub name: String,
    /// The version of its runtime.
    pub runtime: Option<String>,
    /// Whose it is.
    pub user: Option<String>,
    /// For how long it has run.
    pub uptime: Option<Duration>,
    /// The program with its arguments.
    pub arguments: Vec<String>,
    /// Why it can't be recorded.
    pub why_not: Option<WhyNot>,
}

impl Process {
    /// Whether this is its name, in any case.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether its program or one of its assemblies is a file of this name, in any case.
    pub(crate) fn has_file(&self, name: &str) -> bool {
        let assembly = |argument: &String| {
            let path = Path::new(argument);
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dll"))
        };
        let program = self.arguments.first();
        let files = program.into_iter().chain(self.arguments.iter().skip(1).filter(|argument| assembly(argument)));
        let is_file = |argument: &String| {
            let path = Path::new(argument);
            [path.file_name(), path.file_stem()].into_iter().flatten().any(|file| file.eq_ignore_ascii_case(name))
        };
        files.into_iter().any(is_file)
    }

    /// Whether it is the SDK at work, and not a program of the user's.
    pub(crate) fn is_sdk(&self) -> bool {
        is_sdk(&self.name)
    }

    /// One that called us at its start, when it does not know its whole command line yet.
    pub(crate) fn called(called: &Called) -> Process {
        let pid = u32::try_from(called.pid).unwrap_or(0);
        let known = Process::new(pid, Facts::of(pid).unwrap_or_default());
        let name = called.entry.clone().unwrap_or_else(|| known.name.clone());
        Process { name, runtime: called.runtime.clone().or(known.runtime), ..known }
    }

    fn new(pid: u32, facts: Facts) -> Process {
        let Facts { arguments, user, uptime, runtime, .. } = facts;
        Process { pid, name: name_in(&arguments), runtime, user, uptime, arguments, why_not: None }
    }

    fn told(&mut self, info: ProcessInfo) {
        self.name = info.entry.unwrap_or_else(|| std::mem::take(&mut self.name));
        self.runtime = info.runtime.or_else(|| self.runtime.take());
        if self.arguments.is_empty() {
            self.arguments = vec![info.command_line];
        }
    }
}

/// What trouble with a process's port means.
pub(crate) fn why_not(trouble: &Trouble, pid: u32) -> WhyNot {
    match trouble {
        Trouble::Gone => WhyNot::Ended,
        Trouble::HungUp if Facts::of(pid).is_none() => WhyNot::Ended,
        Trouble::Forbidden => WhyNot::OtherUser(Facts::of(pid).and_then(|facts| facts.user).unwrap_or_default()),
        Trouble::Silent => WhyNot::Silent(Facts::of(pid).map_or("ended".into(), |facts| facts.state)),
        trouble if trouble.is_too_old() => WhyNot::TooOld,
        trouble if trouble.is_too_many() => WhyNot::TooMany,
        other => WhyNot::Other(other.to_string()),
    }
}

/// The name of a program of which only the command line is known: its first assembly, or the program itself.
fn name_in(arguments: &[String]) -> String {
    let assembly = arguments.iter().skip(1).find(|argument| argument.to_ascii_lowercase().ends_with(".dll"));
    let file = assembly.or(arguments.first()).map_or(Path::new(""), Path::new);
    let name = if assembly.is_some() { file.file_stem() } else { file.file_name() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// All processes that run .NET, as far as can be told: those of which something can be recorded first, the SDK's behind others.
/// All are asked at once. `folder` is where sockets may be, besides the usual places.
pub(crate) fn list(folder: Option<&Path>) -> Vec<Process> {
    let (told, answers) = channel();
    for (pid, facts) in Facts::of_all() {
        let (told, folder) = (told.clone(), folder.map(Path::to_path_buf));
        let look = move || {
            let _ = told.send(look(pid, facts, folder.as_deref()));
        };
        // without a thread it is not in the list
        let _ = thread::Builder::new().name("ask".into()).spawn(look);
    }
    drop(told);
    let until = Instant::now() + 3 * MOST_ASKING;
    let mut processes = Vec::new();
    while let Ok(process) = answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
        processes.extend(process);
    }
    processes.sort_by_key(|process| (process.why_not.is_some(), process.is_sdk(), process.pid));
    processes
}

/// What is known of a process; `None` if it does not run .NET.
fn look(pid: u32, facts: Facts, folder: Option<&Path>) -> Option<Process> {
    let port = proc_fs::port_of(pid, &facts, folder);
    let mut process = Process::new(pid, facts);
    let answer = match port {
        Ok(port) => identify(&*port, MOST_ASKING),
        Err(WhyNot::NotDotnet | WhyNot::NoProcess) => return None,
        // nobody knows whether it runs .NET at all
        Err(WhyNot::OtherUser(_) | WhyNot::Container) => return None,
        Err(reason) => return Some(Process { why_not: Some(reason), ..process }),
    };
    match answer {
        Ok(Some(info)) => process.told(info),
        Ok(None) => {}
        Err(Trouble::Gone) => return None,
        Err(trouble) => process.why_not = Some(why_not(&trouble, pid)),
    }
    Some(process)
}

/// A process and its port.
///
/// # Errors
/// Why it can't be recorded, with its name as far as that is known.
pub(crate) fn find(pid: u32, folder: Option<&Path>) -> Result<(Process, Arc<dyn Port>), (String, WhyNot)> {
    let facts = Facts::of(pid).ok_or((String::new(), WhyNot::NoProcess))?;
    let name = name_in(&facts.arguments);
    let port = proc_fs::port_of(pid, &facts, folder).map_err(|reason| (name, reason))?;
    let mut process = Process::new(pid, facts);
    match identify(&*port, PATIENCE) {
        Ok(Some(info)) => process.told(info),
        Ok(None) => {}
        Err(trouble) => return Err((process.name, why_not(&trouble, pid))),
    }
    Ok((process, port))
}

/// The processes of a group whose runtimes are too old to call us at their start, with their ports. `is_thorough` looks at all of the group, not
/// only at its leader.
pub(crate) fn old_in_group(group: u32, is_thorough: bool) -> Option<(Process, Arc<dyn Port>)> {
    let all =
        if is_thorough { Facts::of_all() } else { Facts::of(group).map(|facts| (group, facts)).into_iter().collect() };
    all.into_iter().filter(|(_, facts)| facts.is_in_group(group)).find_map(|(pid, facts)| {
        let port = proc_fs::port_of(pid, &facts, None).ok()?;
        let is_old = matches!(identify(&*port, MOST_ASKING), Ok(None));
        is_old.then(|| (Process::new(pid, facts), port))
    })
}
