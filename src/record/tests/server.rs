//! A scripted fake runtime for tests.

use crate::record::port::{Channel, Port};
use crate::record::port_error::PortError;
use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::time::Duration;

/// What a connection to the runtime does.
#[derive(Clone, Debug)]
pub(in crate::record) enum Play {
    /// Answers with these pieces, then hangs up.
    Answers(Vec<Vec<u8>>),
    /// Answers with these pieces, then says nothing.
    Hangs(Vec<Vec<u8>>),
    /// Answers with these pieces, one every 20 ms.
    Trickles(Vec<Vec<u8>>),
    /// Is refused.
    Refuses(io::ErrorKind),
}

/// A runtime whose connections are played in turn.
pub(in crate::record) struct ScriptedRuntime {
    plays: Mutex<Vec<Play>>,
    received: std::sync::Arc<Mutex<Vec<Vec<u8>>>>,
}

impl ScriptedRuntime {
    pub(in crate::record) fn new(mut plays: Vec<Play>) -> ScriptedRuntime {
        plays.reverse();
        ScriptedRuntime {
            plays: Mutex::new(plays),
            received: Default::default(),
        }
    }

    /// The commands that came, as (set, command).
    pub(in crate::record) fn received(&self) -> Vec<(u8, u8)> {
        self.received
            .lock()
            .unwrap()
            .iter()
            .map(|message| (message[16], message[17]))
            .collect()
    }
}

impl Port for ScriptedRuntime {
    fn connect(&self) -> Result<Box<dyn Channel>, PortError> {
        let play = self
            .plays
            .lock()
            .unwrap()
            .pop()
            .unwrap_or(Play::Refuses(io::ErrorKind::ConnectionRefused));
        let (mut pieces, hangs, pause) = match play {
            Play::Answers(pieces) => (pieces, false, Duration::ZERO),
            Play::Hangs(pieces) => (pieces, true, Duration::from_millis(1)),
            Play::Trickles(pieces) => (pieces, true, Duration::from_millis(20)),
            Play::Refuses(kind) => return Err(PortError::from_io(kind.into())),
        };
        pieces.reverse();
        Ok(Box::new(PortWire {
            pieces,
            hangs,
            pause,
            received: std::sync::Arc::clone(&self.received),
        }))
    }
}

struct PortWire {
    /// The last comes first.
    pieces: Vec<Vec<u8>>,
    hangs: bool,
    received: std::sync::Arc<Mutex<Vec<Vec<u8>>>>,
    pause: Duration,
}

impl Channel for PortWire {
    fn set_timeout(&mut self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }
}

impl Read for PortWire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        std::thread::sleep(self.pause);
        let Some(piece) = self.pieces.last_mut() else {
            return if self.hangs {
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                Ok(0)
            };
        };
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        piece.drain(..count);
        if piece.is_empty() {
            self.pieces.pop();
        }
        Ok(count)
    }
}

impl Write for PortWire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.received.lock().unwrap().push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A reply.
pub(in crate::record) fn reply(is_good: bool, payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"DOTNET_IPC_V1\0".to_vec();
    bytes.extend((20 + payload.len() as u16).to_le_bytes());
    bytes.extend([0xff, if is_good { 0 } else { 0xff }, 0, 0]);
    bytes.extend(payload);
    bytes
}

/// The reply that refuses with a code.
pub(in crate::record) fn refusal(code: u32) -> Vec<u8> {
    reply(false, &code.to_le_bytes())
}
