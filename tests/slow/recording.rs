//! Recording a runtime that is played: files and what is in their way, signals, terminals that do not read, full disks, what lives on.

#![cfg(target_os = "linux")]

use crate::common::played_runtime::{RECORDED, call, listen};
use crate::common::processes::{make_pipe, send, wait};
use crate::common::pty::Session;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The last tenth of the recording has the names.
const MOST_OF_IT: usize = RECORDED.len() * 6 / 10;

/// A folder in which this process listens as a runtime does, and is recorded.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(at_once: usize) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        listen(&folder.path().join("tmp"), at_once);
        Scene { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The arguments that record this process.
    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let pid = std::process::id().to_string();
        let tmp = self.path("tmp").display().to_string();
        let all = ["record", "--tmpdir", &tmp, "--pid", &pid];
        all.iter().chain(more).map(ToString::to_string).collect()
    }

    fn record(&self, more: &[&str]) -> Command {
        self.dotspot(&self.arguments(more))
    }

    fn dotspot(&self, arguments: &[impl AsRef<std::ffi::OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        command.args(arguments).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        command
    }

    #[track_caller]
    fn check(&self, more: &[&str], code: i32, words: &[&str]) {
        check(self.record(more), code, words);
    }

    /// Waits until so much of `a` is recorded.
    fn wait_for(&self, bytes: usize) {
        let part = self.path("a.part");
        wait("it records", || {
            fs::metadata(&part).is_ok_and(|file| file.len() >= bytes as u64)
        });
    }

    #[track_caller]
    fn check_whole(&self) {
        assert!(fs::read(self.path("a")).unwrap() == RECORDED);
        assert!(!self.path("a.part").exists());
    }
}

#[track_caller]
fn check(mut command: Command, code: i32, words: &[&str]) {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{error}");
    for words in words {
        assert!(error.contains(words), "{words:?} is not in: {error}");
    }
    // not where it would not help
    let is_offered = words.iter().any(|words| words.contains("--force"));
    assert!(is_offered || !error.contains("--force"), "{error}");
}

#[test]
fn what_is_no_file_is_never_replaced() {
    let scene = Scene::new(MOST_OF_IT);
    let fifo = scene.path("fifo");
    make_pipe(&fifo);
    let _socket = std::os::unix::net::UnixListener::bind(scene.path("socket")).unwrap();
    fs::create_dir(scene.path("folder")).unwrap();
    symlink("fifo", scene.path("to-fifo")).unwrap();
    symlink("/dev/null", scene.path("to-null")).unwrap();
    for (out, words) in [
        ("fifo", "is not a regular file"),
        ("socket", "is not a regular file"),
        ("to-fifo", "is not a regular file"),
        ("to-null", "is not a regular file"),
        ("folder", "is a folder"),
    ] {
        for force in [&[][..], &["--force"]] {
            let more = [&["--duration", "100ms", "-o", out][..], force].concat();
            scene.check(&more, 1, &[out, words]);
        }
    }
    scene.check(&["-o", "-"], 2, &["not to standard output"]);
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    for link in ["to-fifo", "to-null"] {
        assert!(fs::symlink_metadata(scene.path(link)).unwrap().is_symlink());
    }
}

#[test]
fn links_are_followed_and_a_part_is_made_new() {
    let scene = Scene::new(MOST_OF_IT);
    let record = |out: &str, force: &[&'static str], code, words: &[&str]| {
        let more = [&["--duration", "300ms", "-o", out][..], force].concat();
        scene.check(&more, code, words);
    };
    // of what is to be recorded, and of what somebody has put in its way
    symlink("a", scene.path("link")).unwrap();
    fs::write(scene.path("theirs"), "theirs").unwrap();
    symlink("theirs", scene.path("b.part")).unwrap();
    record("link", &[], 0, &["100.0 % of frames have names"]);
    scene.check_whole();
    assert!(
        fs::symlink_metadata(scene.path("link"))
            .unwrap()
            .is_symlink()
    );
    record(
        "link",
        &[],
        1,
        &["link already exists; choose another file, or overwrite it with --force"],
    );
    for force in [&[][..], &["--force"]] {
        record("b", force, 1, &["b.part already exists and is not a file"]);
    }
    assert_eq!(fs::read(scene.path("theirs")).unwrap(), b"theirs");
    // what another recording left may be replaced, but is not written into
    fs::write(scene.path("a.part"), "left").unwrap();
    fs::hard_link(scene.path("a.part"), scene.path("left")).unwrap();
    fs::remove_file(scene.path("a")).unwrap();
    record(
        "a",
        &[],
        1,
        &["a.part was left behind by an interrupted recording"],
    );
    record("a", &["--force"], 0, &["wrote a"]);
    scene.check_whole();
    assert_eq!(fs::read(scene.path("left")).unwrap(), b"left");
}

