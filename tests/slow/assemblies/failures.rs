//! Every kind of failure, with its stage, message and exit code.

use super::machine::{BUILDS, Machine, Run, WRITES_TREE, touch};
use crate::common::text::{assert_contains, assert_contains_all};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

#[test]
fn the_helpers_failure_stages_are_passed_on() {
    let stages = [
        ("input", 10),
        ("layout", 11),
        ("decoder", 12),
        ("bind", 15),
        ("metadata", 16),
        ("walk", 17),
        ("output", 18),
    ];
    for (stage, code) in stages {
        let message = format!(
            "echo noise >&2\necho '{{\"error\":{{\"stage\":\"{stage}\",\"message\":\"the cause; the cure\",\"detail\":\"one\\ntwo\"}}}}' >&2\nexit {code}"
        );
        // the shell's echo may turn \n into a line break
        let machine = Machine::with_mono(BUILDS, &message.replace("\\n", "\\\\n"));
        let error = machine.assert_fails(
            &[],
            code,
            &[&format!("snap.dtp: stage {stage}: the cause; the cure")],
        );
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(machine.trees().is_empty());
        machine.assert_fails(&["--verbose"], code, &["  one\n", "  two\n"]);
    }
}

#[test]
fn a_helper_that_breaks_the_contract() {
    for (script, stage, words) in [
        ("kill -9 $$", "launch", "killed by signal 9"),
        (
            "echo Segmentation fault >&2; exit 139",
            "launch",
            "exit code 139: Segmentation fault",
        ),
        (
            "head -c 200000 /dev/urandom >&2; exit 3",
            "launch",
            "exit code 3",
        ),
        ("exit 15", "launch", "said nothing"),
        (
            r#"echo '{"error":{"stage":"lunch","message":"m","detail":""}}' >&2; exit 15"#,
            "launch",
            "exit code 15",
        ),
        (
            r#"echo '{"error":{"stage":"bind","mess' >&2; exit 15"#,
            "launch",
            "exit code 15",
        ),
        ("exit 0", "launch", "wrote no tree"),
        (
            "head -c 700 \"$HERE/tree.json\" > \"$4\"",
            "walk",
            "not a complete tree",
        ),
        (": > \"$4\"", "walk", "not a complete tree"),
    ] {
        let machine = Machine::with_mono(BUILDS, script);
        let code = if stage == "walk" { 17 } else { 14 };
        machine.assert_fails(&[], code, &[&format!("stage {stage}"), words]);
        assert!(machine.trees().is_empty(), "{script}");
    }
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    machine.assert_decodes(&[]);
    machine.script("mono", "sleep 1000");
    touch(&machine.path("snap.dtp"), 5);
    let words = [
        "snap.dtp: stage launch",
        "took longer than 1 s",
        "--decoder-timeout",
    ];
    machine.assert_fails(&["--decoder-timeout", "1"], 14, &words);
}

#[test]
fn a_missing_toolchain_names_what_to_install() {
    let machine = Machine::bare();
    let words = [
        "stage build",
        "neither the .NET SDK nor Mono",
        "install the .NET SDK",
    ];
    let error = machine.assert_fails(&[], 13, &words);
    assert_eq!(error.lines().count(), 1, "{error}");
    machine.assert_fails(
        &["--verbose"],
        13,
        &["has only runtimes, no SDK", "no mcs and no mono in"],
    );
    // a runtime alone can't build anything
    machine.script("mono", "exit 0");
    machine.assert_fails(&["--verbose"], 13, &["no mcs in"]);
}

/// The log file named in a failure message.
fn log_in(error: &str) -> String {
    let log = error.trim_end().rsplit("the log is ").next().unwrap();
    fs::read_to_string(log).unwrap()
}

