//! Words of .NET and of Microsoft's TraceEvent that several formats share.

/// What TraceEvent calls a frame of which it knows neither module nor method.
pub(super) const UNKNOWN_FRAME: &str = "?!?";

/// The name of the thread whose id is that of the process, which is the main thread on Linux.
pub(super) const MAIN_THREAD: &str = "main";

/// Frames that tell what kind of thread hangs below them, by the start of their name without the module.
///
/// Sources: `PortableThreadPool.*.cs`, `ThreadPoolWorkQueue.cs`, `TimerQueue.Portable.cs` and `SocketAsyncEngine.Unix.cs` in
/// dotnet/runtime; `_ThreadPoolWaitCallback` is what .NET Core 3 and .NET 5 have.
const THREAD_NAMES: &[(&str, &str)] = &[
    ("System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart(", ".NET pool"),
    ("System.Threading._ThreadPoolWaitCallback.PerformWaitCallback(", ".NET pool"),
    ("System.Threading.ThreadPoolWorkQueue.Dispatch(", ".NET pool"),
    ("System.Threading.TimerQueue.FireNextTimers(", ".NET pool"),
    ("System.Threading.PortableThreadPool+GateThread.GateThreadStart(", ".NET pool gate"),
    ("System.Threading.PortableThreadPool+WaitThread.WaitThreadStart(", ".NET pool wait"),
    ("System.Threading.TimerQueue.TimerThread(", ".NET timer"),
    ("System.Net.Sockets.SocketAsyncEngine.EventLoop(", ".NET sockets"),
];
/// A frame of [`THREAD_NAMES`] is one of this many outermost ones.
pub(super) const THREAD_NAME_DEPTH: usize = 6;

/// How TraceEvent ends the stacks of time in which a thread ran.
pub(super) const CPU_TIME: &str = "CPU_TIME";
/// How it ends those of time in which a thread waited or ran native code.
pub(super) const UNMANAGED_CODE_TIME: &str = "UNMANAGED_CODE_TIME";

/// Whether a frame tells what kind of time its caller spends, as TraceEvent writes it.
pub(crate) fn is_thread_time(frame: &str) -> bool {
    frame == CPU_TIME || frame == UNMANAGED_CODE_TIME
}

/// The name of a thread that has a frame with this full name (`Module!Type.Method(args)`) among its outermost ones, or the
/// empty string if the frame does not tell it.
pub(super) fn thread_name(frame: &str) -> &'static str {
    let bare = frame.split_once('!').map_or("", |(_, bare)| bare);
    THREAD_NAMES.iter().find(|(start, _)| bare.starts_with(start)).map_or("", |(_, name)| name)
}

/// How a process is called in the tree: by its number, then its name if it has one.
pub(super) fn process_title(id: impl std::fmt::Display, name: &str) -> String {
    match name {
        "" => format!("Process ({id})"),
        name => format!("Process ({id}) {name}"),
    }
}

/// How a thread is called in the tree: by its number, then its name if it has one.
pub(super) fn thread_title(id: &str, name: &str) -> String {
    match name {
        "" => format!("Thread ({id})"),
        name => format!("Thread ({id}) {name}"),
    }
}
