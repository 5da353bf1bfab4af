//! Uses a stand-in for `wpr` that records its calls.

use super::*;
use std::os::unix::fs::PermissionsExt as _;
use tempfile::TempDir;

/// A stand-in, with what it does for its first argument; its calls are in `calls`, the profile in `profile`.
fn stand_in(does: &str) -> (TempDir, Wpr) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("wpr.exe");
    let script = format!(
        "#!/bin/sh\ncd '{}'\nfor part in \"$@\"; do printf '%s|' \"$part\" >>calls; done; echo >>calls\n\
         [ $1 = -start ] && cp \"${{2%!*}}\" profile\n{does}\n",
        folder.path().display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let start_timeout = START_TIMEOUT;
    (
        folder,
        Wpr {
            program,
            start_timeout,
        },
    )
}

fn args(output: &Path, more: &[&str]) -> Record {
    use clap::{Args as _, FromArgMatches as _};
    let line = ["record", "--etw", "--duration", "1ms", "-o"].map(OsStr::new);
    let line = line.into_iter().chain([output.as_os_str()]);
    let line = line.chain(more.iter().map(OsStr::new));
    let command = Record::augment_args(clap::Command::new("record"));
    Record::from_arg_matches(&command.get_matches_from(line)).unwrap()
}

/// Records while these processes are running.
fn recorded(args: &Record, wpr: &Wpr) -> Result<(u8, Option<PathBuf>)> {
    let running = [(4, "System"), (4711, "Shop.exe"), (4712, "dotnet.exe")];
    let running = running.map(|(pid, name)| (pid, String::from(name)));
    record(args, wpr, &running, &StopRequests::start().unwrap())
}

const WRITES: &str = "[ $1 = -stop ] && echo etl >\"$2\"; exit 0";

fn calls(folder: &TempDir) -> Vec<Vec<String>> {
    let calls = fs::read_to_string(folder.path().join("calls")).unwrap();
    let words = |line: &str| line.split_terminator('|').map(String::from).collect();
    calls.lines().map(words).collect()
}

#[test]
fn wpr_is_started_with_our_profile_and_stopped_into_the_file() {
    let (folder, wpr) = stand_in(WRITES);
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("my app.etl");
    let kept = recorded(&args(&path, &[]), &wpr).unwrap();
    assert_eq!(kept, (0, Some(path.clone())));
    assert_eq!(fs::read_to_string(&path).unwrap(), "etl\n");
    assert_eq!(
        fs::read_dir(out.path()).unwrap().count(),
        1,
        "nothing is left behind"
    );
    let calls = calls(&folder);
    let [start, stop] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    assert_eq!(start.len(), 3);
    assert_eq!(
        (start[0].as_str(), start[2].as_str()),
        ("-start", "-filemode")
    );
    assert!(start[1].ends_with("/dotspot.wprp!dotspot"), "{start:?}");
    assert_eq!(stop[0], "-stop");
    assert!(
        stop.len() == 2 && stop[1].ends_with("/recording.etl"),
        "{stop:?}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("profile")).unwrap(),
        PROFILE
    );
}

#[test]
fn an_existing_file_is_not_replaced_without_consent() {
    let (folder, wpr) = stand_in(WRITES);
    let path = folder.path().join("a.etl");
    fs::write(&path, "old").unwrap();
    assert!(recorded(&args(&path, &[]), &wpr).is_err());
    assert!(!folder.path().join("calls").exists(), "nothing was started");
    recorded(&args(&path, &["--force"]), &wpr).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "etl\n");
}

#[test]
fn missing_administrator_rights_are_reported() {
    for does in [
        "exit 5; ",
        "echo 'Error code: 0xc5585011' >&2; exit 17",
        "echo 0x80070005; exit 1",
    ] {
        let (folder, wpr) = stand_in(does);
        let path = folder.path().join("a.etl");
        let error = recorded(&args(&path, &[]), &wpr).unwrap_err();
        assert!(error.to_string().contains("elevated terminal"), "{error}");
        assert_eq!(calls(&folder).len(), 1);
        assert!(!path.exists());
    }
}

#[test]
fn a_recording_that_cannot_be_written_is_cancelled() {
    let (folder, wpr) = stand_in("[ $1 != -stop ] || { echo 'error: disk full'; exit 1; }");
    let path = folder.path().join("a.etl");
    let error = recorded(&args(&path, &[]), &wpr).unwrap_err();
    assert!(
        error.to_string().contains("failed: error: disk full"),
        "{error}"
    );
    let calls = calls(&folder);
    let words: Vec<&str> = calls.iter().map(|call| call[0].as_str()).collect();
    assert_eq!(words, ["-start", "-stop", "-cancel"]);
    assert!(!path.exists());
}

#[test]
fn a_recording_that_does_not_start_in_time_is_cancelled() {
    let (folder, mut wpr) = stand_in("[ $1 != -start ] || sleep 60");
    wpr.start_timeout = Duration::from_millis(300);
    let path = folder.path().join("a.etl");
    let error = recorded(&args(&path, &[]), &wpr).unwrap_err();
    assert!(error.to_string().contains("wpr.exe"), "{error}");
    let words: Vec<String> = calls(&folder).into_iter().flatten().collect();
    assert_eq!(
        (words[0].as_str(), words[3].as_str()),
        ("-start", "-cancel")
    );
    assert_eq!(words.len(), 4);
}

#[test]
fn a_refused_recording_is_not_cancelled_because_it_may_be_another_users() {
    let does = "echo 'error: The profiles are already running.' >&2; exit 1";
    let (folder, wpr) = stand_in(does);
    let path = folder.path().join("a.etl");
    let error = recorded(&args(&path, &[]), &wpr).unwrap_err();
    assert!(error.to_string().contains("already running"), "{error}");
    assert_eq!(calls(&folder).len(), 1);
}

#[test]
fn the_process_is_looked_up_first() {
    for (words, problem) in [
        (["--pid", "4713"], Some("there is no process 4713")),
        (
            ["--name", "Stock"],
            Some("no running program is named Stock; ETW records only running programs"),
        ),
        (["--pid", "4711"], None),
        (["--name", "shop.exe"], None),
        (["--name", "Shop"], None),
    ] {
        let (folder, wpr) = stand_in(WRITES);
        let path = folder.path().join("a.etl");
        let result = recorded(&args(&path, &words), &wpr);
        let error = result.err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), problem);
        assert_eq!(folder.path().join("calls").exists(), problem.is_none());
    }
}

/// Exactly as documented: kernel keywords by name, runtime keywords by their bits.
#[test]
fn the_profile_asks_for_samples_stacks_images_and_names() {
    let has = |part: &str| assert!(PROFILE.contains(part), "{part}");
    for keyword in ["ProcessThread", "Loader", "SampledProfile"] {
        has(&format!("<Keyword Value=\"{keyword}\"/>"));
    }
    has("<Stack Value=\"SampledProfile\"/>");
    // Loader 0x8, Jit 0x10, NGen 0x20, EndRundown 0x100
    has(&format!("<Keyword Value=\"{:#x}\"/>", 0x8 | 0x10 | 0x20));
    has(&format!(
        "<Keyword Value=\"{:#x}\"/>",
        0x8 | 0x10 | 0x20 | 0x100
    ));
    has("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    has("a669021c-c450-4609-a035-5af59af4df18");
    // a profile's id consists of name, detail level and logging mode
    has(
        "Id=\"dotspot.Verbose.File\" Name=\"dotspot\" DetailLevel=\"Verbose\" LoggingMode=\"File\"",
    );
    let mut reader = quick_xml::Reader::from_str(PROFILE);
    while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
}
