//! Other processes that tests start and observe.
#![allow(dead_code, reason = "each of its users needs a part of it")]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Writes an executable script. Another process writes it: a file that this process has open for writing, while another
/// test starts a program, can't be run for a moment.
pub fn write_program(path: &Path, text: &str) {
    let mut shell = Command::new("/bin/sh");
    shell
        .args([
            "-c",
            "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"",
            "sh",
        ])
        .arg(path)
        .arg(text);
    assert!(shell.status().unwrap().success());
}

pub fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Waits for something that is certain to happen.
#[track_caller]
pub fn wait(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what}: timed out");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn state(pid: &str) -> Vec<u8> {
    let mut ps = Command::new("ps");
    ps.args(["-o", "stat=", "-p", pid]).output().unwrap().stdout
}

/// Whether a process exists and is not a zombie.
pub fn is_alive(pid: &str) -> bool {
    let state = state(pid);
    !state.is_empty() && !state.starts_with(b"Z")
}

pub fn is_stopped(pid: u32) -> bool {
    state(&pid.to_string()).starts_with(b"T")
}

/// Sends a signal by its short name.
pub fn send(signal: &str, pid: u32) {
    let mut kill = Command::new("kill");
    let status = kill.args(["-s", signal, &pid.to_string()]).status();
    assert!(status.unwrap().success());
}