#[test]
fn a_helper_that_does_not_build_leaves_its_log() {
    for (compile, words, logged) in [
        (
            "echo 'Program.cs(7,2): error CS1002: ; expected' >&2; : > out/dotspot-dtp.exe; exit 1",
            "does not build with mcs 6.8.0: Program.cs(7,2): error CS1002: ; expected",
            "CS1002",
        ),
        ("exit 1", "said nothing", ""),
        ("kill -9 $$", "killed by signal 9", ""),
        ("exit 0", "produced no dotspot-dtp.exe", ""),
        (
            "echo so far so good; sleep 1000",
            "mcs was stopped because it took longer than 1 s",
            "so far so good",
        ),
    ] {
        let machine = Machine::with_mono(compile, WRITES_TREE);
        let error = machine.assert_fails(&["--decoder-timeout", "1"], 13, &["stage build", words]);
        assert_contains_all(log_in(&error), &["-langversion:7", "Mono 6.8.0", logged]);
        assert!(machine.calls("mono").is_empty());
        // with the fault fixed, the same machine builds; a log is written even without a cache
        machine.add_mono(BUILDS, WRITES_TREE);
        machine.assert_decodes(&[]);
        machine.add_mono("echo 'error CS0001: no' >&2; exit 1", WRITES_TREE);
        fs::remove_dir_all(machine.path("cache")).unwrap();
        fs::write(machine.path("cache"), "").unwrap();
        let error = machine.assert_fails(
            &[],
            13,
            &["error CS0001: no", machine.path("tmp").to_str().unwrap()],
        );
        assert_contains(log_in(&error), "CS0001");
    }
}

/// A `dotnet` whose SDK fails every build.
const BROKEN_SDK: &str = "test $1 = --list-sdks && echo '10.0.100 [/x]' && exit\n\
                          echo \"$PWD/Frame.cs(3,1): error CS0246: The type is missing [$PWD/dotspot-dtp.csproj]\"; exit 1";

#[test]
fn the_next_toolchain_is_tried_after_a_failed_build() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    machine.script("dotnet", BROKEN_SDK);
    let why = "the helper was built with Mono, because stage build: the helper does not build with dotnet 10.0.100: \
               Frame.cs(3,1): error CS0246: The type is missing";
    assert_contains(machine.assert_decodes(&[]), why);
    // if that one fails too, the first failure is still reported
    let assert_fails =
        "echo '{\"error\":{\"stage\":\"bind\",\"message\":\"too new for Mono\"}}' >&2; exit 15";
    machine.script("mono", assert_fails);
    touch(&machine.path("snap.dtp"), 5);
    let run = machine.decode(&["--verbose"]);
    assert_eq!(run.code, 15, "{}", run.err);
    assert_contains_all(&run.err, &["too new for Mono", why]);

    let machine = Machine::with_mono("echo 'Program.cs(7,2): error CS1002: ;' >&2; exit 1", "");
    machine.script("dotnet", BROKEN_SDK);
    let words = [
        "with dotnet 10.0.100: Frame.cs(3,1): error CS0246",
        "with mcs 6.8.0: Program.cs(7,2): error CS1002",
    ];
    let error = machine.assert_fails(&[], 13, &words);
    let logs = error.trim_end().split("the log is ").skip(1);
    let logs: Vec<&str> = logs.map(|log| log.trim_end_matches("; ")).collect();
    assert!(
        logs.len() == 2 && logs.iter().all(|log| fs::metadata(log).is_ok()),
        "{error}"
    );
}

/// Arguments that look like options, and characters special to shells, compilers and MSBuild.
#[test]
fn odd_paths_work() {
    for name in ["-o.dtp", "--help.dtp", "a b;c $(d) %e%'\".dtp", "é日.dtp"] {
        let machine = Machine::with_mono(BUILDS, WRITES_TREE);
        fs::rename(machine.path("snap.dtp"), machine.path(name)).unwrap();
        fs::rename(
            machine.path("snap.dtp.0000"),
            machine.path(&format!("{name}.0000")),
        )
        .unwrap();
        let run = machine.dotspot(&["hotspots", "--decoder", "assemblies", "--", name]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        let arguments = machine.calls("mono").remove(0);
        assert_contains(
            &arguments,
            format!("{} --output ", machine.path(name).display()),
        );
    }
}

#[test]
fn a_path_that_is_not_unicode_is_refused() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    let name = OsString::from_vec(b"sn\xffp.dtp".to_vec());
    if fs::write(machine.folder.path().join(&name), "MFDTPF").is_err() {
        crate::common::skipped("this file system has no names that are not Unicode");
        return;
    }
    let mut command = machine.command(&["info", "--decoder", "assemblies"]);
    let run = Run::from(command.arg(&name).output().unwrap());
    assert_eq!(run.code, 10, "{}", run.err);
    assert_contains_all(&run.err, &["stage input", "not valid Unicode", "rename"]);
    assert!(machine.calls("mono").is_empty());
}
