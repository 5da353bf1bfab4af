//! Names of .NET and Microsoft's TraceEvent that several formats share.

use crate::importers::messages;
use crate::text::start_of;

/// TraceEvent's frame whose module and method are unknown.
pub(super) const UNKNOWN_FRAME: &str = "?!?";

const UNKNOWN_METHOD: &str = "!?";

/// No file name is longer, and it is repeated for each of many methods.
const MAX_MODULE_NAME_BYTES: usize = 1024;

/// For the thread whose id is the process id: the main thread on Linux.
pub(super) const MAIN_THREAD: &str = "main";

/// How frames, without the module, start that reveal the kind of their thread, and its name. Sources:
/// `PortableThreadPool.*.cs`, `ThreadPoolWorkQueue.cs`, `TimerQueue.Portable.cs` and `SocketAsyncEngine.Unix.cs` in
/// dotnet/runtime; `_ThreadPoolWaitCallback` is from .NET Core 3 and .NET 5.
const THREAD_NAMES: [(&str, &str); 8] = [
    (
        "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart(",
        ".NET pool",
    ),
    (
        "System.Threading._ThreadPoolWaitCallback.PerformWaitCallback(",
        ".NET pool",
    ),
    (
        "System.Threading.ThreadPoolWorkQueue.Dispatch(",
        ".NET pool",
    ),
    ("System.Threading.TimerQueue.FireNextTimers(", ".NET pool"),
    (
        "System.Threading.PortableThreadPool+GateThread.GateThreadStart(",
        ".NET pool gate",
    ),
    (
        "System.Threading.PortableThreadPool+WaitThread.WaitThreadStart(",
        ".NET pool wait",
    ),
    ("System.Threading.TimerQueue.TimerThread(", ".NET timer"),
    (
        "System.Net.Sockets.SocketAsyncEngine.EventLoop(",
        ".NET sockets",
    ),
];
pub(super) const THREAD_NAME_DEPTH: usize = 6;

/// The last frame of TraceEvent's stacks while a thread runs.
pub(super) const CPU_TIME: &str = "CPU_TIME";
/// The last frame while a thread waits or runs native code.
pub(super) const UNMANAGED_CODE_TIME: &str = "UNMANAGED_CODE_TIME";

/// Other frames that are not methods. Sources: `ThreadTimeStackComputer.cs`, `StackSource.cs` in microsoft/perfview.
const PSEUDO_FRAMES: [&str; 10] = [
    "ROOT",
    "BROKEN",
    "OVERHEAD",
    "BLOCKED_TIME",
    "DISK_TIME",
    "HARD_FAULT",
    messages::READIED_TIME_WAITING_CPU,
    "NETWORK_TIME (probably)",
    "AWAIT_TIME",
    "UNKNOWN_ASYNC",
];

pub(super) fn unknown_method_of(module: &str) -> String {
    format!("{module}{UNKNOWN_METHOD}")
}

pub(crate) fn is_nameless(frame: &str) -> bool {
    frame.ends_with(UNKNOWN_METHOD)
}

pub(super) fn short_module(name: &str) -> &str {
    start_of(name, MAX_MODULE_NAME_BYTES)
}

/// Of TraceEvent or PerfView, rather than code of the program.
pub(super) fn is_pseudo_frame(frame: &str) -> bool {
    is_thread_time(frame) || PSEUDO_FRAMES.contains(&frame)
}

pub(crate) fn is_thread_time(frame: &str) -> bool {
    frame == CPU_TIME || frame == UNMANAGED_CODE_TIME
}

pub(super) fn thread_name(frame: &str) -> &'static str {
    let bare = frame.split_once('!').map_or("", |(_, bare)| bare);
    let mut names = THREAD_NAMES.iter();
    let name = names.find(|(start, _)| bare.starts_with(start));
    name.map_or("", |(_, name)| name)
}

pub(super) fn process_title(id: impl std::fmt::Display, name: &str) -> String {
    match name {
        "" => format!("Process ({id})"),
        name => format!("Process ({id}) {name}"),
    }
}

pub(super) fn thread_title(id: &str, name: &str) -> String {
    match name {
        "" => format!("Thread ({id})"),
        name => format!("Thread ({id}) {name}"),
    }
}

/// The id and name from which [`thread_title`] makes this title.
pub(super) fn parse_thread_title(title: &str) -> Option<(&str, &str)> {
    let (id, rest) = title.strip_prefix("Thread (")?.split_once(')')?;
    let name = rest.strip_prefix(' ').unwrap_or(rest);
    (!id.is_empty() && thread_title(id, name) == title).then_some((id, name))
}

#[cfg(test)]
mod tests;
