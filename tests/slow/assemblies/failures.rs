//! Every way in which it fails, told as a stage, a sentence and an exit code.

use super::machine::{BUILDS, Machine, WRITES_TREE, touch};
use crate::common::processes::{is_alive, send};
use crate::common::text::{has, has_all};
use dotspot::testing::decoders::{
    Decoder, DecoderChoice, DecoderSettings, Environment, System, decode,
};
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::Recording;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What the helper says about itself is handed on; all that isn't in the contract is stage launch.
#[test]
fn the_helpers_stages_are_handed_on() {
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
        let says = format!(
            "echo noise >&2\necho '{{\"error\":{{\"stage\":\"{stage}\",\"message\":\"the cause; the cure\",\"detail\":\"one\\ntwo\"}}}}' >&2\nexit {code}"
        );
        // the shell's echo may take \n for a line's end
        let machine = Machine::with_mono(BUILDS, &says.replace("\\n", "\\\\n"));
        let said = machine.fails(
            &[],
            code,
            &[&format!("snap.dtp: stage {stage}: the cause; the cure")],
        );
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(machine.trees().is_empty());
        machine.fails(&["--verbose"], code, &["  one\n", "  two\n"]);
    }
}

#[test]
fn a_helper_that_does_not_keep_to_the_contract_is_told() {
    #[track_caller]
    fn check(run: &str, code: i32, words: &[&str]) {
        let machine = Machine::with_mono(BUILDS, run);
        machine.fails(
            &[],
            code,
            &[
                &[&*format!(
                    "stage {}",
                    if code == 17 { "walk" } else { "launch" }
                )],
                words,
            ]
            .concat(),
        );
        assert!(machine.trees().is_empty(), "{run}");
    }
    check("kill -9 $$", 14, &["killed by signal 9"]);
    check(
        "echo Segmentation fault >&2; exit 139",
        14,
        &["exit code 139", "Segmentation fault"],
    );
    check(
        "head -c 200000 /dev/urandom >&2; exit 3",
        14,
        &["exit code 3"],
    );
    check("exit 15", 14, &["exit code 15", "said nothing"]);
    check("exit 255", 14, &["exit code 255"]);
    check(
        "echo '{\"error\":{\"stage\":\"lunch\",\"message\":\"m\",\"detail\":\"\"}}' >&2; exit 15",
        14,
        &["exit code 15"],
    );
    check(
        "echo '{\"error\":{\"stage\":\"bind\",\"mess' >&2; exit 15",
        14,
        &["exit code 15"],
    );
    check("exit 0", 14, &["wrote no tree"]);
    check(
        "head -c 700 \"$HERE/tree.json\" > \"$4\"",
        17,
        &["not a complete tree"],
    );
    check("echo no JSON > \"$4\"", 17, &["not a complete tree"]);
    check(": > \"$4\"", 17, &["not a complete tree"]);
}

