//! Messages of the protocol as lines on standard input and output.
//!
//! The SDK's transport ignores lines that are too long or not JSON, and their sender would wait forever. If a client
//! does not read its answers, its requests are not read either.

use crate::mcp::messages;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::future::{Future, ready};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tokio::sync::mpsc;

/// The maximum length of a line: requests contain little more than some names.
const MAX_LINE_BYTES: usize = 1 << 20;
/// The maximum number of queued messages; more wait in the pipe.
const MAX_QUEUED: usize = 16;
/// The maximum number of unwritten answers; requests wait until there are fewer.
const MAX_UNWRITTEN: usize = 16;

const NOT_JSON: i32 = -32700;
const NOT_A_MESSAGE: i32 = -32600;

type WireMessage = RxJsonRpcMessage<RoleServer>;

pub(super) struct Wire {
    /// `None` is the end.
    incoming: mpsc::Receiver<Option<WireMessage>>,
    outgoing: Outgoing,
}

type Outgoing = SyncSender<Option<String>>;

impl Wire {
    /// The function waits until everything is written.
    pub(super) fn standard() -> (Wire, impl FnOnce()) {
        let (pass_on, incoming) = mpsc::channel(MAX_QUEUED);
        let (outgoing, lines) = sync_channel(MAX_UNWRITTEN);
        let (errors, closed) = (outgoing.clone(), pass_on.clone());
        // only a line or the end of input wakes it, so nobody joins it
        std::thread::spawn(move || read(BufReader::new(io::stdin()), &pass_on, &errors));
        let thread = std::thread::spawn(move || {
            if write(io::stdout(), lines).is_err() {
                let _ = closed.blocking_send(None);
            }
        });
        let last = outgoing.clone();
        let finish = move || {
            let _ = last.send(None);
            let _ = thread.join();
        };
        (Wire { incoming, outgoing }, finish)
    }
}

fn write(mut out: impl Write, lines: Receiver<Option<String>>) -> io::Result<()> {
    while let Ok(Some(line)) = lines.recv() {
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn read(mut input: impl BufRead, pass_on: &mpsc::Sender<Option<WireMessage>>, errors: &Outgoing) {
    let mut line = Vec::new();
    while let Ok(Some(found)) = next_line(&mut input, &mut line) {
        let passed = match found.and_then(|()| message(&line)) {
            Ok(None) => Ok(()),
            Ok(message) => pass_on.blocking_send(message).map_err(drop),
            Err(RefusedMessage { id, code, reason }) => {
                let error =
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": reason}});
                errors.send(Some(error.to_string())).map_err(drop)
            }
        };
        if passed.is_err() {
            return;
        }
    }
    let _ = pass_on.blocking_send(None);
}

#[derive(Debug, PartialEq)]
struct RefusedMessage {
    /// The id of the intended request; null if unknown.
    id: Value,
    code: i32,
    reason: String,
}

/// `None` is the end of input. A line that is too long is skipped and rejected.
fn next_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<Option<Result<(), RefusedMessage>>> {
    line.clear();
    let mut start = input.take(MAX_LINE_BYTES as u64 + 1);
    if start.read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || line.len() <= MAX_LINE_BYTES {
        return Ok(Some(Ok(())));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Err(RefusedMessage {
        id: Value::Null,
        code: NOT_A_MESSAGE,
        reason: messages::line_too_long(&MAX_LINE_BYTES),
    })))
}

/// None if the line is empty, or malformed but not a request, because nobody waits for an answer.
fn message(line: &[u8]) -> Result<Option<WireMessage>, RefusedMessage> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    let value: Option<Value> = serde_json::from_slice(line).ok();
    let member = |name| value.as_ref().and_then(|value| value.get(name));
    let id = match member("id") {
        None if member("method").is_some() => return Ok(None),
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        _ => Value::Null,
    };
    Err(RefusedMessage {
        id,
        code: value.map_or(NOT_JSON, |_| NOT_A_MESSAGE),
        reason: messages::not_a_message(&error),
    })
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let line = serde_json::to_string(&item).map_err(io::Error::other);
        let closed = |_| io::ErrorKind::BrokenPipe.into();
        ready(line.and_then(|line| self.outgoing.send(Some(line)).map_err(closed)))
    }

    async fn receive(&mut self) -> Option<WireMessage> {
        self.incoming.recv().await.flatten()
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
