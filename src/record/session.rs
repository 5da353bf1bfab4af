//! A recording session: one connection starts it and carries its events, another one stops it.

use super::message::{PortCommand, RecordedProvider, RecordingRequest, ask};
use super::port::{Channel, PATIENCE, Port};
use super::port_error::PortError;
use crate::importers::Tally;
use crate::record::messages;
use std::io::{self, Read as _, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the watcher of a recording is asked whether to continue.
const LOOK: Duration = Duration::from_millis(100);
/// How long a recording that was stopped may say nothing before it is given up.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a recording may take to end after it was asked to, whatever comes.
const STOP_TIMEOUT: Duration = Duration::from_secs(120);
/// A recording is not stopped before: .NET Core 3.1 crashes now and then if it is.
const MIN_RECORDING_TIME: Duration = Duration::from_millis(200);
/// How long the end of the stream may take once its last byte has come.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How much is read at once.
const CHUNK_BYTES: usize = 64 << 10;
/// The most that names which came early may take.
const MAX_NAMES_BYTES: usize = 64 << 20;
/// How much of a damaged stream is read before giving up.
const MAX_DAMAGED_BYTES: u64 = 64 << 20;
/// A provider that does not exist.
const DUMMY_PROVIDER: &str = "dotspot-names";

/// The watcher's decision about a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// More of it.
    GoOn,
    /// The end in order, with the names of methods.
    Stop,
    /// The end at once; what the runtime still has is lost.
    GiveUp,
}

/// How a recording ended.
#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// In order: the stream has its end, and all names.
    Whole,
    /// The stream broke off, because the process ended without telling.
    BrokenOff,
    /// It was given up, for we were asked to.
    GivenUp,
    /// It was to stop, and did not come to its end.
    Stuck,
    /// It was to stop, and the runtime said no.
    NotStopped(PortError),
    /// The data is damaged from this offset on.
    Damaged(u64),
    /// It can't be written.
    NotWritten(io::Error),
    /// The system can't read it.
    NotRead(io::Error),
}

/// A recording that was started.
pub(crate) struct Session {
    port: Arc<dyn Port>,
    channel: Box<dyn Channel>,
    id: u64,
    tally: Tally,
    bytes: u64,
    started: Instant,
    /// How long it may take to end.
    pub(super) most_stopping: Duration,
}

impl Session {
    /// Starts a recording.
    ///
    /// # Errors
    /// As [`ask`].
    pub(crate) fn start(
        port: Arc<dyn Port>,
        wanted: &RecordingRequest,
    ) -> Result<Session, PortError> {
        let mut channel = port.connect()?;
        let reply = ask(&mut *channel, &PortCommand::Collect(wanted))?;
        let id = reply.try_into().map(u64::from_le_bytes);
        let garbled =
            |reply: Vec<u8>| PortError::Garbled(messages::bad_session_reply(&reply.len()));
        let id = id.map_err(garbled)?;
        Ok(Session {
            port,
            channel,
            id,
            tally: Tally::default(),
            bytes: 0,
            started: Instant::now(),
            most_stopping: STOP_TIMEOUT,
        })
    }

    /// What came so far.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How many bytes that was.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies the stream to `out` until it ends. `watch` is called at least every 100 ms. Once it has asked to stop,
    /// stopping continues whatever it says, unless it gives up.
    pub(crate) fn copy(
        &mut self,
        out: &mut dyn Write,
        mut watch: impl FnMut(&Session) -> Control,
    ) -> SessionEnd {
        if let Err(error) = self.channel.set_timeout(Some(LOOK)) {
            return SessionEnd::NotRead(error);
        }
        let mut buffer = vec![0; CHUNK_BYTES];
        let mut stopping: Option<Stopping> = None;
        let mut last_byte = Instant::now();
        loop {
            match watch(self) {
                Control::Stop
                    if stopping.is_none() && self.started.elapsed() >= MIN_RECORDING_TIME =>
                {
                    stopping = Some(Stopping::start(&self.port, self.id));
                    last_byte = Instant::now();
                }
                Control::GoOn | Control::Stop => {}
                Control::GiveUp => return SessionEnd::GivenUp,
            }
            match self.channel.read(&mut buffer) {
                Ok(0) => return self.ended(),
                Ok(count) => {
                    last_byte = Instant::now();
                    self.bytes += count as u64;
                    self.tally.push(&buffer[..count]);
                    if let Err(error) = out.write_all(&buffer[..count]) {
                        return SessionEnd::NotWritten(error);
                    }
                }
                Err(error) if is_pause(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return self.ended();
                }
                Err(error) => return SessionEnd::NotRead(error),
            }
            if self.tally.is_whole() && last_byte.elapsed() > CLOSE_TIMEOUT {
                return SessionEnd::Whole;
            }
            let damaged = self.bytes - self.tally.whole_bytes();
            if self.tally.is_damaged() && damaged > MAX_DAMAGED_BYTES {
                return self.ended();
            }
            if let Some(stopping) = &mut stopping {
                if let Some(port_error) = stopping.failed() {
                    return SessionEnd::NotStopped(port_error);
                }
                if last_byte.elapsed() > SILENCE_TIMEOUT
                    || stopping.since.elapsed() > self.most_stopping
                {
                    return SessionEnd::Stuck;
                }
            }
        }
    }

