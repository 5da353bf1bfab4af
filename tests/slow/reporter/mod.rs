//! Decoder reporter with a stand-in for Reporter: what comes of all it may do, and what is left behind, which is nothing.
#![cfg(unix)]

use crate::common::processes::{is_alive, send, wait};
use crate::common::reporter::{Machine, program};
use crate::common::text::has;
use dotspot::testing::decoders::{
    Decoder, DecoderChoice, DecoderSettings, Environment, System, decode,
};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::{DecodingDiagnostic, Remark};
use dotspot::testing::input::{Failure, ImportError, Input, Progress};
use dotspot::testing::model::{NodeId, Recording, View};
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

/// Decoding by Reporter only, with the stand-in.
fn settings(machine: &Machine, limit: Duration) -> DecoderSettings {
    let variables = [("TMPDIR", machine.temporary.as_os_str())];
    DecoderSettings {
        choice: DecoderChoice::Only(Decoder::Reporter),
        reporter: Some(program()),
        limit,
        ..DecoderSettings::new(Environment::made_up(
            System::Linux,
            machine.folder.path(),
            &variables,
        ))
    }
}

fn read(
    machine: &Machine,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<View, ImportError> {
    let outcome = decode(
        Input::open(&machine.snapshot, progress.clone()).unwrap(),
        settings,
    )
    .map(Recording::into_view);
    machine.assert_cleared();
    outcome
}

fn read_within(machine: &Machine, limit: Duration) -> Result<View, ImportError> {
    read(machine, &settings(machine, limit), &Progress::default())
}

/// The failure that the stand-in leads to when it does `what`.
#[track_caller]
fn failure(what: &str, limit: Duration) -> (Machine, Box<Failure>) {
    let machine = Machine::new(what);
    match read_within(&machine, limit) {
        Err(ImportError::Failed(failure)) => (machine, failure),
        other => panic!("{what}: {other:?}"),
    }
}

/// The nodes by name, with inclusive and exclusive time in microseconds and calls. The numbers are those in the stand-in.
#[track_caller]
fn assert_is_the_report(profile: &View) {
    let time = profile.recording.default_metric;
    let mut rows: Vec<(String, u64, u64, u64)> = profile
        .tree
        .nodes()
        .skip(1)
        .map(|node| {
            let frame = profile.tree.frame(node);
            let calls = profile.tree.count(time, node).unwrap();
            let (inclusive, exclusive) = (
                profile.tree.inclusive(time, node),
                profile.tree.exclusive(time, node),
            );
            let name = format!(
                "{}{}",
                profile.frames.name(frame),
                profile.frames.signature(frame)
            );
            (name, inclusive / 1000, exclusive / 1000, calls)
        })
        .collect();
    rows.sort();
    let row =
        |name: &str, inclusive, exclusive, calls| (name.to_string(), inclusive, exclusive, calls);
    assert_eq!(
        rows,
        [
            row("Acme.Book.Match(System.Int32)", 300_000, 4_000, 10),
            row("Acme.Book.Match(System.String)", 34_000, 34_000, 8),
            row("Acme.Book.Scan", 296_000, 296_000, 100),
            row("Acme.Program.Main", 334_500, 500, 1),
        ]
    );
    assert_eq!(profile.tree.inclusive(time, NodeId::ROOT), 334_500_000);
}

#[test]
fn a_report_becomes_the_profile_of_the_snapshot() {
    let machine = Machine::new("whole");
    let profile = read_within(&machine, LONG).unwrap();
    assert_is_the_report(&profile);
    let source = &profile.recording.source;
    assert_eq!(
        (source.name.as_str(), &*source.format),
        (machine.snapshot.to_str().unwrap(), "dtp")
    );
    assert_eq!(
        (source.decoder.as_str(), source.decoder_version.as_str()),
        ("Reporter", "")
    );
    assert_eq!(profile.codes(), [""; 0]);

    let args = machine.left("args");
    let args: Vec<&str> = args.lines().collect();
    assert_eq!(args[..2], ["report", machine.snapshot.to_str().unwrap()]);
    assert!(
        args[2].starts_with("--pattern=") && args[2].ends_with("/pattern.xml"),
        "{args:?}"
    );
    assert!(
        args[3].starts_with("--save-to=") && args[3].ends_with("/report.xml"),
        "{args:?}"
    );
    assert_eq!(
        args[4..],
        ["--overwrite", "--save-signature", "--no-check-for-updates"]
    );
    assert!(
        args[3].contains(machine.temporary.to_str().unwrap()),
        "in a folder of its own: {args:?}"
    );
    assert!(
        machine.left("folder").starts_with("drwx------"),
        "{}",
        machine.left("folder")
    );
    let folder = args[3]
        .strip_prefix("--save-to=")
        .unwrap()
        .strip_suffix("/report.xml")
        .unwrap();
    assert_eq!(
        machine.left("stands").trim_end(),
        folder,
        "not where the snapshot lies"
    );
}

/// The other option is kept, which keeps Reporter off the network.
#[test]
fn only_options_that_are_rejected_are_left_out() {
    let machine = Machine::new("middle-aged");
    read_within(&machine, LONG).unwrap();
    let args = machine.left("args");
    let runs: Vec<Vec<&str>> = args
        .split("--overwrite\n")
        .skip(1)
        .map(|run| {
            run.lines()
                .filter(|line| line.starts_with("--") && !line.contains('='))
                .collect()
        })
        .collect();
    assert_eq!(
        runs,
        [
            vec!["--save-signature", "--no-check-for-updates"],
            vec!["--no-check-for-updates"]
        ]
    );
}

/// A usage names all options too, and the second run fails like the first.
#[test]
fn a_failure_that_prints_the_usage_is_told() {
    for what in ["usage", "old-and-refused"] {
        let (machine, failure) = failure(what, LONG);
        assert!(
            failure
                .problem
                .ends_with("exit code 1: Error: the snapshot is damaged"),
            "{}",
            failure.problem
        );
        assert_eq!(machine.left("args").matches("--overwrite").count(), 2);
    }
}

/// What is odd about a run whose report is whole is a warning.
#[test]
fn a_whole_report_is_read_whatever_else_happens() {
    #[track_caller]
    fn check(what: &str, warnings: &[Diagnostic]) {
        let since = Instant::now();
        let profile = read_within(&Machine::new(what), LONG).unwrap();
        assert_is_the_report(&profile);
        assert_eq!(profile.warnings(), warnings, "{what}");
        assert!(since.elapsed() < Duration::from_secs(60), "{what}");
    }
    let problem = "stand_in.sh ended with exit code 3: Error: could not look for updates".into();
    check(
        "code-after-report",
        &[Diagnostic::Decoding(DecodingDiagnostic::ReporterFailed {
            problem,
        })],
    );
    let no_signatures = Diagnostic::plain(Remark::ReporterWithoutSignatures);
    let no_updates = Diagnostic::plain(Remark::ReporterLooksForUpdates);
    check("old", &[no_signatures.clone(), no_updates]);
    check("middle-aged", &[no_signatures]);
    check("leaves-child", &[]);
    check("floods", &[]);
}

/// Every way to fail: the exit code of its stage, and its sentence after the file's name.
#[test]
fn failures_name_their_stage_and_what_to_do() {
    #[track_caller]
    fn check(what: &str, exit_code: u8, sentence: &str) {
        let limit = if what == "hangs" {
            Duration::from_secs(1)
        } else {
            LONG
        };
        let since = Instant::now();
        let (machine, failure) = failure(what, limit);
        assert_eq!(
            failure.to_string(),
            format!("{}: {sentence}", machine.snapshot.display()),
            "{what}"
        );
        assert_eq!(ImportError::from(failure).exit_code(), exit_code, "{what}");
        assert!(since.elapsed() < Duration::from_secs(60), "{what}");
    }
    check(
        "refused",
        14,
        "stage launch: stand_in.sh ended with exit code 1: Error: this snapshot was taken by a newer version",
    );
    check(
        "silent",
        14,
        "stage launch: stand_in.sh ended with exit code 9: dotTrace Reporter (stand-in)",
    );
    check(
        "killed",
        14,
        "stage launch: stand_in.sh was killed by signal 9 (SIGKILL); find out what killed it: systems do that when memory \
         runs out",
    );
    check(
        "hangs",
        14,
        "stage launch: stand_in.sh was stopped because it took longer than 1 s; --decoder-timeout SECONDS gives it more time",
    );
    check(
        "timeline",
        14,
        "stage launch: stand_in.sh ended with exit code 1: Timeline snapshots are not supported",
    );
    for what in [
        "no-report",
        "pipe",
        "device",
        "empty",
        "cut",
        "cut-early",
        "garbage",
    ] {
        check(
            what,
            17,
            "stage walk: Reporter reported success, but wrote no whole report; try again; a full disk cuts reports off",
        );
    }
    check(
        "other-xml",
        17,
        "stage walk: Reporter's report: expected Functions in the Report, found none; write the report with a pattern that \
         fits methods, such as `.*`",
    );
}

#[test]
fn a_timeline_snapshot_is_refused_without_asking() {
    let machine = Machine::new("whole");
    std::fs::write(&machine.snapshot, b"MFDTEM and more").unwrap();
    let error = read_within(&machine, LONG).unwrap_err();
    assert_eq!((error.exit_code(), machine.left("args").as_str()), (11, ""));
    has(
        error.to_string(),
        "is a timeline snapshot, which Reporter refuses",
    );
}

#[test]
fn a_part_of_a_snapshot_means_its_index() {
    let machine = Machine::new("whole");
    let part = machine.snapshot.with_extension("dtp.0000");
    std::fs::write(&part, "more").unwrap();
    let profile = decode(
        Input::open(&part, Progress::default()).unwrap(),
        &settings(&machine, LONG),
    )
    .map(Recording::into_view)
    .unwrap();
    assert_is_the_report(&profile);
    let input = Input::stream("a stream", Box::new(&b"MFDTPF"[..]), Progress::default()).unwrap();
    let error = decode(input, &settings(&machine, LONG))
        .map(Recording::into_view)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a stream: stage input: decoder reporter reads files, and this is a stream; save it with the files beside it, and \
         name the .dtp"
    );
}

