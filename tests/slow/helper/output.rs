//! Where the JSON goes: whole or not at all.

use super::{Bench, assert_fails, small};
use crate::common::dottrace::{Script, run};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A tree whose JSON has some megabytes.
fn large() -> Script {
    Script::new(1000)
        .thread("T", [1, 0, 1])
        .chain(2, [1, 0, 1], "X", "Down", 50_000)
}

#[test]
fn a_file_is_written_or_replaced() {
    let bench = present!(Bench::new());
    let json = bench.json(&small());
    let (index, folder, out) = (
        bench.path("s.dtp"),
        bench.path("out"),
        bench.path("out/tree.json"),
    );
    fs::create_dir(&folder).unwrap();
    for before in [None, Some("old")] {
        if let Some(text) = before {
            fs::write(&out, text).unwrap();
        }
        let outcome = run(bench.command(&index).arg("--output").arg(&out));
        assert_eq!(
            (outcome.code, outcome.stdout.len()),
            (Some(0), 0),
            "{}",
            outcome.stderr
        );
        assert_eq!(fs::read_to_string(&out).unwrap(), json);
        assert_eq!(files(&folder), ["tree.json"]);
    }
}

/// The size of files is limited for the helper, which it meets as a disk that is full.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_to_its_end() {
    let bench = present!(Bench::new());
    let index = large().save(bench.folder.path(), "s.dtp");
    let (folder, out) = (bench.path("out"), bench.path("out/tree.json"));
    fs::create_dir(&folder).unwrap();
    fs::write(&out, "old").unwrap();
    let mut shell = Command::new("sh");
    // in units of 512 bytes; without the trap the signal would end the helper
    shell
        .args([
            "-c",
            r#"trap "" XFSZ; ulimit -f 2000; exec "$@""#,
            "sh",
            "mono",
        ])
        .arg(bench.mono.helper());
    shell
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(bench.path("rider"))
        .arg("--output")
        .arg(&out);
    assert_fails(
        &run(&mut shell),
        "output",
        &["tree.json can't be written", "check the free space"],
    );
    assert_eq!(
        (files(&folder), fs::read_to_string(&out).unwrap()),
        (vec!["tree.json".to_string()], "old".to_string())
    );
}

#[test]
fn a_place_where_no_file_can_be() {
    let bench = present!(Bench::new());
    let index = small().save(bench.folder.path(), "s.dtp");
    let check = |out: &Path, words: &[&str]| {
        assert_fails(
            &run(bench.command(&index).arg("--output").arg(out)),
            "output",
            words,
        );
    };
    check(
        &bench.path("no/such/folder.json"),
        &["no/such/folder.json can't be written"],
    );
    check(
        &bench.path("rider"),
        &["rider is no file that can be replaced"],
    );
    check(
        Path::new("/dev/full"),
        &[
            "/dev/full is no file that can be replaced",
            "leave --output out",
        ],
    );
    assert_eq!(files(bench.folder.path()), ["rider", "s.dtp", "s.dtp.0000"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output() {
    let bench = present!(Bench::new());
    for script in [small(), large()] {
        let index = script.save(bench.folder.path(), "s.dtp");
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = bench
            .command(&index)
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
            .wait_with_output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let outcome = super::Outcome {
            code: output.status.code(),
            stdout: Vec::new(),
            stderr,
        };
        assert_fails(
            &outcome,
            "output",
            &["standard output can't be written", "check the free space"],
        );
    }
}

/// Whoever has read enough closes the pipe, which is no failure.
#[test]
fn a_closed_pipe_ends_quietly() {
    let bench = present!(Bench::new());
    let index = large().save(bench.folder.path(), "s.dtp");
    let mut command = bench.command(&index);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 9];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    assert_eq!(&head, br#"{"schema""#);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stderr.as_str()),
        (Some(0), "lifetime terminated\n")
    );
}

/// The error is a line of its own, and the last one, whatever the libraries print.
#[test]
fn the_error_line_stands_alone() {
    let bench = present!(Bench::new());
    let script = small()
        .at("Info", 1, "write", "no line break")
        .at("Info", 2, "throw", "no")
        .at("Terminate", 1, "write", "nor here");
    let outcome = bench.decode(&script);
    assert_fails(&outcome, "walk", &[]);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines[..2], ["no line breaklifetime terminated", "nor here"]);
    assert_eq!(lines.len(), 3);
}

/// A library may put a page into its message; what to do stands at the end all the same.
#[test]
fn a_long_message_is_cut() {
    let bench = present!(Bench::new());
    let outcome = bench.decode(&small().at("Info", 2, "throw", &"long ".repeat(5000)));
    let error = assert_fails(&outcome, "walk", &["Info of a node failed", "may read on"]);
    assert_eq!(error.message.chars().count(), 2000);
}
