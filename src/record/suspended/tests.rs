//! This test program plays the launched programs itself.

use super::*;
use crate::record::message::identify;
use crate::record::port::CONNECT_TIMEOUT;
use crate::record::port::tests::serve;
use crate::record::tests::info;
use crate::record::tests::server::reply;
use std::ffi::OsString;
use std::os::windows::process::ExitStatusExt as _;
use std::process::ExitStatus;

/// The file in which a played program reports its progress.
const PROGRESS_FILE: &str = "DOTSPOT_TEST_PROGRESS";

/// Starts one of the tests below, through a shell.
fn play(test: &str) -> ProcessGroup {
    let exe = std::env::current_exe().unwrap();
    let name = format!("record::suspended::tests::{test}");
    let words = ["/c".into(), exe.into_os_string(), name.into()];
    let more = ["--exact", "--ignored"].map(OsString::from);
    let command: Vec<OsString> = [OsString::from("cmd")]
        .into_iter()
        .chain(words)
        .chain(more)
        .collect();
    ProcessGroup::spawn(&command, (VARIABLE, "1"), true, None).unwrap()
}

fn exit_code(group: &mut ProcessGroup) -> u8 {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(ended) = group.try_wait().unwrap() {
            return ended.exit_code();
        }
        assert!(Instant::now() < until, "it does not end");
        thread::sleep(POLL_INTERVAL);
    }
}

#[test]
#[ignore = "played for the next one"]
fn plays_a_runtime_that_waits() {
    let good = || vec![reply(true, &[])];
    let pipe = pipe_of(std::process::id());
    let received = serve(&pipe, vec![vec![info("Shop")], good(), good()]);
    let commands: Vec<(u8, u8)> = received
        .iter()
        .map(|message| (message[16], message[17]))
        .collect();
    // process information, the variable, resume
    let is_right = commands == [(4, 4), (4, 3), (4, 1)];
    std::process::exit(if is_right { 7 } else { 8 });
}

#[test]
fn a_runtime_started_by_a_shell_waits_and_is_resumed() {
    let mut port = StartPort::open(None).unwrap();
    assert!(
        port.suspended(POLL_INTERVAL).is_none(),
        "no program was started"
    );
    let mut group = play("plays_a_runtime_that_waits");
    port.wait_for(group.id());
    let until = Instant::now() + Duration::from_secs(60);
    let suspended = loop {
        if let Some(suspended) = port.suspended(POLL_INTERVAL) {
            break suspended;
        }
        assert!(Instant::now() < until, "it is not found");
        assert!(group.try_wait().unwrap().is_none(), "it waits");
    };
    assert_ne!(suspended.pid, u64::from(group.id()));
    assert_eq!(
        suspended.info.as_ref().unwrap().entry.as_deref(),
        Some("Shop")
    );
    suspended.restore_environment().unwrap();
    suspended.resume().unwrap();
    drop(suspended);
    assert_eq!(exit_code(&mut group), 7);
    let mut dotspot = Command::new("there is no such program");
    assert!(
        !port.hand_over(&group, &mut dotspot).unwrap(),
        "all has ended"
    );
}

#[test]
#[ignore = "played for the next one"]
fn plays_a_program_that_runs_for_long() {
    std::fs::write(std::env::var_os(PROGRESS_FILE).unwrap(), "ready").unwrap();
    thread::sleep(Duration::from_secs(60));
}

#[test]
fn programs_are_asked_to_exit() {
    let folder = tempfile::tempdir().unwrap();
    let progress = folder.path().join("progress");
    let exe = std::env::current_exe().unwrap().into_os_string();
    let test = "record::suspended::tests::plays_a_program_that_runs_for_long";
    let words = ["--exact", "--ignored", test].map(OsString::from);
    let command: Vec<OsString> = std::iter::once(exe).chain(words).collect();
    let variable = (PROGRESS_FILE, progress.to_str().unwrap());
    let mut group = ProcessGroup::spawn(&command, variable, true, None).unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while !progress.exists() && Instant::now() < until {
        thread::sleep(POLL_INTERVAL);
    }
    // it handles nothing, so the system ends it on ctrl-c
    match group.terminate() {
        Ok(()) => assert_eq!(exit_code(&mut group), 130),
        Err(error) => {
            println!("SKIPPED: this system sends no ctrl-break: {error}");
            group.signal(2);
            assert_eq!(exit_code(&mut group), 1, "it is ended");
        }
    }
}

#[test]
fn a_program_ended_by_ctrl_c_has_the_exit_code_of_shells() {
    let code = |raw| EndedProcess(ExitStatus::from_raw(raw)).exit_code();
    assert_eq!([code(0), code(7), code(256)], [0, 7, 255]);
    assert_eq!(code(0xC000_013A), 130);
}

#[test]
fn processes_other_than_runtimes_are_not_examined_for_long() {
    let since = Instant::now();
    let pipe = Pipe {
        missing_attempts: 1,
        ..pipe_of(std::process::id())
    };
    assert!(identify(&pipe, CONNECT_TIMEOUT).is_err());
    assert!(since.elapsed() < Duration::from_millis(100));
}
