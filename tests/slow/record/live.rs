//! `dotspot record --live`: the explorer on a recording in progress, in a real terminal.

use super::{Scene, json};
use crate::common::processes::{is_alive, send};
use crate::common::pty::Session;
use crate::common::text::{assert_contains_all, assert_ends_with};
use portable_pty::CommandBuilder;
use std::time::{Duration, Instant};

/// Starts a recording in the explorer.
fn watch(scene: &Scene, args: &[&str], size: (u16, u16)) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command.args(["record", "--live", "--force", "-o"]);
    command.arg(scene.path("a.nettrace"));
    command.args(args);
    command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    command.env("TMPDIR", scene.path("tmp"));
    command.env_remove("DOTNET_DiagnosticPorts");
    Session::of(command, size.0, size.1)
}

/// Waits for the end and checks the exit code and that the terminal is restored; returns the output after the explorer.
#[track_caller]
fn end(session: Session, code: u32) -> String {
    let (found, raw) = session.end();
    let after = raw.rsplit("\x1b[?1049l").next().unwrap().to_string();
    assert_eq!(found, code, "{after}");
    assert!(
        raw.contains("\x1b[?1000l") && after.contains("\x1b[?25h"),
        "the terminal is restored: {after:?}"
    );
    after
}

/// Waits for `text`; returns how long it took.
#[track_caller]
fn time_until(session: &mut Session, text: &str) -> Duration {
    let started = Instant::now();
    session.wait_for(text);
    started.elapsed()
}

#[test]
fn a_recording_can_be_explored_in_progress() {
    let scene = present!(Scene::alone());
    let workload = scene.resting_workload();
    let mut session = watch(&scene, &["--pid", &workload.pid()], (100, 30));
    session.wait_for(" live ");
    // whatever is open and selected stays so with every update
    session.type_keys("jjE");
    session.wait_for("live 2 s");
    session.wait_for("Hot.Sixty");
    assert!(scene.path("a.nettrace.part").exists() && !scene.path("a.nettrace").exists());
    session.type_keys("Z");
    session.wait_for("frozen at ");
    session.type_keys("q");
    session.wait_for("q again stops the recording and shows all of it");
    session.type_keys("q");
    let stopping = time_until(&mut session, "100.0 % of frames have names");
    assert!(stopping < Duration::from_secs(5), "{stopping:?}");
    // open nodes are still open
    session.wait_until("stopping", false);
    session.wait_for("Hot.Pick");
    session.type_keys("q");
    let after = end(session, 0);
    assert_contains_all(
        &after,
        &["dotspot: wrote ", "3 threads, 100.0 % of frames have names"],
    );
    assert!(is_alive(&workload.pid()));
    let tmp = std::fs::read_dir(scene.path("tmp"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        tmp.into_iter()
            .all(|name| name.to_str().unwrap().contains(&workload.pid())),
        "only the runtime's own files are left"
    );
    assert!(!scene.path("a.nettrace.part").exists());
    let hottest = &json(&["hotspots"], &scene.path("a.nettrace"))["rows"][0]["display"];
    assert_ends_with(hottest.as_str().unwrap(), "Hot.Sixty");
    // ctrl-c stops immediately, and no explorer follows
    let mut session = watch(&scene, &["--name", "Workload", "--no-open"], (60, 15));
    session.wait_for(" live ");
    session.type_keys("\x03");
    assert!(end(session, 0).contains("100.0 % of frames have names"));
    // as does a signal to dotspot
    let mut session = watch(&scene, &["--pid", &workload.pid()], (80, 24));
    session.wait_for(" live ");
    send("TERM", session.child.process_id().unwrap());
    assert!(end(session, 0).contains("100.0 % of frames have names"));
    assert!(is_alive(&workload.pid()));
}

#[test]
fn a_recording_ends_with_its_program_whose_output_follows_the_explorer() {
    let scene = present!(Scene::with_others());
    let program = scene.program();
    let args = [
        &["--"],
        &program.split(' ').collect::<Vec<_>>()[..],
        &["0.8", "7"],
    ]
    .concat();
    let mut session = watch(&scene, &args, (120, 30));
    session.wait_for("the process has ended; wrote ");
    session.type_keys("q");
    let after = end(session, 7);
    assert_contains_all(&after, &["ready\r\n", "truth nested Sixty"]);
    scene.check_files(&["a.nettrace"]);
    // without a terminal there is nothing to explore in
    let run = scene.run("record --live --name a");
    run.check(2, &["--live opens the explorer, which needs a terminal"]);
}
