//! A recording session: one connection starts it and carries its events, another one stops it.

use super::message::{PortCommand, RecordedProvider, RecordingRequest, ask};
use super::port::{CONNECT_TIMEOUT, Channel, Port};
use super::port_error::PortError;
use crate::importers::Tally;
use crate::record::messages;
use std::io::{self, ErrorKind, Read as _, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

const WATCH_INTERVAL: Duration = Duration::from_millis(100);
/// How long a recording may be silent after the stop request before it is given up.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a recording may take to end after the stop request, even if data keeps coming.
const STOP_TIMEOUT: Duration = Duration::from_secs(120);
/// The minimum duration of a recording: .NET Core 3.1 sometimes crashes if it is stopped earlier.
const MIN_RECORDING_TIME: Duration = Duration::from_millis(200);
/// How long the end of the stream may take after its last byte.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
const CHUNK_BYTES: usize = 64 << 10;
const MAX_NAMES_BYTES: usize = 64 << 20;
const MAX_DAMAGED_BYTES: u64 = 64 << 20;
const DUMMY_PROVIDER: &str = "dotspot-names";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Continue,
    /// End cleanly, with method names.
    Stop,
    /// End at once; whatever the runtime still has is lost.
    GiveUp,
}

#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// The stream is complete, with all names.
    Complete,
    /// The stream was cut off because the process ended unexpectedly.
    CutOff,
    GivenUp,
    /// It was stopped, but did not end.
    Stuck,
    StopFailed(PortError),
    Damaged(u64),
    WriteFailed(io::Error),
    ReadFailed(io::Error),
}

pub(crate) struct Session {
    port: Arc<dyn Port>,
    channel: Box<dyn Channel>,
    id: u64,
    tally: Tally,
    bytes: u64,
    started: Instant,
    /// The deadline for its end.
    pub(super) max_stopping: Duration,
}

impl Session {
    pub(crate) fn start(
        port: Arc<dyn Port>,
        wanted: &RecordingRequest,
    ) -> Result<Session, PortError> {
        let mut channel = port.connect()?;
        let reply = ask(
            &mut *channel,
            &PortCommand::Collect(wanted),
            CONNECT_TIMEOUT,
        )?;
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
            max_stopping: STOP_TIMEOUT,
        })
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Copies the stream to `out` until it ends. `watch` is called at least every 100 ms. Stopping can't be undone,
    /// but given up.
    pub(crate) fn copy(
        &mut self,
        out: &mut dyn Write,
        mut watch: impl FnMut(&Session) -> Control,
    ) -> SessionEnd {
        if let Err(error) = self.channel.set_timeout(Some(WATCH_INTERVAL)) {
            return SessionEnd::ReadFailed(error);
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
                Control::Continue | Control::Stop => {}
                Control::GiveUp => return SessionEnd::GivenUp,
            }
            match self.channel.read(&mut buffer) {
                Ok(0) => return self.ended(),
                Ok(count) => {
                    last_byte = Instant::now();
                    self.bytes += count as u64;
                    self.tally.push(&buffer[..count]);
                    if let Err(error) = out.write_all(&buffer[..count]) {
                        return SessionEnd::WriteFailed(error);
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
                    ErrorKind::ConnectionReset => return self.ended(),
                    _ => return SessionEnd::ReadFailed(error),
                },
            }
            if self.tally.blocks.is_whole && last_byte.elapsed() > CLOSE_TIMEOUT {
                return SessionEnd::Complete;
            }
            let damaged = self.bytes - self.tally.blocks.whole_bytes;
            if self.tally.blocks.is_damaged && damaged > MAX_DAMAGED_BYTES {
                return self.ended();
            }
            if let Some(stopping) = &mut stopping {
                if let Some(port_error) = stopping.failed() {
                    return SessionEnd::StopFailed(port_error);
                }
                if last_byte.elapsed() > SILENCE_TIMEOUT
                    || stopping.since.elapsed() > self.max_stopping
                {
                    return SessionEnd::Stuck;
                }
            }
        }
    }

    fn ended(&self) -> SessionEnd {
        match (self.tally.blocks.is_whole, self.tally.blocks.is_damaged) {
            (true, _) => SessionEnd::Complete,
            (false, true) => SessionEnd::Damaged(self.tally.blocks.whole_bytes),
            (false, false) => SessionEnd::CutOff,
        }
    }
}

/// The runtime answers after sending the names of all methods, which somebody must read in the meantime.
struct Stopping {
    since: Instant,
    answer: Receiver<Result<(), PortError>>,
}

impl Stopping {
    fn start(port: &Arc<dyn Port>, id: u64) -> Stopping {
        let (answered, answer) = channel();
        let port = Arc::clone(port);
        let stop = move || drop(answered.send(stop(&*port, id)));
        // if no thread can be started, the sender is dropped, and nobody waits for it
        let _ = thread::Builder::new().name("stop".into()).spawn(stop);
        let since = Instant::now();
        Stopping { since, answer }
    }

    /// A port that is gone, disconnects or answers too late says nothing about the recording: its stream does.
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
    ask(
        &mut *port.connect()?,
        &PortCommand::Stop(id),
        CONNECT_TIMEOUT,
    )
    .map(drop)
}

/// The names of all methods used so far, from an empty recording next to the main one: every recording ends with
/// them. A process that is killed sends none at the end.
#[derive(Debug)]
pub(crate) struct EarlyNames {
    streams: Receiver<Vec<u8>>,
    newest: Option<Arc<[u8]>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameSchedule {
    pub delay: Duration,
    pub is_repeated: bool,
}

const MIN_NAMES_INTERVAL: Duration = Duration::from_secs(2);
const MAX_NAMES_INTERVAL: Duration = Duration::from_secs(60);

impl EarlyNames {
    pub(crate) fn ask(port: &Arc<dyn Port>, asking: NameSchedule) -> EarlyNames {
        let (sender, streams) = channel();
        let port = Arc::clone(port);
        let work = move || {
            thread::sleep(asking.delay);
            let mut pause = MIN_NAMES_INTERVAL;
            // until no one needs the answer
            while sender.send(early_stream(&port)).is_ok() && asking.is_repeated {
                thread::sleep(pause);
                pause = (2 * pause).min(MAX_NAMES_INTERVAL);
            }
        };
        // without a thread there are none
        let _ = thread::Builder::new().name("names".into()).spawn(work);
        let newest = None;
        EarlyNames { streams, newest }
    }

    pub(crate) fn newer(&mut self) -> Option<Arc<[u8]>> {
        let streams = self.streams.try_iter();
        let newest = streams.filter(|stream| !stream.is_empty()).last()?;
        self.newest = Some(newest.into());
        self.newest.clone()
    }

    /// The newest stream with names; empty if there is none, or if `gives_up` says that nobody waits any longer.
    pub(crate) fn stream(mut self, gives_up: impl Fn() -> bool) -> Arc<[u8]> {
        let known = self.newer().or(self.newest);
        let until = Instant::now() + CONNECT_TIMEOUT;
        let wait = || loop {
            match self.streams.recv_timeout(WATCH_INTERVAL) {
                Err(RecvTimeoutError::Timeout) if Instant::now() < until && !gives_up() => {}
                stream => return stream.unwrap_or_default().into(),
            }
        };
        known.unwrap_or_else(wait)
    }
}

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
        // however it ends, any names are useful
        let _ = session.copy(&mut stream, |_| Control::Stop);
    }
    stream.0
}

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