#[test]
fn a_helper_that_hangs_is_ended() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    // the limit is not for the compiler
    machine.decodes(&[]);
    machine.script("mono", "sleep 1000");
    touch(&machine.path("snap.dtp"), 5);
    let start = Instant::now();
    let said = &[
        "snap.dtp: stage launch",
        "took longer than 1 s",
        "--decoder-timeout",
    ];
    let run = machine.decode(&["--decoder-timeout", "1"]);
    assert_eq!(run.code, 14, "{}", run.err);
    assert!(
        said.iter().all(|word| run.err.contains(word)),
        "{}",
        run.err
    );
    assert_eq!(machine.left_over(), Vec::<PathBuf>::new());
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_wish_to_stop_ends_the_helper() {
    let machine = Machine::with_mono(BUILDS, "sleep 1000");
    let (path, home) = (machine.path("bin"), machine.path("home"));
    let variables = [("PATH", path.as_os_str()), ("HOME", home.as_os_str())];
    let environment = Environment::synthetic(System::Linux, OsStr::new("/").as_ref(), &variables);
    let settings = DecoderSettings {
        choice: DecoderChoice::Only(Decoder::Assemblies),
        ..DecoderSettings::new(environment)
    };
    let progress = Progress::default();
    let watcher = progress.clone();
    let cancel = std::thread::spawn(move || {
        let mut steps = Vec::new();
        while steps
            .last()
            .is_none_or(|step: &String| !step.contains("assemblies are reading"))
        {
            std::thread::sleep(Duration::from_millis(1));
            steps.extend(watcher.phase().filter(|step| steps.last() != Some(step)));
        }
        watcher.cancel();
        steps
    });
    let start = Instant::now();
    let result = decode(
        Input::open(&machine.path("snap.dtp"), progress).unwrap(),
        &settings,
    )
    .map(Recording::into_view);
    assert_eq!(result.unwrap_err(), ImportError::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(
        cancel
            .join()
            .unwrap()
            .contains(&"building the helper".to_string())
    );
}

/// The helper has a process group of its own, so the terminal's ctrl-c reaches dotspot alone.
#[test]
fn a_signal_ends_the_helper_too() {
    let machine = Machine::with_mono(BUILDS, "echo $$ > \"$HERE/pid\"; exec sleep 1000");
    let mut child = machine.start(&["hotspots", "snap.dtp", "--decoder", "assemblies"]);
    let start = Instant::now();
    let pid = loop {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the helper was never started"
        );
        match fs::read_to_string(machine.path("pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid.trim().to_string(),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    send("INT", child.id());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "it ends by the signal: {status}");
    assert!(!is_alive(&pid), "the helper is gone");
    assert_eq!(machine.left_over(), Vec::<PathBuf>::new());
}

#[test]
fn without_a_toolchain_it_is_told_what_to_install() {
    let machine = Machine::bare();
    let words = [
        "stage build",
        "neither the .NET SDK nor Mono",
        "install the .NET SDK",
    ];
    let said = machine.fails(&[], 13, &words);
    assert_eq!(said.lines().count(), 1, "{said}");
    machine.fails(
        &["--verbose"],
        13,
        &["lists no SDK", "no mcs and no mono in"],
    );
    // a runtime alone builds nothing
    machine.script("mono", "exit 0");
    machine.fails(&["--verbose"], 13, &["no mcs in"]);
}

#[test]
fn a_helper_that_does_not_build_is_told_with_its_log() {
    #[track_caller]
    fn check(compile: &str, words: &[&str]) {
        let machine = Machine::with_mono(compile, WRITES_TREE);
        let said = machine.fails(&[], 13, &[&["stage build", "the log is "], words].concat());
        let log = PathBuf::from(said.trim_end().split("the log is ").nth(1).unwrap());
        let log = fs::read_to_string(log).unwrap();
        has_all(&log, &["-langversion:7", "Mono 6.8.0"]);
        let built = fs::read_dir(machine.path("cache/dotspot/helper"))
            .unwrap()
            .filter(|item| item.as_ref().unwrap().path().is_dir());
        assert_eq!(built.count(), 0, "what failed is not kept");
        assert!(machine.calls("mono").is_empty());
        // with the fault repaired the same machine builds
        machine.script(
            "mcs",
            &format!("test \"$1\" = --version && echo 6.8.0 && exit\n{BUILDS}"),
        );
        machine.decodes(&[]);
    }
    check(
        "echo 'Program.cs(7,2): error CS1002: ; expected' >&2; : > out/dotspot-dtp.exe; exit 1",
        &["does not build with mcs 6.8.0: Program.cs(7,2): error CS1002: ; expected"],
    );
    check("exit 1", &["exit code 1", "said nothing"]);
    check("kill -9 $$", &["killed by signal 9"]);
    check("exit 0", &["produced no dotspot-dtp.exe"]);
}

#[test]
fn a_log_is_kept_even_without_a_cache() {
    let machine = Machine::with_mono("echo 'error CS0001: no' >&2; exit 1", WRITES_TREE);
    fs::write(machine.path("cache"), "").unwrap();
    let said = machine.fails(&[], 13, &["error CS0001: no"]);
    let log = PathBuf::from(said.trim_end().split("the log is ").nth(1).unwrap());
    assert!(
        log.starts_with(machine.path("tmp")) && fs::read_to_string(log).unwrap().contains("CS0001")
    );
}

#[test]
fn a_compiler_that_hangs_is_ended() {
    let machine = Machine::with_mono("echo so far so good; sleep 1000", WRITES_TREE);
    let said = machine.fails(
        &["--decoder-timeout", "1"],
        13,
        &[
            "mcs was stopped",
            "took longer than 1 s",
            "--decoder-timeout",
        ],
    );
    assert!(machine.calls("mono").is_empty());
    let log = fs::read_to_string(said.trim_end().split("the log is ").nth(1).unwrap()).unwrap();
    for word in [
        "Mono 6.8.0",
        "-langversion:7",
        "so far so good",
        "took longer than 1 s",
    ] {
        assert!(log.contains(word), "{word} is not in {log}");
    }
}

/// A `dotnet` with an SDK that builds nothing.
const BROKEN_SDK: &str = "test $1 = --list-sdks && echo '10.0.100 [/x]' && exit\n\
                          echo \"$PWD/Frame.cs(3,1): error CS0246: The type is missing [$PWD/dotspot-dtp.csproj]\"; exit 1";

#[test]
fn where_one_toolchain_does_not_build_the_next_one_does() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    machine.script("dotnet", BROKEN_SDK);
    let said = machine.decodes(&[]);
    let why = "the helper was built with Mono, because stage build: the helper does not build with dotnet 10.0.100: \
               Frame.cs(3,1): error CS0246: The type is missing";
    assert!(said.contains(why), "{said}");
    // and if that one fails too, the first one is not forgotten
    machine.script(
        "mono",
        "echo '{\"error\":{\"stage\":\"bind\",\"message\":\"too new for Mono\"}}' >&2; exit 15",
    );
    touch(&machine.path("snap.dtp"), 5);
    let run = machine.decode(&["--verbose"]);
    assert_eq!(run.code, 15, "{}", run.err);
    assert!(
        run.err.contains("too new for Mono") && run.err.contains(why),
        "{}",
        run.err
    );
}

#[test]
fn where_no_toolchain_builds_all_say_why() {
    let machine = Machine::with_mono(
        "echo 'Program.cs(7,2): error CS1002: ; expected' >&2; exit 1",
        WRITES_TREE,
    );
    machine.script("dotnet", BROKEN_SDK);
    let words = [
        "with dotnet 10.0.100: Frame.cs(3,1): error CS0246",
        "with mcs 6.8.0: Program.cs(7,2): error CS1002",
    ];
    let said = machine.fails(&[], 13, &words);
    let logs: Vec<&str> = said
        .trim_end()
        .split("the log is ")
        .skip(1)
        .map(|log| log.trim_end_matches("; "))
        .collect();
    assert!(
        logs.len() == 2 && logs.iter().all(|log| fs::metadata(log).is_ok()),
        "{said}"
    );
}

/// Arguments that could be taken for options, and characters that mean something to shells, compilers and MSBuild.
#[test]
fn odd_paths_are_paths() {
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
        let asked = machine.calls("mono").remove(0);
        has(
            &asked,
            format!("{} --output ", machine.path(name).display()),
        );
    }
}

#[test]
fn a_path_that_is_no_unicode_is_refused_in_a_sentence() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    let name = OsString::from_vec(b"sn\xffp.dtp".to_vec());
    if fs::write(machine.folder.path().join(&name), "MFDTPF").is_err() {
        crate::common::skipped("this file system has no names that are not Unicode");
        return;
    }
    let output = machine
        .command(&["info", "--decoder", "assemblies"])
        .arg(&name)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(10), "{said}");
    has_all(&said, &["stage input", "not valid Unicode", "rename"]);
    assert!(machine.calls("mono").is_empty());
}
