//! Memory used by the MCP server.
#![cfg(all(feature = "mcp", target_os = "linux"))]

use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The server's limit of concurrent requests.
const MAX_REQUESTS: u64 = 64;
/// An answer exists as a value, as its text and as the output line.
const COPIES: u64 = 3;
/// Each request has a thread, whose heap grows in steps of 128 kB; its stack takes no more than that.
const THREADS_KB: u64 = MAX_REQUESTS * 2 * 128;

/// The peak memory of a process.
fn peak_memory_kb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

/// A client that never reads answers: once enough answers wait in memory, further requests wait in the pipe.
#[test]
fn unread_answers_do_not_pile_up_in_memory() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dotspot"))
        .env("DOTSPOT_CONFIG", "")
        .args(["mcp", "snapshots"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(output).lines();
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let begin = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        list.clone(),
    ];
    begin
        .iter()
        .for_each(|line| writeln!(input, "{line}").unwrap());
    // the second response lists the tools
    let bytes = answers.nth(1).unwrap().unwrap().len() as u64;
    let before = peak_memory_kb(child.id());
    let requests = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&requests);
    let requester = std::thread::spawn(move || {
        while writeln!(input, "{list}").is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut last = u64::MAX;
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = requests.load(Ordering::Relaxed);
        if now == last || now > 20_000 {
            break;
        }
        last = now;
    }
    let max_kb = before + MAX_REQUESTS * COPIES * bytes / 1024 + THREADS_KB;
    let found = peak_memory_kb(child.id());
    assert!(
        found < max_kb,
        "{found} kB, limit {max_kb}, initially {before}; an answer has {bytes} bytes"
    );
    drop(answers);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    requester.join().unwrap();
}
