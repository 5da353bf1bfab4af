//! Decoder reporter with a stand-in for Reporter: the result of everything it may do, and that nothing is left behind.
#![cfg(unix)]

use crate::common::processes::{is_alive, send, wait};
use crate::common::reporter::{Machine, program};
use crate::common::run::{Run, finish};
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_starts_with,
};
use dotspot::testing::decoders::{
    Decoder, DecoderChoice, DecoderSettings, Environment, System, decode,
};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{NodeId, Recording, View};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

/// Settings for decoding with the stand-in for Reporter only.
fn settings(machine: &Machine, limit: Duration) -> DecoderSettings {
    let variables = [("TMPDIR", machine.temporary.as_os_str())];
    let environment = Environment::synthetic(System::Linux, machine.folder.path(), &variables);
    DecoderSettings {
        choice: DecoderChoice::Only(Decoder::Reporter),
        reporter: Some(program()),
        limit,
        ..DecoderSettings::new(environment)
    }
}

fn read(machine: &Machine, settings: &DecoderSettings) -> Result<View, ImportError> {
    let input = Input::open(&machine.snapshot, Progress::default()).unwrap();
    let outcome = decode(input, settings).map(Recording::into_view);
    machine.assert_cleared();
    outcome
}

fn read_within(machine: &Machine, limit: Duration) -> Result<View, ImportError> {
    read(machine, &settings(machine, limit))
}

/// Checks the nodes by name, with inclusive and exclusive microseconds and calls, against the numbers in the stand-in.
#[track_caller]
fn assert_reported_nodes(profile: &View) {
    let time = profile.recording.default_metric;
    let mut rows: Vec<String> = Vec::new();
    for node in profile.tree.nodes().skip(1) {
        let (tree, frame) = (&profile.tree, profile.tree.frame(node));
        let (name, signature) = (profile.frames.name(frame), profile.frames.signature(frame));
        let values = [tree.inclusive(time, node), tree.exclusive(time, node)].map(|ns| ns / 1000);
        let calls = tree.count(time, node).unwrap();
        rows.push(format!("{name}{signature} {values:?} {calls}"));
    }
    rows.sort();
    let expect = [
        "Acme.Book.Match(System.Int32) [300000, 4000] 10",
        "Acme.Book.Match(System.String) [34000, 34000] 8",
        "Acme.Book.Scan [296000, 296000] 100",
        "Acme.Program.Main [334500, 500] 1",
    ];
    assert_eq!(rows, expect);
    assert_eq!(profile.tree.inclusive(time, NodeId::ROOT), 334_500_000);
}

#[test]
fn a_report_becomes_the_snapshots_profile() {
    let machine = Machine::new("whole");
    let profile = read_within(&machine, LONG).unwrap();
    assert_reported_nodes(&profile);
    let source = &profile.recording.source;
    let snapshot = machine.snapshot.to_str().unwrap();
    assert_eq!((source.name.as_str(), &*source.format), (snapshot, "dtp"));
    let decoder = (source.decoder.as_str(), source.decoder_version.as_str());
    assert_eq!(decoder, ("Reporter", ""));
    assert_eq!(profile.codes(), [""; 0]);

    // Reporter works in a folder of its own, not where the snapshot is
    let folder = machine.left("stands").trim_end().to_string();
    assert_starts_with(&folder, machine.temporary.to_str().unwrap());
    assert_starts_with(machine.left("folder"), "drwx------");
    let paths = [
        format!("--pattern={folder}/pattern.xml"),
        format!("--save-to={folder}/report.xml"),
    ];
    let options = ["--overwrite", "--save-signature", "--no-check-for-updates"];
    let args = machine.left("args");
    let args: Vec<&str> = args.lines().collect();
    assert_eq!(args[..2], ["report", snapshot]);
    assert_eq!(args[2..4], paths);
    assert_eq!(args[4..], options);
}