#[test]
fn cancelling_ends_reporter() {
    let machine = Machine::new("hangs");
    let progress = Progress::default();
    let outcome = std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            decode(
                Input::open(&machine.snapshot, progress.clone()).unwrap(),
                &settings(&machine, LONG),
            )
            .map(Recording::into_view)
        });
        machine.wait_until_it_hangs();
        assert_eq!(
            progress.phase().as_deref(),
            Some("Reporter is reading the snapshot")
        );
        let since = Instant::now();
        progress.cancel();
        let outcome = reading.join().unwrap();
        assert!(since.elapsed() < Duration::from_secs(60));
        outcome
    });
    assert_eq!(outcome.unwrap_err(), ImportError::Cancelled);
    machine.assert_cleared();
}

#[test]
fn a_program_of_windows_elsewhere_is_told_so() {
    let machine = Machine::new("whole");
    let program = machine.folder.path().join("Reporter.exe");
    std::fs::write(&program, b"MZ").unwrap();
    let settings = DecoderSettings {
        reporter: Some(program),
        ..settings(&machine, LONG)
    };
    let error = read(&machine, &settings, &Progress::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: stage launch: Reporter.exe can't be started: permission denied; this program needs Windows: name a script \
             that runs it",
            machine.snapshot.display()
        )
    );
}

