//! The messages of the diagnostic port, one command and its reply per connection. Source: `ipc-protocol.md` in
//! dotnet/diagnostics, and the answers of actual runtimes. Little-endian.

use super::port::{Channel, Port};
use super::port_error::{PortError, UNKNOWN_COMMAND};
use crate::input::cursor::{Cursor, push_utf16};
use crate::record::messages;
use std::io;
use std::time::{Duration, Instant};

const MAGIC: &[u8; 14] = b"DOTNET_IPC_V1\0";
/// The magic, the size of the whole message, a command set, a command and two reserved bytes.
const HEADER_BYTES: usize = 20;
const SERVER: u8 = 0xff;
const SUCCESS_CODE: u8 = 0x00;
const FAILED: u8 = 0xff;
/// The recording format since .NET Core 3.0.
const NETTRACE: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedProvider {
    pub name: String,
    pub keywords: u64,
    pub level: u32,
    /// Such as `FilterAndPayloadSpecs="…"`; usually empty.
    pub arguments: String,
}

/// Of a program, in characters.
const MAX_NAME: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordingRequest {
    pub providers: Vec<RecordedProvider>,
    pub buffer_mb: u32,
}

pub(crate) fn is_sdk(entry: &str) -> bool {
    ["dotnet", "MSBuild", "VBCSCompiler", "vstest.console"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(entry))
}

#[derive(Clone, Debug)]
pub(crate) enum PortCommand<'a> {
    Collect(&'a RecordingRequest),
    Stop(u64),
    ProcessInfo {
        /// ProcessInfo2, since .NET 7.
        is_second: bool,
    },
    Resume,
    SetEnvironment {
        name: &'a str,
        value: Option<&'a str>,
    },
}

impl PortCommand<'_> {
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut payload = Vec::new();
        let (set, command) = match self {
            PortCommand::Stop(id) => {
                payload.extend(id.to_le_bytes());
                (2, 1)
            }
            PortCommand::Collect(request) => {
                let requests_rundown = 1;
                payload.extend(request.buffer_mb.to_le_bytes());
                payload.extend(NETTRACE.to_le_bytes());
                payload.push(requests_rundown);
                payload.extend((request.providers.len() as u32).to_le_bytes());
                for provider in &request.providers {
                    let arguments = Some(provider.arguments.as_str());
                    payload.extend(provider.keywords.to_le_bytes());
                    payload.extend(provider.level.to_le_bytes());
                    push_text(&mut payload, Some(&provider.name));
                    push_text(&mut payload, arguments.filter(|text| !text.is_empty()));
                }
                (2, 3)
            }
            PortCommand::ProcessInfo { is_second: false } => (4, 0),
            PortCommand::ProcessInfo { is_second: true } => (4, 4),
            PortCommand::Resume => (4, 1),
            PortCommand::SetEnvironment { name, value } => {
                push_text(&mut payload, Some(name));
                push_text(&mut payload, *value);
                (4, 3)
            }
        };
        let size = u16::try_from(HEADER_BYTES + payload.len());
        let too_many =
            |_| io::Error::new(io::ErrorKind::InvalidInput, messages::TOO_MANY_PROVIDERS);
        let size = size.map_err(too_many)?.to_le_bytes();
        Ok([&MAGIC[..], &size, &[set, command, 0, 0], &payload].concat())
    }
}

/// Strings are UTF-16 and end with a zero, which is counted; a missing one has length 0.
fn push_text(payload: &mut Vec<u8>, text: Option<&str>) {
    let units = text.map(|text| text.encode_utf16().chain([0]).collect::<Vec<u16>>());
    let units = units.unwrap_or_default();
    payload.extend((units.len() as u32).to_le_bytes());
    payload.extend(units.into_iter().flat_map(u16::to_le_bytes));
}