/// If the report is complete, anything else that goes wrong is a warning.
#[test]
fn a_complete_report_is_read_whatever_else_happens() {
    #[track_caller]
    fn check(what: &str, warnings: &[Diagnostic]) {
        let machine = Machine::new(what);
        let profile = read_within(&machine, LONG).unwrap();
        assert_reported_nodes(&profile);
        assert_eq!(profile.warnings(), warnings, "{what}");
        // only the rejected option is omitted: the other keeps Reporter off the network
        if what == "middle-aged" {
            let args = machine.left("args");
            let second = args.rsplit("--overwrite\n").next();
            assert_eq!(second, Some("--no-check-for-updates\n"));
        }
    }
    let problem = "stand_in.sh ended with exit code 3: Error: could not look for updates".into();
    let failed = Diagnostic::ReporterFailed { problem };
    check("code-after-report", &[failed]);
    let no_signatures = Diagnostic::ReporterWithoutSignatures {};
    let no_updates = Diagnostic::ReporterLooksForUpdates {};
    check("old", &[no_signatures.clone(), no_updates]);
    check("middle-aged", &[no_signatures]);
    check("leaves-child", &[]);
    check("floods", &[]);
}

/// Every kind of failure: the exit code of its stage, and its message after the file name.
#[test]
fn failures_name_their_stage_and_what_to_do() {
    let launch = "
        refused | ended with exit code 1: Error: this snapshot was taken by a newer version
        usage | ended with exit code 1: Error: the snapshot is damaged
        old-and-refused | ended with exit code 1: Error: the snapshot is damaged
        silent | ended with exit code 9: dotTrace Reporter (stand-in)
        killed | was killed by signal 9 (SIGKILL); find out what killed it, often the out-of-memory killer
        hangs | was stopped because it took longer than 1 s; --decoder-timeout SECONDS gives it more time
        timeline | ended with exit code 1: Timeline snapshots are not supported";
    let rows = launch.trim().lines().map(|row| {
        let (what, end) = row.trim().split_once(" | ").unwrap();
        (what, 14, format!("stage launch: stand_in.sh {end}"))
    });
    let cut = "no-report pipe device cut garbage".split(' ').map(|what| {
        let end = "Reporter reported success, but wrote no complete report; try again; a full disk truncates reports";
        (what, 17, format!("stage walk: {end}"))
    });
    let other = "stage walk: Reporter's report: expected Functions in the Report, found none; write the report with a pattern that \
                 fits methods, such as `.*`";
    let other = [("other-xml", 17, other.to_string())];
    for (what, exit_code, sentence) in rows.chain(cut).chain(other) {
        let limit = if what == "hangs" {
            Duration::from_secs(1)
        } else {
            LONG
        };
        let machine = Machine::new(what);
        let error = read_within(&machine, limit).unwrap_err();
        let expect = format!("{}: {sentence}", machine.snapshot.display());
        assert_eq!(
            (error.to_string(), error.exit_code()),
            (expect, exit_code),
            "{what}"
        );
    }
    // a timeline is refused without running Reporter, and a Windows program can't run here
    let machine = Machine::new("whole");
    let program = machine.folder.path().join("Reporter.exe");
    std::fs::write(&program, b"MZ").unwrap();
    let windows = DecoderSettings {
        reporter: Some(program),
        ..settings(&machine, LONG)
    };
    let error = read(&machine, &windows).unwrap_err().to_string();
    assert_ends_with(
        error,
        "stage launch: Reporter.exe can't be started: permission denied; this program needs Windows: name a script that runs it",
    );
    std::fs::write(&machine.snapshot, b"MFDTEM and more").unwrap();
    let error = read_within(&machine, LONG).unwrap_err();
    assert_eq!((error.exit_code(), machine.left("args").as_str()), (11, ""));
    assert_contains(
        error.to_string(),
        "is a timeline snapshot, which Reporter refuses",
    );
}

#[test]
fn a_section_file_opens_its_snapshot() {
    let machine = Machine::new("whole");
    let part = machine.snapshot.with_extension("dtp.0000");
    std::fs::write(&part, "more").unwrap();
    let read = |input| decode(input, &settings(&machine, LONG)).map(Recording::into_view);
    let profile = read(Input::open(&part, Progress::default()).unwrap()).unwrap();
    assert_reported_nodes(&profile);
    let input = Input::stream("a stream", Box::new(&b"MFDTPF"[..]), Progress::default()).unwrap();
    let error = read(input).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a stream: stage input: decoder reporter reads files, and this is a stream; save it with the files next to it, and \
         pass the .dtp"
    );
}

