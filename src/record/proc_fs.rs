//! What the system knows about processes: on Linux from `/proc`, elsewhere only their sockets.

use super::obstacle::Obstacle;
use super::port::{Port, Socket};
use rustix::process::Pid;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const DISABLING_VARIABLES: [&str; 2] = ["EnableDiagnostics", "EnableDiagnostics_IPC"];
const PREFIXES: [&str; 2] = ["DOTNET_", "COMPlus_"];
const RUNTIME: &str = "libcoreclr";

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub arguments: Vec<String>,
    pub user: Option<String>,
    pub uptime: Option<Duration>,
    pub runtime: Option<String>,
    pub state: String,
    /// In its own namespace.
    inner_pid: u32,
    is_in_container: bool,
    group: i32,
    start_ticks: u64,
    is_ours: bool,
    users: Vec<u32>,
    has_runtime: Option<bool>,
}

impl Facts {
    pub(crate) fn of(pid: u32) -> Option<Facts> {
        if !has_proc() {
            return process_exists(pid).then(|| Facts {
                inner_pid: pid,
                is_ours: true,
                ..Facts::default()
            });
        }
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let read = |name: &str| fs::read(folder.join(name)).ok();
        let stat = String::from_utf8_lossy(&read("stat")?).into_owned();
        // the name in brackets may itself contain spaces and brackets
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let status = String::from_utf8_lossy(&read("status")?).into_owned();
        let line = |name: &str| {
            let mut lines = status.lines();
            let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            Some(line.trim())
        };
        let numbers = |name: &str| {
            let words = line(name)?.split_whitespace();
            Some(
                words
                    .filter_map(|word| word.parse().ok())
                    .collect::<Vec<u32>>(),
            )
        };
        let (pids, mut users) = (numbers("NSpid")?, numbers("Uid")?);
        users.truncate(2);
        let user = *users.first()?;
        let library = runtime_library(&folder);
        let start_ticks = fields.get(19)?.parse().ok()?;
        Some(Facts {
            arguments: arguments(&read("cmdline").unwrap_or_default()),
            user: Some(user_name(user)),
            uptime: uptime(start_ticks),
            runtime: library
                .as_ref()
                .ok()
                .and_then(|library| version_in(library.as_deref()?)),
            state: state(line("State").unwrap_or(""), line("TracerPid").unwrap_or("")),
            inner_pid: *pids.last()?,
            is_in_container: pids.len() > 1,
            start_ticks,
            group: fields.get(2)?.parse().ok()?,
            is_ours: [0, user].contains(&rustix::process::geteuid().as_raw()),
            users,
            has_runtime: library.ok().map(|library| library.is_some()),
        })
    }

    pub(crate) fn all_processes() -> Vec<(u32, Facts)> {
        let pids: BTreeSet<u32> = match has_proc() {
            true => pids().collect(),
            false => temporary_folders(None)
                .iter()
                .flat_map(|folder| sockets(folder))
                .collect(),
        };
        let facts = pids
            .into_iter()
            .filter_map(|pid| Some((pid, Facts::of(pid)?)));
        // kernel threads have no arguments, and on other systems arguments are unknown
        facts
            .filter(|(_, facts)| !has_proc() || !facts.arguments.is_empty())
            .collect()
    }

    pub(crate) fn is_in_group(&self, group: u32) -> bool {
        u32::try_from(self.group) == Ok(group)
    }

    pub(super) fn socket_name(&self) -> String {
        let (pid, key) = (self.inner_pid, self.start_ticks);
        format!("dotnet-diagnostic-{pid}-{key}-socket")
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

pub(crate) fn pids_in_group(group: u32) -> Vec<u32> {
    if !has_proc() {
        return vec![group];
    }
    let is_member = |&pid: &u32| {
        state_and_group(pid).is_some_and(|(state, other)| other == group && !is_dead(state))
    };
    pids().filter(is_member).collect()
}

pub(crate) fn is_group_alive(group: u32) -> bool {
    if has_proc() {
        // unreadable if too many files are open
        return fs::read_dir("/proc").is_err() || !pids_in_group(group).is_empty();
    }
    exists(group, rustix::process::test_kill_process_group)
}

fn exists(number: u32, signal: fn(Pid) -> rustix::io::Result<()>) -> bool {
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| signal(pid) != Err(rustix::io::Errno::SRCH))
}

/// Even if its parent has not noticed yet.
pub(crate) fn has_ended(pid: u32) -> bool {
    match has_proc() {
        true => state_and_group(pid).is_none_or(|(state, _)| is_dead(state)),
        false => !process_exists(pid),
    }
}

fn state_and_group(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.nth(1)?.parse().ok()?))
}

fn is_dead(state: char) -> bool {
    matches!(state, 'Z' | 'X')
}

/// Known even to users who may not connect.
pub(crate) fn is_listening(pid: u32, facts: &Facts) -> bool {
    listening_socket(pid, &facts.socket_name()).is_some()
}

fn has_proc() -> bool {
    Path::new("/proc/self/stat").exists()
}

fn process_exists(pid: u32) -> bool {
    exists(pid, rustix::process::test_kill_process)
}

fn temporary_folders(folder: Option<&Path>) -> Vec<PathBuf> {
    let our_folder = std::env::var_os("TMPDIR").map(PathBuf::from);
    let folders = [
        folder.map(Path::to_path_buf),
        our_folder,
        Some("/tmp".into()),
    ];
    folders.into_iter().flatten().collect()
}

fn sockets(folder: &Path) -> Vec<u32> {
    let pid = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let key = name
            .strip_prefix("dotnet-diagnostic-")?
            .strip_suffix("-socket")?;
        key.split_once('-')?.0.parse().ok()
    };
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(pid)
        .collect()
}

