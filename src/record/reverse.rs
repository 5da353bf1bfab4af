//! A reverse port: runtimes that we launch connect to it at startup and wait until they are resumed. A connection takes
//! one command, and the runtime opens the next one at once: connections are queued.

use super::message::{ProcessInfo, identify};
use super::port::{CONNECT_TIMEOUT, Channel, Port, Socket};
use super::port_error::PortError;
use super::proc_fs::{group_lives, has_ended};
use super::program::ProcessGroup;
use super::suspended_runtime::{SuspendedRuntime, VARIABLE, restore, resume};
use parking_lot::{Condvar, Mutex};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How each connection starts: this, the runtime's cookie, its process id, and two reserved bytes.
const ADVERTISEMENT: &[u8; 8] = b"ADVR_V1\0";
const ADVERTISED_BYTES: usize = 34;
const PREFIX: &str = "dotspot-port-";
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Younger folders may belong to a dotspot that is not listening yet.
const STALE_AFTER: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const GROUP_CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// A runtime reconnects at once; one that is gone never does.
const MAX_QUEUED_CONNECTIONS: usize = 4;

/// Process id and cookie, because ids from several containers may be equal.
type ConnectingRuntime = (u64, [u8; 16]);

/// Until it is dropped, no runtime that connects is left waiting.
pub(crate) struct ReversePort {
    folder: tempfile::TempDir,
    listener: UnixListener,
    suspended: Receiver<SuspendedRuntime>,
    is_over: Arc<AtomicBool>,
}

impl ReversePort {
    pub(crate) fn open(before: Option<String>) -> io::Result<ReversePort> {
        let (folder, listener) = bind(&[std::env::temp_dir(), "/tmp".into()])?;
        let (recorder, suspended) = channel();
        let is_over = Acceptor::listen(listener.try_clone()?, Some(recorder), before)?;
        Ok(ReversePort {
            folder,
            listener,
            suspended,
            is_over,
        })
    }

    /// If processes of a group are still running, lets another process, which must call [`linger`], resume the
    /// runtimes that connect from now on. It gets the port as its standard input, and the group and the folder as its
    /// last arguments.
    pub(crate) fn hand_over(
        mut self,
        group: &ProcessGroup,
        to: &mut process::Command,
    ) -> io::Result<bool> {
        if !group.has_survivors() {
            return Ok(false);
        }
        self.close();
        to.arg(group.id().to_string()).arg(self.folder.path());
        to.current_dir("/").process_group(0);
        to.stdin(OwnedFd::from(self.listener.try_clone()?));
        to.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        self.folder.disable_cleanup(true);
        Ok(true)
    }

    /// The variable's value for a program that we start: the previous value plus this port.
    pub(crate) fn value(&self, before: Option<&str>) -> String {
        let port = format!("{},suspend", self.socket().display());
        match before {
            Some(before) if !before.is_empty() => format!("{before};{port}"),
            _ => port,
        }
    }

    pub(crate) fn suspended(&self, timeout: Duration) -> Option<SuspendedRuntime> {
        self.suspended.recv_timeout(timeout).ok()
    }

    fn close(&self) {
        wait_for_runtimes(&self.is_over);
        self.suspended.try_iter().for_each(drop);
        self.is_over.store(true, Ordering::SeqCst);
        let _ = UnixStream::connect(self.socket());
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }
}

