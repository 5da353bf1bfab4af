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
/// A stopped recording that sends nothing for this long has failed.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// A stopped recording may take this long to end, even if data keeps coming.
const STOP_TIMEOUT: Duration = Duration::from_secs(120);
/// .NET Core 3.1 sometimes crashes if a recording is stopped earlier.
const MIN_RECORDING_TIME: Duration = Duration::from_millis(200);
/// How long the end of the stream may take after its last byte.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
const CHUNK_BYTES: usize = 64 << 10;
const MAX_NAMES_BYTES: u64 = 64 << 20;
const MAX_DAMAGED_BYTES: u64 = 64 << 20;
const DUMMY_PROVIDER: &str = "dotspot-names";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Continue,
    Stop,
    /// End at once; whatever the runtime still has is lost.
    GiveUp,
}

#[derive(Debug)]
pub(crate) enum SessionEnd {
    Complete,
    /// The process ended unexpectedly.
    CutOff,
    GivenUp,
    Stuck,
    StopFailed(PortError),
    /// After this many bytes.
    Damaged(u64),
    WriteFailed(io::Error),
    ReadFailed(io::Error),
}

pub(crate) struct Session {
    port: Arc<dyn Port>,
    channel: Box<dyn Channel>,
    id: u64,
    pub tally: Tally,
    pub bytes: u64,
    started: Instant,
    pub(super) stop_timeout: Duration,
}

impl Session {
    pub(crate) fn start(
        port: Arc<dyn Port>,
        request: &RecordingRequest,
    ) -> Result<Session, PortError> {
        let mut channel = port.connect()?;
        let command = PortCommand::Collect(request);
        let reply = ask(&mut *channel, &command, CONNECT_TIMEOUT)?;
        let id = reply.try_into().map(u64::from_le_bytes);
        let id = id.map_err(|_| PortError::Garbled(messages::SESSION_ID))?;
        Ok(Session {
            port,
            channel,
            id,
            tally: Tally::default(),
            bytes: 0,
            started: Instant::now(),
            stop_timeout: STOP_TIMEOUT,
        })
    }

    /// Copies the stream to `out` until it ends. `watch` is called at least every 100 ms. Once stopping, the recording
    /// can only be given up.
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
            let damaged = self.bytes - self.tally.blocks.complete_bytes;
            if self.tally.blocks.is_damaged && damaged > MAX_DAMAGED_BYTES {
                return self.ended();
            }
            if let Some(stopping) = &mut stopping {
                if let Some(port_error) = stopping.failed() {
                    return SessionEnd::StopFailed(port_error);
                }
                if last_byte.elapsed() > SILENCE_TIMEOUT
                    || stopping.since.elapsed() > self.stop_timeout
                {
                    return SessionEnd::Stuck;
                }
            }
        }
    }

    fn ended(&self) -> SessionEnd {
        match (self.tally.blocks.is_whole, self.tally.blocks.is_damaged) {
            (true, _) => SessionEnd::Complete,
            (false, true) => SessionEnd::Damaged(self.tally.blocks.complete_bytes),
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
    let command = PortCommand::Stop(id);
    ask(&mut *port.connect()?, &command, CONNECT_TIMEOUT).map(drop)
}

/// The names of all methods used so far. Runtimes send them at the end of every recording, which a killed process
/// never reaches; so another recording, of nothing else, is started and stopped early.
pub(crate) struct EarlyNames {
    streams: Receiver<Vec<u8>>,
    newest: Option<Arc<[u8]>>,
}

const MIN_NAMES_INTERVAL: Duration = Duration::from_secs(2);
const MAX_NAMES_INTERVAL: Duration = Duration::from_secs(60);

impl EarlyNames {
    pub(crate) fn request(port: &Arc<dyn Port>, delay: Duration, is_repeated: bool) -> EarlyNames {
        let (sender, streams) = channel();
        let port = Arc::clone(port);
        let work = move || {
            thread::sleep(delay);
            let mut pause = MIN_NAMES_INTERVAL;
            while sender.send(early_stream(&port)).is_ok() && is_repeated {
                thread::sleep(pause);
                pause = (2 * pause).min(MAX_NAMES_INTERVAL);
            }
        };
        let _ = thread::Builder::new().name("names".into()).spawn(work);
        EarlyNames {
            streams,
            newest: None,
        }
    }

    pub(crate) fn newer(&mut self) -> Option<Arc<[u8]>> {
        let streams = self.streams.try_iter();
        let newest = streams.filter(|stream| !stream.is_empty()).last()?;
        self.newest = Some(newest.into());
        self.newest.clone()
    }

    /// The newest stream with names; empty if there is none, or if `gives_up` says that nobody waits any longer.
    pub(crate) fn stream(mut self, gives_up: impl Fn() -> bool) -> Arc<[u8]> {
        let newest = self.newer().or(self.newest);
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        let wait = || loop {
            match self.streams.recv_timeout(WATCH_INTERVAL) {
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline && !gives_up() => {}
                stream => return stream.unwrap_or_default().into(),
            }
        };
        newest.unwrap_or_else(wait)
    }
}

fn early_stream(port: &Arc<dyn Port>) -> Vec<u8> {
    let dummy = RecordedProvider {
        name: DUMMY_PROVIDER.into(),
        keywords: 0,
        level: 4,
        arguments: String::new(),
    };
    let request = RecordingRequest {
        providers: vec![dummy],
        buffer_mb: 16,
    };
    let mut stream = Vec::new();
    if let Ok(mut session) = Session::start(Arc::clone(port), &request) {
        let _ = session.copy(&mut stream, |session| {
            match session.bytes < MAX_NAMES_BYTES {
                true => Control::Stop,
                false => Control::GiveUp,
            }
        });
    }
    stream
}