/// Returns the payload of the reply.
pub(crate) fn ask(
    channel: &mut dyn Channel,
    command: &PortCommand,
    timeout: Duration,
) -> Result<Vec<u8>, PortError> {
    let deadline = Instant::now() + timeout;
    // in one write: a runtime with half of a message waits for the rest, and serves nobody in the meantime
    let mut write = || {
        channel.set_timeout(Some(timeout))?;
        channel.write_all(&command.bytes()?)
    };
    write().map_err(PortError::from_io)?;
    let mut header = [0; HEADER_BYTES];
    read_exact_until(channel, &mut header, deadline)?;
    if header[..MAGIC.len()] != *MAGIC {
        return Err(PortError::Garbled(messages::MESSAGE));
    }
    let size = usize::from(u16::from_le_bytes([header[14], header[15]]));
    let payload_bytes = size.checked_sub(HEADER_BYTES);
    let payload_bytes = payload_bytes.ok_or(PortError::Garbled(messages::MESSAGE))?;
    let mut payload = vec![0; payload_bytes];
    read_exact_until(channel, &mut payload, deadline)?;
    match (header[16], header[17]) {
        (SERVER, SUCCESS_CODE) => Ok(payload),
        (SERVER, FAILED) => match Cursor::new(&payload).u32() {
            Some(code) => Err(PortError::Refused(code)),
            None => Err(PortError::Garbled(messages::ERROR_CODE)),
        },
        _ => Err(PortError::Garbled(messages::REPLY)),
    }
}

/// A timeout of the channel alone would let slow bytes take forever.
fn read_exact_until(
    channel: &mut dyn Channel,
    mut buffer: &mut [u8],
    deadline: Instant,
) -> Result<(), PortError> {
    while !buffer.is_empty() {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(PortError::Silent);
        }
        channel
            .set_timeout(Some(remaining))
            .map_err(PortError::from_io)?;
        match channel.read(buffer) {
            Ok(0) => return Err(PortError::HungUp),
            Ok(count) => buffer = &mut buffer[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(PortError::from_io(error)),
        }
    }
    Ok(())
}

#[derive(Clone, Debug)]
pub(crate) struct ProcessInfo {
    /// Executable, assembly and arguments, as far as they are known: at startup only the executable.
    pub command_line: String,
    /// The name of the assembly with `Main`, since .NET 7.
    pub entry: Option<String>,
    pub runtime: Option<String>,
}

impl ProcessInfo {
    pub(super) fn is_sdk(&self) -> bool {
        self.entry.as_deref().is_some_and(is_sdk)
    }

    /// Skips anything that newer runtimes append.
    pub(crate) fn parse(payload: &[u8], is_second: bool) -> Result<ProcessInfo, PortError> {
        let mut cursor = Cursor::new(payload);
        let mut parse = || {
            let _pid_and_cookie = cursor.take(8 + 16)?;
            let command_line = read_text(&mut cursor)?;
            let _system = read_text(&mut cursor)?;
            let _architecture = read_text(&mut cursor)?;
            let (mut entry, mut runtime) = (None, None);
            if is_second {
                let name = read_text(&mut cursor)?.chars().take(MAX_NAME).collect();
                entry = Some(name).filter(|name: &String| !name.is_empty());
                runtime = Some(read_text(&mut cursor)?).filter(|version| !version.is_empty());
            }
            Some(ProcessInfo {
                command_line,
                entry,
                runtime,
            })
        };
        parse().ok_or(PortError::Garbled(messages::PROCESS_INFO))
    }
}

/// `None` for .NET Core 3, which doesn't know this command.
pub(crate) fn identify(
    port: &dyn Port,
    timeout: Duration,
) -> Result<Option<ProcessInfo>, PortError> {
    for is_second in [true, false] {
        let command = PortCommand::ProcessInfo { is_second };
        match ask(&mut *port.connect()?, &command, timeout) {
            Err(PortError::Refused(UNKNOWN_COMMAND)) => {}
            reply => return ProcessInfo::parse(&reply?, is_second).map(Some),
        }
    }
    Ok(None)
}

fn read_text(cursor: &mut Cursor) -> Option<String> {
    let units = cursor.u32()? as usize;
    let bytes = cursor.take(units.checked_mul(2)?)?;
    let mut text = String::new();
    push_utf16(&mut text, Cursor::new(bytes).utf16z().unwrap_or(bytes));
    Some(text)
}

#[cfg(test)]
mod tests;