/// Windows with dotTrace installed, as far as that can be made up: automatic choice, a layout that nobody knows.
#[test]
fn on_windows_reporter_reads_what_native_does_not_know() {
    let machine = Machine::new("whole");
    let installed = machine
        .folder
        .path()
        .join("local/JetBrains/Installations/dotTrace243");
    std::fs::create_dir_all(&installed).unwrap();
    std::os::unix::fs::symlink(program(), installed.join("Reporter.exe")).unwrap();
    let local = machine.folder.path().join("local");
    let variables = [
        ("LOCALAPPDATA", local.as_os_str()),
        ("Temp", machine.temporary.as_os_str()),
    ];
    let settings = DecoderSettings::new(Environment::made_up(
        System::Windows,
        machine.folder.path(),
        &variables,
    ));
    let progress = Progress::default();
    let profile = read(&machine, &settings, &progress).unwrap();
    assert_is_the_report(&profile);
    assert_eq!(
        (
            profile.recording.source.decoder.as_str(),
            profile.recording.source.decoder_version.as_str()
        ),
        ("Reporter", "2024.3")
    );
    let reason =
        "stage layout: dotTrace snapshot, table of sections: the table lists no section 0x1100 (call tree of a \
                  thread), which is needed"
            .into();
    let fell_back = DecodingDiagnostic::FellBack {
        decoder: "reporter".into(),
        before: "native".into(),
        reason,
    };
    assert_eq!(profile.warnings(), [Diagnostic::Decoding(fell_back)]);
}