/// A simulation of Windows with dotTrace installed: automatic choice of decoder for an unknown layout.
#[test]
fn on_windows_reporter_reads_layouts_unknown_to_native() {
    let machine = Machine::new("whole");
    let local = machine.folder.path().join("local");
    let installed = local.join("JetBrains/Installations/dotTrace243");
    std::fs::create_dir_all(&installed).unwrap();
    std::os::unix::fs::symlink(program(), installed.join("Reporter.exe")).unwrap();
    let variables = [("LOCALAPPDATA", &*local), ("Temp", &machine.temporary)];
    let variables = variables.map(|(name, path)| (name, path.as_os_str()));
    let environment = Environment::synthetic(System::Windows, machine.folder.path(), &variables);
    let settings = DecoderSettings::new(environment);
    let profile = read(&machine, &settings).unwrap();
    assert_reported_nodes(&profile);
    let source = &profile.recording.source;
    let decoder = (source.decoder.as_str(), source.decoder_version.as_str());
    assert_eq!(decoder, ("Reporter", "2024.3"));
    let missing = "the table lists no section 0x1100 (call tree of a thread), which is needed";
    let fell_back = Diagnostic::FellBack {
        decoder: "reporter".into(),
        before: "native".into(),
        reason: format!("stage layout: dotTrace snapshot, table of sections: {missing}"),
    };
    assert_eq!(profile.warnings(), [fell_back]);
}

/// The command that runs dotspot with the stand-in.
fn dotspot(machine: &Machine, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command.args(args).arg(&machine.snapshot);
    command
        .env("TMPDIR", &machine.temporary)
        .env("DOTSPOT_REPORTER", program());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[track_caller]
fn check_run(what: &str, line: &str, exit_code: i32, words: &[&str]) -> Run {
    let machine = Machine::new(what);
    let args: Vec<&str> = line.split(' ').collect();
    let run = finish(dotspot(&machine, &args).output().unwrap());
    assert_eq!(run.code, exit_code, "{}", run.err);
    assert_contains_all(&run.err, words);
    machine.assert_cleared();
    run
}

#[test]
fn the_command_line_chooses_the_decoder() {
    let document = check_run("whole", "info --json --decoder reporter", 0, &[]).out;
    assert_contains(&document, "\"decoder\": \"Reporter");
    let layout = "stage layout: dotTrace snapshot";
    check_run("whole", "info --decoder native", 11, &[layout]);
    let words = ["stage launch", "\n    Copyright and so on"];
    check_run("refused", "tree -v --decoder reporter", 14, &words);
    // with nothing installed, assemblies can't read it either, and the stage is that of the available decoder
    let machine = Machine::new("whole");
    let mut command = dotspot(&machine, &["info", "--verbose"]);
    // and no Reporter is named
    command.env_remove("DOTSPOT_REPORTER");
    command.env("PATH", "").env("HOME", &machine.temporary);
    command.env("XDG_CACHE_HOME", machine.folder.path());
    let run = finish(command.output().unwrap());
    let parts = [
        "stage layout: dotTrace snapshot, ",
        "; decoder assemblies: no .NET SDK or Mono found; ",
        "\n  native: ",
        "\n  assemblies: ",
    ];
    assert_contains_all(&run.err, &parts);
    let places = parts.map(|part| run.err.find(part));
    assert!(places.is_sorted() && run.code == 11, "{}", run.err);
    let nowhere = "stage decoder: --reporter sets Reporter to /no/such/thing";
    let line = "hotspots --decoder reporter --reporter /no/such/thing";
    check_run("whole", line, 12, &[nowhere]);
    let known = "auto, native, assemblies, reporter";
    check_run("whole", "info --decoder quantum", 2, &[known]);
}

fn hanging(command: &mut Command, machine: &Machine) -> Child {
    let child = command.spawn().unwrap();
    machine.wait_until_it_hangs();
    child
}

/// The child is in its own process group, so nothing else would end it.
#[test]
fn signals_end_reporter_before_dotspot() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let machine = Machine::new("hangs");
        let mut command = dotspot(&machine, &["info", "--decoder", "reporter"]);
        let mut child = hanging(&mut command, &machine);
        send(name, child.id());
        wait("dotspot ends", || !is_alive(&child.id().to_string()));
        // shells see the signal
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        machine.assert_cleared();
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let machine = Machine::new("hangs");
    let dotspot = dotspot(&machine, &["info", "--decoder", "reporter"]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]);
    command.arg(dotspot.get_program()).args(dotspot.get_args());
    let variables = dotspot.get_envs();
    command.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    let mut child = hanging(command.stderr(Stdio::null()), &machine);
    send("HUP", child.id());
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_alive(&child.id().to_string()), "still ignored");
    send("TERM", child.id());
    wait("dotspot ends", || !is_alive(&child.id().to_string()));
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    machine.assert_cleared();
}
