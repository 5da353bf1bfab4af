//! A running server and its messages.

use super::text_of;
use crate::common::text::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub struct Session {
    pub child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Session {
    /// Starts a server on these folders without initializing it.
    pub fn start(arguments: &[&str]) -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dotspot"))
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (say, lines) = channel();
        std::thread::spawn(move || {
            BufReader::new(output)
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| say.send(line))
        });
        Session {
            child,
            input,
            lines,
        }
    }

    /// Starts a server that is ready for requests.
    pub fn ready(arguments: &[&str]) -> Session {
        let mut session = Session::start(arguments);
        session.send(&initialize(0, "2025-06-18"));
        assert_eq!(session.next()["id"], 0);
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Writes a line; ignores that the server may have ended.
    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        let _ = input
            .write_all(line.as_bytes())
            .and_then(|()| input.write_all(b"\n"));
    }

    /// The next message.
    #[track_caller]
    pub fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a message");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Whether no message arrives for a while.
    pub fn is_silent(&self, a_while: Duration) -> bool {
        self.lines.recv_timeout(a_while) == Err(RecvTimeoutError::Timeout)
    }

    /// Sends a request and returns the next message.
    #[track_caller]
    pub fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns its result.
    #[track_caller]
    pub fn call(&mut self, id: u64, tool: &str, arguments: Value) -> Value {
        self.ask(
            id,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        )
    }

    /// Calls tools, one per row: the tool, its arguments, ` => ` or, for an error, ` =! `, and parts of the answer, separated by ` | `;
    /// after `- ` are words that must not occur. Returns the last answer.
    #[track_caller]
    pub fn check_calls(&mut self, table: &str) -> String {
        let mut last = String::new();
        for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
            let (question, words) = row.split_once(" =").expect("an answer");
            let (tool, arguments) = question.split_once(' ').expect("arguments");
            let arguments = serde_json::from_str(arguments).expect(row);
            let (text, is_error) = text_of(&self.call(1, tool, arguments));
            assert_eq!(is_error, words.starts_with('!'), "{row}: {text}");
            for word in words[1..].split(" | ").map(str::trim) {
                match word.strip_prefix("- ") {
                    Some(absent) => assert_lacks(&text, absent),
                    None => assert_contains(&text, word),
                }
            }
            last = text;
        }
        last
    }

    /// Closes the input; returns the exit code and the remaining messages.
    #[track_caller]
    pub fn end(mut self) -> (i32, Vec<Value>) {
        self.input = None;
        let rest = self
            .lines
            .iter()
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        (self.child.wait().unwrap().code().expect("no signal"), rest)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client's first message.
pub fn initialize(id: u64, version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params})
}