/// A run of dotspot with the stand-in.
fn dotspot(machine: &Machine, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command
        .args(args)
        .arg(&machine.snapshot)
        .env("TMPDIR", &machine.temporary)
        .env("DOTSPOT_REPORTER", program());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[track_caller]
fn check_run(what: &str, args: &[&str], exit_code: i32, words: &[&str]) {
    let machine = Machine::new(what);
    let output = dotspot(&machine, args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(exit_code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {said:?}");
    }
    machine.assert_cleared();
}

#[test]
fn the_command_line_chooses_the_decoder() {
    check_run("whole", &["info", "--decoder", "reporter"], 0, &[]);
    for (args, expect) in [
        (&["info"][..], "\ndecoder  "),
        (&["info", "--json"], "\"decoder\": \"Reporter"),
    ] {
        let machine = Machine::new("whole");
        let args = [args, &["--decoder", "reporter"]].concat();
        let said = String::from_utf8(dotspot(&machine, &args).output().unwrap().stdout).unwrap();
        assert!(said.contains(expect) && said.contains("Reporter"), "{said}");
    }
    check_run(
        "whole",
        &["info", "--decoder", "native"],
        11,
        &["stage layout: dotTrace snapshot"],
    );
    check_run(
        "hangs",
        &["info", "--decoder", "reporter", "--decoder-timeout", "1"],
        14,
        &["took longer than 1 s"],
    );
    check_run(
        "refused",
        &["tree", "-v", "--decoder", "reporter"],
        14,
        &["stage launch", "\n    Copyright and so on"],
    );
    // nothing is installed, so that assemblies can't be read either, and the stage is that of the one at hand
    let machine = Machine::new("whole");
    let mut command = dotspot(&machine, &["info", "--verbose"]);
    // nor is a Reporter named
    command.env_remove("DOTSPOT_REPORTER");
    let output = command
        .env("PATH", "")
        .env("HOME", &machine.temporary)
        .env("XDG_CACHE_HOME", machine.folder.path());
    let output = output.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let parts = [
        "stage layout: dotTrace snapshot, ",
        "; decoder assemblies: no .NET SDK or Mono found; ",
        "\n  native: ",
        "\n  assemblies: ",
    ];
    let places: Vec<usize> = parts
        .iter()
        .map(|part| {
            said.find(part)
                .unwrap_or_else(|| panic!("{part:?} is not in {said}"))
        })
        .collect();
    assert!(
        places.is_sorted() && output.status.code() == Some(11),
        "{said}"
    );
    let nowhere = [
        "hotspots",
        "--decoder",
        "reporter",
        "--reporter",
        "/no/such/thing",
    ];
    check_run(
        "whole",
        &nowhere,
        12,
        &["stage decoder: --reporter says that Reporter is /no/such/thing"],
    );
    check_run(
        "whole",
        &["info", "--decoder", "quantum"],
        2,
        &["auto, native, assemblies, reporter"],
    );
}

fn hanging(command: &mut Command, machine: &Machine) -> Child {
    let child = command.spawn().unwrap();
    machine.wait_until_it_hangs();
    child
}

/// The child is in a group of its own, so nobody else would end it.
#[test]
fn signals_end_reporter_first_and_then_dotspot() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let machine = Machine::new("hangs");
        let mut child = hanging(
            &mut dotspot(&machine, &["info", "--decoder", "reporter"]),
            &machine,
        );
        send(name, child.id());
        wait("dotspot ends", || !is_alive(&child.id().to_string()));
        assert_eq!(
            child.wait().unwrap().signal(),
            Some(number),
            "shells see the signal"
        );
        machine.assert_cleared();
    }
}

#[test]
fn a_signal_that_is_to_be_ignored_is_ignored() {
    let machine = Machine::new("hangs");
    let dotspot = dotspot(&machine, &["info", "--decoder", "reporter"]);
    let mut command = Command::new("/bin/sh");
    command.args([
        OsStr::new("-c"),
        OsStr::new("trap '' HUP; exec \"$@\""),
        OsStr::new("sh"),
        dotspot.get_program(),
    ]);
    command.args(dotspot.get_args()).envs(
        dotspot
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let mut child = hanging(command.stderr(Stdio::null()), &machine);
    send("HUP", child.id());
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_alive(&child.id().to_string()), "as with nohup");
    send("TERM", child.id());
    wait("dotspot ends", || !is_alive(&child.id().to_string()));
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    machine.assert_cleared();
}
