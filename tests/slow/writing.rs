//! How the real program writes files and folders: existing files, paths that it must not touch, and leftovers after it is
//! killed.

#![cfg(unix)]

use crate::common::processes::{make_pipe, send, wait};
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn dotspot(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    dotspot(arguments, folder).output().unwrap()
}

#[track_caller]
fn check(arguments: &[&str], folder: &Path, code: i32, words: &str) {
    let output = run(arguments, folder);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(error.contains(words), "{words:?} is not in: {error}");
}

/// A folder with a small profile.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.folded"), "main;Run 3\nmain;Stop 1\n").unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// 30,000 stacks of 10 frames each, which take long enough to write for a signal to arrive.
fn large_profile() -> String {
    (0..30_000).fold(String::new(), |all, row| {
        all + &format!("main;a{row};b;c;d;e;f;g;h;i 1\n")
    })
}

#[test]
fn a_signal_removes_a_partially_written_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.folded"), large_profile()).unwrap();
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let mut child = dotspot(&["convert", "a.folded", "-o", "b.json"], folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait("a temporary file", || {
            names(folder.path())
                .iter()
                .any(|name| name.ends_with(".tmp"))
        });
        send(signal, child.id());
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{signal}: {status}");
        assert_eq!(names(folder.path()), ["a.folded"], "{signal}");
    }
}

#[test]
fn the_input_file_is_never_overwritten() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    symlink("a.folded", path("link.folded")).unwrap();
    symlink("link.folded", path("link.json")).unwrap();
    fs::hard_link(path("a.folded"), path("hard.folded")).unwrap();
    let before = fs::read(path("a.folded")).unwrap();
    for name in [
        "a.folded",
        "./a.folded",
        "link.folded",
        "link.json",
        "hard.folded",
    ] {
        for command in ["convert", "export"] {
            check(
                &[command, "a.folded", "-o", name, "--force"],
                folder.path(),
                1,
                "is the input profile",
            );
        }
        // the input under another name
        check(
            &["convert", "link.folded", "-o", name, "--force"],
            folder.path(),
            1,
            "is the input profile",
        );
    }
    assert_eq!(fs::read(path("a.folded")).unwrap(), before);
    check(
        &["convert", "a.folded", "-o", "b.json"],
        folder.path(),
        0,
        "wrote b.json",
    );
    check(
        &["convert", "a.folded", "-o", "b.json"],
        folder.path(),
        1,
        "b.json already exists; choose another file",
    );
    check(
        &["convert", "a.folded", "-o", "b.json", "--force"],
        folder.path(),
        0,
        "wrote b.json",
    );
}

fn convert<'a>(to: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["convert", "a.folded", "--to", "calltree", "-o", to], more].concat()
}

/// No disk device is tried: a mistake would destroy it. It is refused like any other device.
#[test]
fn devices_are_written_when_named_explicitly() {
    let folder = folder();
    check(
        &convert("/dev/null", &[]),
        folder.path(),
        0,
        "wrote /dev/null",
    );
    check(
        &convert("/dev/zero", &[]),
        folder.path(),
        1,
        "/dev/zero is not a regular file; choose another file",
    );
    check(
        &convert("/dev/zero", &["--force"]),
        folder.path(),
        0,
        "wrote /dev/zero",
    );
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    check(
        &convert("socket", &[]),
        folder.path(),
        1,
        "socket is not a regular file",
    );
    check(
        &convert("socket", &["--force"]),
        folder.path(),
        1,
        "socket can't be written",
    );
    // waits for a reader
    make_pipe(&folder.path().join("fifo"));
    let reader = Command::new("cat")
        .arg("fifo")
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    check(&convert("fifo", &[]), folder.path(), 0, "wrote fifo");
    let by_pipe = reader.wait_with_output().unwrap().stdout;
    let by_stdout = run(&convert("/dev/stdout", &[]), folder.path()).stdout;
    assert!(
        by_pipe.starts_with(b"{") && by_pipe == by_stdout,
        "{}",
        String::from_utf8_lossy(&by_stdout)
    );
}
