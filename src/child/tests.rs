use super::processes::is_alive;
use super::*;

/// A shell that runs a script.
fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

const LONG: Duration = Duration::from_secs(60);

fn run_shell(script: &str) -> Result<Ended, Stopped> {
    run(shell(script), LONG, &Progress::default())
}

#[track_caller]
fn assert_ends(pid: &str) {
    assert!(pid.parse::<u32>().is_ok(), "{pid:?} is a process id");
    for _ in 0..100 {
        if !is_alive(pid) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("process {pid} is still there");
}

#[test]
fn outputs_are_captured_up_to_64_kb() {
    let check = |pushes: &[usize], kept: usize, left_out_bytes: u64| {
        let mut captured = Captured::default();
        pushes
            .iter()
            .for_each(|&count| captured.push(&vec![b'x'; count]));
        assert_eq!(
            (
                captured.head.len() + captured.tail.len(),
                captured.left_out_bytes
            ),
            (kept, left_out_bytes)
        );
    };
    check(&[], 0, 0);
    check(&[10, 0, 20], 30, 0);
    check(&[32_768, 1], 32_769, 0);
    check(&[65_536], 65_536, 0);
    check(&[1, 65_536], 65_536, 1);
    check(&[100_000, 5], 65_536, 34_469);
    let mut captured = Captured::default();
    captured.push("\u{feff}first\r\n\n".as_bytes());
    captured.push(&vec![b'-'; 70_000]);
    captured.push(b"\n  last \xff\n");
    let lines = captured.lines();
    // 3 + 8 + 70,000 + 10 bytes arrived, and 65,536 are kept
    assert_eq!(
        (lines[0].as_str(), lines[2].as_str()),
        ("first", "(4,485 bytes left out)")
    );
    assert_eq!(lines.last().unwrap(), "  last \u{fffd}");
}

#[test]
fn both_outputs_are_captured() {
    let ended =
        run_shell("echo out; echo bad >&2; read line || echo nothing to read; exit 3").unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert_eq!(ended.lines(), ["bad", "out", "nothing to read"]);
    let failure = ended.failure("a.dtp", Path::new("/x/Reporter.exe"));
    assert_eq!(
        failure.to_string(),
        "a.dtp: stage launch: Reporter.exe ended with exit code 3: bad"
    );
    assert_eq!(
        failure.detail,
        [
            "program /x/Reporter.exe; it wrote:",
            "  bad",
            "  out",
            "  nothing to read"
        ]
    );
    let silent = run_shell("exit 1")
        .unwrap()
        .failure("a.dtp", Path::new("x"));
    assert_eq!(silent.problem, "x ended with exit code 1 and said nothing");
    let chatty = run_shell("echo Welcome; echo Bye; exit 1")
        .unwrap()
        .failure("a.dtp", Path::new("x"));
    assert_eq!(chatty.problem, "x ended with exit code 1: Bye");
}

#[test]
fn the_error_line_is_the_first_that_reports_an_error() {
    #[track_caller]
    fn check(lines: &[&str], expect: Option<&str>) {
        let mut stdout = Captured::default();
        stdout.push(lines.join("\n").as_bytes());
        let ended = Ended {
            status: ExitStatus::default(),
            stdout,
            stderr: Captured::default(),
        };
        assert_eq!(ended.error_line().as_deref(), expect);
    }
    check(&[], None);
    check(&["one", "two"], None);
    check(
        &[
            "dotTrace Reporter 2024.3",
            "Copyright",
            "  Error: no such snapshot",
        ],
        Some("Error: no such snapshot"),
    );
    check(
        &["noted", "Timeline snapshots are not supported"],
        Some("Timeline snapshots are not supported"),
    );
    let long = format!("not {}", "é".repeat(400));
    check(&[&long], Some(&format!("not {}…", "é".repeat(296))));
}

#[test]
fn a_timeout_ends_a_program_and_its_children() {
    let limit = Duration::from_millis(400);
    let since = Instant::now();
    let stopped = run(
        shell("sleep 1000 & echo $!; echo $$; wait"),
        limit,
        &Progress::default(),
    )
    .unwrap_err();
    assert!(since.elapsed() < Duration::from_secs(60));
    let Stopped::TooLong(lines) = &stopped else {
        panic!("{stopped:?}")
    };
    lines.iter().for_each(|pid| assert_ends(pid));
    let error = stopped.into_error(
        "a.dtp",
        Path::new("/x/Reporter.exe"),
        Duration::from_secs(600),
    );
    assert_eq!(
        (error.to_string().as_str(), error.exit_code()),
        (
            "a.dtp: stage launch: Reporter.exe was stopped because it took longer than 600 s; --decoder-timeout \
             SECONDS gives it more time",
            14
        )
    );
}

#[test]
fn cancelling_ends_the_program() {
    let progress = Progress::default();
    let canceller = progress.clone();
    let waiting = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!("sleep 1000 & echo $! $$ > '{}'; wait", pids.display());
    let since = Instant::now();
    let stopped = run(shell(&script), LONG, &progress).unwrap_err();
    assert!(matches!(stopped, Stopped::Cancelled) && since.elapsed() < Duration::from_secs(60));
    std::fs::read_to_string(pids)
        .unwrap()
        .split_whitespace()
        .for_each(assert_ends);
    waiting.join().unwrap();
    let stopped = run(shell("true"), LONG, &progress).unwrap_err();
    assert_eq!(
        stopped.into_error("a", Path::new("b"), LONG),
        ImportError::Cancelled
    );
}

#[test]
fn a_program_is_ended_when_it_is_dropped() {
    let running = Running::start(shell("sleep 1000")).unwrap();
    let pid = running.child.id().to_string();
    assert!(is_alive(&pid));
    drop(running);
    assert!(!is_alive(&pid));
}

/// The pipes stay open after the program has ended; nothing may wait for them.
#[test]
fn remaining_children_are_ended() {
    let since = Instant::now();
    let ended = run_shell("sleep 1000 & echo $!").unwrap();
    assert!(ended.status.success());
    assert_ends(&ended.stdout.lines()[0]);
    // it has left the process group, so it keeps running, but nothing waits for it
    let ended = run_shell("command -v setsid > /dev/null && setsid sleep 100 & echo done").unwrap();
    assert_eq!(ended.stdout.lines(), ["done"]);
    assert!(since.elapsed() < Duration::from_secs(60));
}

#[test]
fn excess_output_is_only_counted() {
    let ended = run_shell("head -c 100000000 /dev/zero; echo end; head -c 100000000 /dev/zero >&2")
        .unwrap();
    assert_eq!(ended.stdout.left_out_bytes, 100_000_004 - 65_536);
    assert!(ended.stdout.text().ends_with("end\n"));
    assert_eq!(ended.stderr.left_out_bytes, 100_000_000 - 65_536);
    assert!(ended.stderr.tail.capacity() + ended.stderr.head.capacity() < 1 << 20);
}

#[test]
fn killed_and_missing_programs_are_reported() {
    let ended = run_shell("echo last words; kill -9 $$").unwrap();
    let failure = ended.failure("a.dtp", Path::new("Reporter.exe"));
    assert_eq!(
        failure.problem,
        "Reporter.exe was killed by signal 9 (SIGKILL)"
    );
    assert_eq!(
        (failure.stage, failure.detail[1].as_str()),
        (Some(Stage::Launch), "  last words")
    );
    assert!(
        run_shell("true")
            .unwrap()
            .kill_failure("a.dtp", Path::new("x"))
            .is_none()
    );
    let path = Path::new("/no/such/Reporter.exe");
    let stopped = run(Command::new(path), LONG, &Progress::default()).unwrap_err();
    assert_eq!(
        stopped.into_error("a.dtp", path, LONG).to_string(),
        "a.dtp: stage launch: Reporter.exe can't be started: no such file or directory; check that it is there, and \
         what it needs to run"
    );
}
