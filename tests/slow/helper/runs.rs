//! Command lines, files that are not snapshots, JSON output files, and misbehaving libraries.

use super::{Bench, assert_fails, small};
use crate::common::dottrace::{Outcome, Script, run};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks};
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn a_file_that_is_not_a_snapshot() {
    let bench = present!(Bench::new());
    for (name, bytes, words) in [
        ("a.dtp", &b"{\"x\":1}"[..], "looks like JSON"),
        (
            "a.dtp",
            b"PK\x03\x04....",
            "looks like a zip archive; give the .dtp",
        ),
        (
            "a.dtp",
            b"Nettrace\x14\0",
            "looks like a recording of dotnet-trace",
        ),
        ("a.dtp", b"", "a.dtp is empty"),
        ("a.dtp", b"MFDTP", "the bytes 4D 46 44 54 50 were found"),
        (
            "h.DTP.State",
            b"any",
            "is a part of a snapshot; give its index, h.DTP",
        ),
        (
            "i.dtp",
            b"MFDTPF\n",
            "the sections i.dtp.0000… are missing beside",
        ),
    ] {
        fs::write(bench.path(name), bytes).unwrap();
        let outcome = run(&mut bench.command("rider", &bench.path(name)));
        assert_fails(&outcome, "input", &[words]);
    }
    for (name, words) in [
        ("no.dtp", "there is no file"),
        ("rider", "is a folder; give the .dtp file in it"),
    ] {
        let outcome = run(&mut bench.command("rider", &bench.path(name)));
        assert_fails(&outcome, "input", &[name, words]);
    }
    let refused = small().at("OpenSnapshot", 1, "throw", "No.");
    let index = bench.save(&refused);
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("MFDTPF", "MFDTEM")).unwrap();
    let outcome = run(&mut bench.command("rider", &index));
    assert_fails(&outcome, "layout", &["can't open the timeline snapshot"]);
}

#[test]
fn command_lines() {
    let bench = present!(Bench::new());
    let helper = |line: &str| run(bench.mono.helper_command().args(line.split_whitespace()));
    for (line, words) in [
        ("", "names no snapshot"),
        ("a.dtp b.dtp", "names two snapshots, a.dtp and b.dtp"),
        ("a.dtp --verbose", "the option --verbose is unknown"),
        ("a.dtp --output", "the option --output needs a value"),
        (
            "a.dtp --max-depth -3",
            "--max-depth needs a number above 0, not -3",
        ),
    ] {
        assert_fails(&helper(line), "input", &[words]);
    }
    let help = super::stdout_of(helper("--help"));
    let options =
        "--dottrace-dir --output --probe --max-depth --max-nodes --version JETBRAINS_PROFILER_PATH";
    assert_contains_all(help, &options.split(' ').collect::<Vec<_>>());
    let version = super::stdout_of(helper("--version"));
    assert_eq!(
        version,
        format!("dotspot-dtp {}\n", env!("CARGO_PKG_VERSION"))
    );
    fs::create_dir(bench.path("Ünï çödé")).unwrap();
    small().save(&bench.path("Ünï çödé"), "snäp shot.dtp");
    let mut command = bench.mono.helper_command();
    command.current_dir(bench.folder.path());
    command.args(["Ünï çödé/snäp shot.dtp", "--dottrace-dir", "rider"]);
    assert_contains(
        super::stdout_of(run(&mut command)),
        r#""source":"Ünï çödé/snäp shot.dtp""#,
    );
}

/// A tree whose JSON has several megabytes.
fn large() -> Script {
    let thread = Script::new(1000).thread("T", [1, 0, 1]);
    thread.chain(2, [1, 0, 1], "X", "Down", 50_000)
}

/// An output file is replaced by the complete JSON or not at all.
#[cfg(unix)]
#[test]
fn the_output_file() {
    let bench = present!(Bench::new());
    let json = bench.json(&small());
    fs::create_dir(bench.path("out")).unwrap();
    let (index, out) = (bench.path("s.dtp"), bench.path("out/tree.json"));
    fs::write(&out, "old").unwrap();
    let outcome = run(bench.command("rider", &index).arg("--output").arg(&out));
    assert_eq!(
        (super::stdout_of(outcome), fs::read_to_string(&out).unwrap()),
        (String::new(), json)
    );
    // file size is limited in units of 512 bytes; without the trap the signal would kill the helper
    bench.save(&large());
    fs::write(&out, "old").unwrap();
    let mut shell = Command::new("sh");
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
    assert_eq!(fs::read_to_string(&out).unwrap(), "old");
    assert_eq!(fs::read_dir(bench.path("out")).unwrap().count(), 1);
    for (out, words) in [
        (
            "no/such/folder.json",
            "no/such/folder.json can't be written",
        ),
        ("rider", "rider is no file that can be replaced"),
    ] {
        let outcome = run(bench
            .command("rider", &index)
            .arg("--output")
            .arg(bench.path(out)));
        assert_fails(&outcome, "output", &[words]);
    }
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let child = bench
        .command("rider", &index)
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    let outcome = Outcome {
        code: output.status.code(),
        stdout: Vec::new(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert_fails(
        &outcome,
        "output",
        &["standard output can't be written", "check the free space"],
    );
}

/// A closed pipe is not a failure.
#[test]
fn a_closed_pipe_ends_quietly() {
    let bench = present!(Bench::new());
    let index = bench.save(&large());
    let mut command = bench.command("rider", &index);
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

#[test]
fn misbehaving_libraries() {
    let bench = present!(Bench::new());
    // dotspot recognizes a killed helper by its signal
    let mut killed = bench.command("rider", &bench.save(&small().at("Info", 2, "kill", "")));
    let killed = run(killed.arg("--output").arg(bench.path("out.json")));
    assert!(killed.code.is_none() && !bench.path("out.json").exists());
    assert_lacks(killed.stderr, r#"{"error""#);
    // leftover threads don't keep the helper alive, and library output does not mix with the JSON
    bench.json(&small().at("OpenSnapshot", 1, "thread", ""));
    let printing = bench.decode(&small().at("Info", 2, "print", "a word of the library"));
    assert_contains(&printing.stderr, "a word of the library");
    assert_lacks(super::stdout_of(printing), "a word");
    let tree_ends = bench.json(&small().at("Terminate", 1, "throw", "no"));
    assert!(tree_ends.ends_with('}'));
    // the error is the last line, on a line of its own; the lifetime also ends after failures
    let script = small()
        .at("Info", 1, "write", "no line break")
        .at("Info", 2, "throw", &"long ".repeat(5000))
        .at("Terminate", 1, "write", "nor here");
    let outcome = bench.decode(&script);
    let message = assert_fails(&outcome, "walk", &["Info of a node failed", "may read on"]);
    assert_eq!(message.chars().count(), 2000, "a long message is truncated");
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines[..2], ["no line breaklifetime terminated", "nor here"]);
    assert_eq!(lines.len(), 3);
}