    fn ended(&self) -> SessionEnd {
        match (self.tally.is_whole(), self.tally.is_damaged()) {
            (true, _) => SessionEnd::Whole,
            (false, true) => SessionEnd::Damaged(self.tally.whole_bytes()),
            (false, false) => SessionEnd::BrokenOff,
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

/// A recording that is being stopped, on its own thread: the runtime answers when it has sent the names of all methods, for
/// which somebody must read them.
struct Stopping {
    since: Instant,
    answer: Receiver<Result<(), PortError>>,
}

impl Stopping {
    fn start(port: &Arc<dyn Port>, id: u64) -> Stopping {
        let (answered, answer) = channel();
        let port = Arc::clone(port);
        let stop = move || drop(answered.send(stop(&*port, id)));
        // a system that has no thread left drops what was to send, and nobody waits for it
        let _ = thread::Builder::new().name("stop".into()).spawn(stop);
        let since = Instant::now();
        Stopping { since, answer }
    }

    /// Why the runtime does not stop, once it has said so. A port that is gone, hangs up or answers too late says nothing about the
    /// recording: its stream does.
    fn failed(&mut self) -> Option<PortError> {
        match self.answer.try_recv() {
            Ok(Err(
                port_error @ (PortError::Refused(_) | PortError::Garbled(_) | PortError::Forbidden),
            )) => Some(port_error),
            Ok(_) | Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }
}

fn stop(port: &dyn Port, id: u64) -> Result<(), PortError> {
    ask(&mut *port.connect()?, &PortCommand::Stop(id)).map(drop)
}

/// The names of all methods that a process has used so far, from a recording of nothing beside the one that runs: every recording ends
/// with them. A process that is killed sends none at the end.
#[derive(Debug)]
pub(crate) struct EarlyNames {
    streams: Receiver<Vec<u8>>,
    newest: Option<Arc<[u8]>>,
}

/// When names are requested during a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    /// The delay before the first request.
    pub delay: Duration,
    /// Whether requests are repeated, because new methods keep coming into use.
    pub is_repeated: bool,
}

/// The delay between receiving names and requesting them again; it doubles each time.
const ASKS_AGAIN: Duration = Duration::from_secs(2);
/// The maximum such delay.
const ASK_TIMEOUT: Duration = Duration::from_secs(60);

impl EarlyNames {
    /// Asks for them on its own thread.
    pub(crate) fn ask(port: &Arc<dyn Port>, asking: Asking) -> EarlyNames {
        let (sender, streams) = channel();
        let port = Arc::clone(port);
        let work = move || {
            thread::sleep(asking.delay);
            let mut pause = ASKS_AGAIN;
            // until no one needs the answer
            while sender.send(early_stream(&port)).is_ok() && asking.is_repeated {
                thread::sleep(pause);
                pause = (2 * pause).min(ASK_TIMEOUT);
            }
        };
        // without a thread there are none
        let _ = thread::Builder::new().name("names".into()).spawn(work);
        let newest = None;
        EarlyNames { streams, newest }
    }

    /// A stream that tells them, if there is a newer one than at the last call.
    pub(crate) fn newer(&mut self) -> Option<Arc<[u8]>> {
        let streams = self.streams.try_iter();
        let newest = streams.filter(|stream| !stream.is_empty()).last()?;
        self.newest = Some(newest.into());
        self.newest.clone()
    }

    /// The newest stream that tells them; empty if none ever came, or `gives_up` says that nobody waits for it any longer.
    pub(crate) fn stream(mut self, gives_up: impl Fn() -> bool) -> Arc<[u8]> {
        let known = self.newer().or(self.newest);
        let until = Instant::now() + PATIENCE;
        let come = || loop {
            match self.streams.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) if Instant::now() < until && !gives_up() => {}
                stream => return stream.unwrap_or_default().into(),
            }
        };
        known.unwrap_or_else(come)
    }
}

/// All that comes of a recording of nothing, as far as it comes.
fn early_stream(port: &Arc<dyn Port>) -> Vec<u8> {
    let nobody = RecordedProvider {
        name: DUMMY_PROVIDER.into(),
        keywords: 0,
        level: 4,
        arguments: String::new(),
    };
    let wanted = RecordingRequest {
        providers: vec![nobody],
        buffer_mb: 16,
    };
    let mut stream = Bounded(Vec::new());
    if let Ok(mut session) = Session::start(Arc::clone(port), &wanted) {
        // however it ends, names that came are names
        let _ = session.copy(&mut stream, |_| Control::Stop);
    }
    stream.0
}

/// Bytes up to a bound, after which writing fails.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_NAMES_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