impl Drop for ReversePort {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runtimes still being handled need the port until they are resumed. Without any, only the accepting thread and our caller
/// have the flag.
fn wait_for_runtimes(is_over: &Arc<AtomicBool>) {
    let deadline = Instant::now() + CLOSE_TIMEOUT;
    while Arc::strong_count(is_over) > 2 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Resumes every runtime that connects to the port on our standard input, until the group has no more processes, and
/// then removes the port's folder.
pub(crate) fn linger(group: u32, folder: &Path) -> io::Result<()> {
    let listener = UnixListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    let is_over = Acceptor::listen(listener, None, std::env::var(VARIABLE).ok())?;
    // killing dotspot by name or closing the session must not leave runtimes waiting
    for signal in [SIGHUP, SIGINT] {
        signal_hook::flag::register(signal, Arc::default())?;
    }
    let is_terminated = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, Arc::clone(&is_terminated))?;
    while group_lives(group) && !is_terminated.load(Ordering::SeqCst) {
        thread::sleep(GROUP_CHECK_INTERVAL);
    }
    wait_for_runtimes(&is_over);
    std::fs::remove_file(folder.join("s"))?;
    std::fs::remove_dir(folder)
}

/// A path must be short; a comma or semicolon would end it within the variable.
fn bind(parents: &[PathBuf]) -> io::Result<(tempfile::TempDir, UnixListener)> {
    let mut last_error = io::Error::from(io::ErrorKind::NotFound);
    for parent in parents {
        let Ok(parent) = std::path::absolute(parent) else {
            continue;
        };
        let is_plain = |text: &str| !text.contains(|c: char| c.is_control() || ",;".contains(c));
        if !parent.to_str().is_some_and(is_plain) {
            continue;
        }
        remove_stale(&parent, STALE_AFTER);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let bound = folder.and_then(|folder| {
            let listener = UnixListener::bind(folder.path().join("s"))?;
            Ok((folder, listener))
        });
        match bound {
            Ok(bound) => return Ok(bound),
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}

/// Removes our socket folders of at least this age that nobody is listening on.
fn remove_stale(parent: &Path, min_age: Duration) {
    // other users' sockets may accept connections and never answer
    let is_ours =
        |meta: &Metadata| meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw();
    let is_old = |meta: &Metadata| {
        let age = meta.modified().ok().and_then(|time| time.elapsed().ok());
        age.is_some_and(|age| age >= min_age)
    };
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_port = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let path = entry.path();
        let is_stale = || {
            path.symlink_metadata()
                .is_ok_and(|meta| is_ours(&meta) && is_old(&meta))
        };
        let is_gone = || matches!(Socket::at(path.join("s")).connect(), Err(PortError::Gone));
        if is_port && is_stale() && is_gone() {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

#[derive(Clone)]
struct Acceptor {
    queues: Arc<Queues>,
    has_program: Arc<AtomicBool>,
    recorder: Option<Sender<SuspendedRuntime>>,
    before: Option<String>,
    is_over: Arc<AtomicBool>,
}

impl Acceptor {
    /// Accepts connections on separate threads, until the returned flag is set. `before` is the variable's value
    /// before we changed it.
    fn listen(
        listener: UnixListener,
        recorder: Option<Sender<SuspendedRuntime>>,
        before: Option<String>,
    ) -> io::Result<Arc<AtomicBool>> {
        let acceptor = Acceptor {
            queues: Arc::default(),
            has_program: Arc::default(),
            recorder,
            before,
            is_over: Arc::default(),
        };
        let is_over = Arc::clone(&acceptor.is_over);
        let thread = thread::Builder::new().name("port".into());
        thread.spawn(move || acceptor.accept(&listener))?;
        Ok(is_over)
    }

    fn accept(self, listener: &UnixListener) {
        for stream in listener.incoming() {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else {
                // too many open files
                thread::sleep(POLL_INTERVAL);
                continue;
            };
            let acceptor = self.clone();
            // a silent connection must not block others
            let thread = thread::Builder::new().name("call".into());
            let _ = thread.spawn(move || acceptor.handle(stream));
        }
    }

    fn handle(&self, mut stream: UnixStream) {
        let Ok(caller) = read_advertisement(&mut stream) else {
            return;
        };
        let pid = peer_pid(&stream);
        if !self.queues.push(caller, pid, stream) {
            return;
        }
        let port: Arc<dyn Port> = Arc::new(QueuedPort {
            queues: Arc::clone(&self.queues),
            caller,
            pid,
        });
        // runtimes before .NET 7 don't report a name, and count as programs
        let Ok(info) = identify(&*port, CONNECT_TIMEOUT) else {
            // it has ended or is not a runtime: it must not take the program's place
            let _ = restore(&*port, self.before.as_deref());
            let _ = resume(&*port);
            return;
        };
        // the SDK is resumed, and the program that it starts connects, too
        if info.as_ref().is_some_and(ProcessInfo::is_sdk) {
            let _ = resume(&*port);
            return;
        }
        let is_first = !self.has_program.swap(true, Ordering::SeqCst);
        let suspended = SuspendedRuntime {
            pid: caller.0,
            info,
            port,
            before: self.before.clone(),
            is_resumed: AtomicBool::new(false),
        };
        // dropping it resumes it
        if let Some(recorder) = self.recorder.as_ref().filter(|_| is_first) {
            let _ = recorder.send(suspended);
        }
    }
}

fn peer_pid(stream: &UnixStream) -> Option<u32> {
    #[cfg(target_os = "linux")]
    return rustix::net::sockopt::socket_peercred(stream)
        .ok()
        .map(|peer| peer.pid.as_raw_nonzero().get().unsigned_abs());
    #[cfg(not(target_os = "linux"))]
    {
        let _ = stream;
        None
    }
}

fn read_advertisement(stream: &mut UnixStream) -> io::Result<ConnectingRuntime> {
    stream.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    let mut bytes = [0; ADVERTISED_BYTES];
    stream.read_exact(&mut bytes)?;
    let (magic, id) = bytes.split_at(ADVERTISEMENT.len());
    if magic != ADVERTISEMENT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let (mut cookie, mut pid) = ([0; 16], [0; 8]);
    cookie.copy_from_slice(&id[..16]);
    pid.copy_from_slice(&id[16..24]);
    Ok((u64::from_le_bytes(pid), cookie))
}

#[derive(Default)]
struct Queues {
    waiting: Mutex<HashMap<ConnectingRuntime, Connections>>,
    has_more: Condvar,
}

/// The process id in our namespace, and the newest connections last.
type Connections = (Option<u32>, Vec<UnixStream>);

impl Queues {
    /// Whether this is the runtime's first connection.
    fn push(&self, caller: ConnectingRuntime, pid: Option<u32>, stream: UnixStream) -> bool {
        let mut waiting = self.waiting.lock();
        let is_new = !waiting.contains_key(&caller);
        if is_new {
            // a build starts thousands of runtimes, one after another
            waiting.retain(|_, (pid, _)| !pid.is_some_and(has_ended));
        }
        let (_, queue) = waiting.entry(caller).or_insert((pid, Vec::new()));
        // the oldest may have hung up since
        if queue.len() == MAX_QUEUED_CONNECTIONS {
            queue.remove(0);
        }
        queue.push(stream);
        self.has_more.notify_all();
        is_new
    }

    fn take(&self, caller: ConnectingRuntime, pid: Option<u32>) -> Option<UnixStream> {
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(stream) = waiting.get_mut(&caller).and_then(|(_, queue)| queue.pop()) {
                return Some(stream);
            }
            let remaining = deadline.checked_duration_since(Instant::now())?;
            if pid.is_some_and(has_ended) {
                return None;
            }
            self.has_more
                .wait_for(&mut waiting, remaining.min(POLL_INTERVAL));
        }
    }
}

struct QueuedPort {
    queues: Arc<Queues>,
    caller: ConnectingRuntime,
    pid: Option<u32>,
}

impl Port for QueuedPort {
    fn connect(&self) -> Result<Box<dyn Channel>, PortError> {
        let stream = self.queues.take(self.caller, self.pid);
        Ok(Box::new(stream.ok_or(PortError::Gone)?))
    }
}

#[cfg(test)]
mod tests;