/// `timeout` sends its signal to the program, and to the group in which it is.
#[test]
fn two_signals_at_once_stop_in_order() {
    let scene = Scene::new(MOST_OF_IT);
    let recording = scene.record(&["-o", "a"]).spawn().unwrap();
    scene.wait_for(MOST_OF_IT);
    // further apart than a look at them takes
    for _ in 0..3 {
        send("TERM", recording.id());
        std::thread::sleep(Duration::from_millis(30));
    }
    let output = recording.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    scene.check_whole();
}

/// The size of files is limited as a full disk limits it: there is no more room.
#[test]
fn a_full_disk_keeps_names_and_leaves_nothing_that_can_not_be_opened() {
    let scene = Scene::new(RECORDED.len());
    // in blocks of 512 bytes: nine tenths of what comes at once, and nothing
    for (blocks, words) in [
        (
            RECORDED.len() * 9 / 10 / 512,
            &[
                "the file can't be written",
                "only the method names known at its start",
            ][..],
        ),
        (0, &["nothing was recorded: the file can't be written"]),
    ] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_dotspot")]);
        command.env("DOTSPOT_CONFIG", "");
        command.args(scene.arguments(&["-o", "a"]));
        command.current_dir(scene.folder.path());
        check(command, 1, words);
        let part = scene.path("a.part");
        assert_eq!(part.exists(), blocks > 0);
        if part.exists() {
            let tree = scene.dotspot(&["tree", "a.part", "--raw-names"]);
            let listed = { tree }.output().unwrap();
            let text = String::from_utf8(listed.stdout).unwrap();
            let error = String::from_utf8_lossy(&listed.stderr);
            assert!(text.contains("System.Private.CoreLib"), "{text}{error}");
            fs::remove_file(part).unwrap();
        }
    }
}

#[track_caller]
fn wait_for_end(child: &mut Box<dyn portable_pty::Child + Send + Sync>) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn kill_ends_a_recording_on_a_terminal_that_is_stopped() {
    let scene = Scene::new(MOST_OF_IT);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command.args(scene.arguments(&["-o", scene.path("a").to_str().unwrap()]));
    let mut session = Session::of(command, 100, 20);
    session.wait_for("recording process");
    scene.wait_for(MOST_OF_IT);
    session.type_keys("\x13");
    std::thread::sleep(Duration::from_millis(400));
    send("TERM", session.child.process_id().unwrap());
    wait_for_end(&mut session.child);
    scene.check_whole();
}

/// Drawing fills what the system keeps for a terminal.
#[test]
fn kill_ends_the_explorer_of_a_recording_on_a_terminal_that_nobody_reads() {
    let scene = Scene::new(MOST_OF_IT);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command.args(scene.arguments(&["--live", "-o", scene.path("a").to_str().unwrap()]));
    let size = PtySize {
        rows: 500,
        cols: 2000,
        ..PtySize::default()
    };
    let terminal = native_pty_system().openpty(size).unwrap();
    let mut child = terminal.slave.spawn_command(command).unwrap();
    scene.wait_for(MOST_OF_IT);
    std::thread::sleep(Duration::from_secs(3));
    send("TERM", child.process_id().unwrap());
    wait_for_end(&mut child);
    scene.check_whole();
}

/// A runtime that starts below a wrapper when dotspot has ended still calls, and must not wait.
#[test]
fn what_lives_on_may_start_programs() {
    let scene = Scene::new(0);
    let script =
        "printf %s \"$DOTNET_DiagnosticPorts\" > port; sleep 100 > /dev/null 2>&1 & echo $! > pid";
    let launch = ["record", "-o", "a", "--", "sh", "-c", script];
    let mut command = scene.dotspot(&launch);
    command.env_remove("DOTNET_DiagnosticPorts");
    check(
        command,
        125,
        &["before a .NET runtime started", "are still running"],
    );
    let port = fs::read_to_string(scene.path("port")).unwrap();
    let socket = Path::new(port.strip_suffix(",suspend").unwrap());
    assert_eq!(call(socket), [(4, 4), (4, 0), (4, 3), (4, 1)]);
    let pid = fs::read_to_string(scene.path("pid")).unwrap();
    send("KILL", pid.trim().parse().unwrap());
    wait("the port is gone", || !socket.parent().unwrap().exists());
}