/// Earlier processes with the same id may have left sockets with other keys.
fn newest_socket(pid: u32, folders: &[PathBuf]) -> Option<PathBuf> {
    let start = format!("dotnet-diagnostic-{pid}-");
    let entries = folders.iter().flat_map(fs::read_dir).flatten().flatten();
    let sockets = entries.filter(|entry| {
        entry.file_name().to_string_lossy().starts_with(&start) && is_socket(&entry.path())
    });
    let newest = sockets.max_by_key(|entry| entry.metadata().and_then(|meta| meta.modified()).ok());
    newest.map(|entry| entry.path())
}

fn arguments(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    let parts = bytes.split(|&byte| byte == 0);
    parts
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

fn user_name(id: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let id = id.to_string();
    let mut lines = users.lines();
    let line = lines.find(|line| line.split(':').nth(2) == Some(&id));
    let name = line.and_then(|line| line.split(':').next());
    name.unwrap_or(&id).into()
}

fn uptime(start_ticks: u64) -> Option<Duration> {
    let machine = fs::read_to_string("/proc/uptime").ok()?;
    let machine: f64 = machine.split_whitespace().next()?.parse().ok()?;
    let started = start_ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    Some(Duration::try_from_secs_f64(machine - started).unwrap_or_default())
}

fn runtime_library(folder: &Path) -> std::io::Result<Option<String>> {
    let maps = fs::read(folder.join("maps"))?;
    let maps = String::from_utf8_lossy(&maps);
    let library = maps.lines().find(|line| line.contains(RUNTIME));
    Ok(library.map(|line| line.find('/').map_or(line, |at| &line[at..]).to_string()))
}

/// The version in `…/Microsoft.NETCore.App/3.1.23/libcoreclr.so`.
fn version_in(library: &str) -> Option<String> {
    let folder = Path::new(library).parent()?.file_name()?.to_str()?;
    (folder.starts_with(|c: char| c.is_ascii_digit()) && folder.contains('.'))
        .then(|| folder.to_string())
}

fn state(state: &str, tracer: &str) -> String {
    match (state.chars().next(), tracer) {
        (_, tracer) if !matches!(tracer, "" | "0") => format!("traced by {tracer}"),
        (Some('T'), _) => "stopped".into(),
        (Some('Z'), _) => "ended".into(),
        _ => "running".into(),
    }
}

pub(crate) fn port_of(
    pid: u32,
    facts: &Facts,
    folder: Option<&Path>,
) -> Result<Arc<dyn Port>, Obstacle> {
    if !has_proc() {
        let folders = temporary_folders(folder);
        let socket =
            newest_socket(pid, &folders).ok_or_else(|| Obstacle::NoSocket(folders[0].clone()))?;
        return Ok(Arc::new(Socket::at(socket)));
    }
    let environment = environment(pid);
    let value = |name: &str| environment.iter().find(|(key, _)| key == name);
    let own_folder = value("TMPDIR").map(|(_, folder)| PathBuf::from(folder));
    let mut folders = temporary_folders(folder);
    folders.splice(0..0, own_folder.clone());
    let name = facts.socket_name();
    // a container, or anything else with its own root
    let root = PathBuf::from(format!("/proc/{pid}/root"));
    let inside = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
    let outside = folders.iter().filter(|_| !facts.is_in_container);
    let outside = outside.map(|folder| folder.join(&name));
    let mut paths = outside.chain(folders.iter().map(|folder| inside(folder).join(&name)));
    let listening = || match listening_socket(pid, &name) {
        Some(path) if facts.is_in_container => Some(inside(&path)),
        path => path,
    };
    if let Some(path) = paths.find(|path| is_socket(path)).or_else(listening) {
        let users = facts.users.clone();
        return Ok(Arc::new(Socket { path, users }));
    }
    if facts.is_in_container && fs::read_dir(&root).is_err() {
        return Err(Obstacle::Container);
    }
    Err(obstacle(facts, own_folder, value))
}

/// `folder` is its temporary folder, `value` returns an environment variable.
fn obstacle<'a>(
    facts: &Facts,
    folder: Option<PathBuf>,
    value: impl Fn(&str) -> Option<&'a (String, String)>,
) -> Obstacle {
    if !facts.is_ours {
        return Obstacle::OtherUser(facts.user.clone().unwrap_or_default());
    }
    if facts.has_runtime != Some(true) {
        return Obstacle::NotDotnet;
    }
    let names = DISABLING_VARIABLES.iter();
    let mut names = names.flat_map(|name| PREFIXES.map(|prefix| format!("{prefix}{name}")));
    match names.find_map(|name| value(&name).filter(|(_, value)| value == "0")) {
        Some((name, value)) => Obstacle::Disabled(format!("{name}={value}")),
        None => Obstacle::NoSocket(folder.unwrap_or("/tmp".into())),
    }
}

fn environment(pid: u32) -> Vec<(String, String)> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pairs = bytes.split(|&byte| byte == 0).map(String::from_utf8_lossy);
    let variables = pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        Some((key.into(), value.into()))
    });
    variables.collect()
}

/// The path of a listening socket with this name that process `pid` can see.
fn listening_socket(pid: u32, name: &str) -> Option<PathBuf> {
    let sockets = fs::read_to_string(format!("/proc/{pid}/net/unix")).ok()?;
    let paths = sockets.lines().filter_map(|line| line.split_once('/'));
    let mut paths = paths.map(|(_, path)| Path::new("/").join(path));
    paths.find(|path| path.file_name().is_some_and(|file| file == name))
}

/// Links don't count: in world-writable folders, they can be anybody's.
fn is_socket(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|facts| facts.file_type().is_socket())
}
