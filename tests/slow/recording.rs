//! Recording a simulated runtime: output files and obstacles, signals, terminals that do not read, full disks, surviving processes.

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

/// 60% of the recording; the names are in the last tenth.
const PARTIAL_LEN: usize = RECORDED.len() * 6 / 10;

/// A folder in which this process listens as a runtime and is recorded.
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

    /// The arguments for recording this process.
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

    /// Waits until `a` has this many recorded bytes.
    fn wait_for(&self, bytes: usize) {
        let part = self.path("a.part");
        wait("it records", || {
            fs::metadata(&part).is_ok_and(|file| file.len() >= bytes as u64)
        });
    }

    #[track_caller]
    fn check_recording(&self) {
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
    // advice is omitted where it would not help
    let is_offered = words.iter().any(|words| words.contains("--force"));
    assert!(is_offered || !error.contains("--force"), "{error}");
}

#[test]
fn special_files_are_never_replaced() {
    let scene = Scene::new(PARTIAL_LEN);
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
fn links_are_followed_and_the_partial_file_is_recreated() {
    let scene = Scene::new(PARTIAL_LEN);
    let record = |out: &str, force: &[&'static str], code, words: &[&str]| {
        let more = [&["--duration", "300ms", "-o", out][..], force].concat();
        scene.check(&more, code, words);
    };
    // links to the output and to the partial file, the latter planted by somebody else
    symlink("a", scene.path("link")).unwrap();
    fs::write(scene.path("theirs"), "theirs").unwrap();
    symlink("theirs", scene.path("b.part")).unwrap();
    record("link", &[], 0, &["100.0 % of frames have names"]);
    scene.check_recording();
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
        record("b", force, 1, &["b.part already exists"]);
    }
    assert_eq!(fs::read(scene.path("theirs")).unwrap(), b"theirs");
    // a partial file left by another recording may be replaced but is never written to
    fs::write(scene.path("a.part"), "left").unwrap();
    fs::hard_link(scene.path("a.part"), scene.path("left")).unwrap();
    fs::remove_file(scene.path("a")).unwrap();
    record("a", &[], 1, &["a.part already exists"]);
    record("a", &["--force"], 0, &["wrote a"]);
    scene.check_recording();
    assert_eq!(fs::read(scene.path("left")).unwrap(), b"left");
}

/// `timeout` signals both the program and its process group.
#[test]
fn two_simultaneous_signals_stop_cleanly() {
    let scene = Scene::new(PARTIAL_LEN);
    let recording = scene.record(&["-o", "a"]).spawn().unwrap();
    scene.wait_for(PARTIAL_LEN);
    // further apart than the program's polling interval
    for _ in 0..3 {
        send("TERM", recording.id());
        std::thread::sleep(Duration::from_millis(30));
    }
    let output = recording.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    scene.check_recording();
}

/// A limit on file size simulates a full disk.
#[test]
fn a_full_disk_keeps_names_and_leaves_no_unreadable_file() {
    let scene = Scene::new(RECORDED.len());
    // in 512-byte blocks: nine tenths of the first burst, and nothing
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
            panic!("dotspot does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn sigterm_ends_a_recording_on_a_stopped_terminal() {
    let scene = Scene::new(PARTIAL_LEN);
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command.args(scene.arguments(&["-o", scene.path("a").to_str().unwrap()]));
    let mut session = Session::of(command, 100, 20);
    session.wait_for("recording process");
    scene.wait_for(PARTIAL_LEN);
    session.type_keys("\x13");
    std::thread::sleep(Duration::from_millis(400));
    send("TERM", session.child.process_id().unwrap());
    wait_for_end(&mut session.child);
    scene.check_recording();
}

/// Drawing fills the terminal's output buffer.
#[test]
fn sigterm_ends_a_live_explorer_on_a_terminal_that_is_not_read() {
    let scene = Scene::new(PARTIAL_LEN);
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
    scene.wait_for(PARTIAL_LEN);
    std::thread::sleep(Duration::from_secs(3));
    send("TERM", child.process_id().unwrap());
    wait_for_end(&mut child);
    scene.check_recording();
}

/// A runtime started by a surviving wrapper after dotspot has ended still connects, and must not hang.
#[test]
fn surviving_processes_can_still_start_programs() {
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
