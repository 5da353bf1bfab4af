//! Recording a real runtime: .NET Core 3.1 in the folder named by `DOTSPOT_DOTNETCORE2` (`.ci/run` downloads it).
//!
//! The workload prints the ground truth: the time of each of three methods in each of two threads, by its own clock.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod live;
use crate::common::processes::{is_alive, send, wait};
use crate::common::run::{Run, finish, words};
use crate::common::schema;
use crate::common::text::{assert_contains, assert_contains_all, assert_ends_with};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// The assemblies that the workload references.
const ASSEMBLIES: &str = "System.Private.CoreLib System.Runtime System.Linq System.Collections \
    System.Threading System.Threading.Thread System.Console System.Runtime.Extensions";

/// Without tiered compilation, so that no method moves while it runs.
const CONFIGURATION: &str = r#"{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"},
    "configProperties":{"System.Runtime.TieredCompilation":false}}}"#;

/// Arguments of a workload that sleeps most of the time: its exit code, and its rest in milliseconds.
const RESTING: &str = "0 80";

/// The runtime and the workload compiled for it.
struct Runtime {
    dotnet: PathBuf,
    workload: PathBuf,
    assemblies: PathBuf,
}

/// `None` where there is no runtime.
///
/// # Panics
/// Where `DOTSPOT_REQUIRE_DATA` is set.
fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        let Some(folder) = std::env::var_os("DOTSPOT_DOTNETCORE2").map(PathBuf::from) else {
            crate::common::missing("DOTSPOT_DOTNETCORE2 names no .NET runtime (.ci/run gets one)");
            return None;
        };
        Some(build(&folder))
    });
    runtime.as_ref()
}

/// Whether other tests may record at the same time.
enum Turn {
    /// No: measurements need both processors, or a process found by name must be the only one.
    Alone {
        _guard: RwLockWriteGuard<'static, ()>,
    },
    /// Yes.
    WithOthers {
        _guard: RwLockReadGuard<'static, ()>,
    },
}

static TURN: RwLock<()> = RwLock::new(());

fn build(folder: &Path) -> Runtime {
    let mut versions = fs::read_dir(folder.join("bin/shared/Microsoft.NETCore.App")).unwrap();
    let assemblies = versions.next().unwrap().unwrap().path();
    let workload = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slow/record/Workload.cs");
    Runtime {
        dotnet: folder.join("bin/dotnet"),
        workload: compile(&workload, &assemblies),
        assemblies,
    }
}

/// Compiles a C# file; returns the program.
fn compile(source: &Path, assemblies: &Path) -> PathBuf {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recording");
    fs::create_dir_all(&out).unwrap();
    let program = out.join(source.with_extension("dll").file_name().unwrap());
    let mut compiler = Command::new("mcs");
    compiler
        .args(["-nostdlib", "-langversion:7", "-nowarn:0414,1702"])
        .arg(format!("-out:{}", program.display()));
    for name in ASSEMBLIES.split(' ') {
        let library = assemblies.join(format!("{name}.dll"));
        compiler.arg(format!("-r:{}", library.display()));
    }
    let compile = finish(compiler.arg(source).output().expect("mcs is installed"));
    assert_eq!(compile.code, 0, "{}", compile.out);
    fs::write(program.with_extension("runtimeconfig.json"), CONFIGURATION).unwrap();
    program
}

/// A folder for all programs' temporary files, which must be empty when they have ended.
struct Scene {
    folder: tempfile::TempDir,
    runtime: &'static Runtime,
    _turn: Turn,
}

impl Scene {
    fn alone() -> Option<Scene> {
        Scene::new(|| Turn::Alone {
            _guard: TURN.write().unwrap_or_else(PoisonError::into_inner),
        })
    }

    fn with_others() -> Option<Scene> {
        Scene::new(|| Turn::WithOthers {
            _guard: TURN.read().unwrap_or_else(PoisonError::into_inner),
        })
    }

    fn new(turn: impl Fn() -> Turn) -> Option<Scene> {
        let (runtime, turn) = (runtime()?, turn());
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Some(Scene {
            folder,
            runtime,
            _turn: turn,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn environment<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
        command.env("TMPDIR", self.path("tmp"));
        command
            .env_remove("DOTNET_DiagnosticPorts")
            .stdin(Stdio::null())
    }

    /// Starts a workload that sleeps most of the time, for what does not depend on how busy a program is.
    fn resting_workload(&self) -> Workload {
        self.workload(&format!("60 {RESTING}"))
    }

    /// Starts the workload and waits until its threads start.
    fn workload(&self, args: &str) -> Workload {
        let mut command = Command::new(&self.runtime.dotnet);
        command
            .arg(&self.runtime.workload)
            .args(words(args))
            .stdout(Stdio::piped());
        let mut child = self.environment(&mut command).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Workload { child, lines }
    }

    fn dotspot(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        self.environment(command.args(args).current_dir(self.folder.path()));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, line: &str) -> Run {
        finish(self.dotspot(&words(line)).output().unwrap())
    }

    /// Runs dotspot in the background.
    fn spawn(&self, line: &str) -> Child {
        self.dotspot(&words(line)).spawn().unwrap()
    }

    /// The command line of the workload.
    fn program(&self) -> String {
        let Runtime {
            dotnet, workload, ..
        } = self.runtime;
        format!("{} {}", dotnet.display(), workload.display())
    }

    /// Waits until this much is recorded.
    fn wait_for(&self, part: &str, bytes: u64) {
        let size = || fs::metadata(self.path(part)).map_or(0, |file| file.len());
        wait("the recording", || size() > bytes);
    }

    /// Checks that a file can be opened.
    #[track_caller]
    fn opens(&self, file: &str) {
        let info = json(&["info"], &self.path(file));
        assert!(info["metrics"].is_array(), "{info}");
    }

    /// Checks the names of all remaining files.
    #[track_caller]
    fn check_files(&self, expect: &[&str]) {
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        let mut files = Vec::new();
        for folder in [self.folder.path().into(), self.path("tmp")] {
            files.extend(fs::read_dir(folder).unwrap().map(name));
        }
        files.retain(|name| name != "tmp");
        files.sort();
        assert_eq!(files, expect);
    }
}

/// The running workload, killed if a test fails.
struct Workload {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Workload {
    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Waits for the end; returns the measured times.
    fn truth(mut self) -> Truth {
        let mut text = String::new();
        self.lines.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success());
        truth(&text)
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Milliseconds, loop turns or samples by thread and method.
type Sums = BTreeMap<String, BTreeMap<String, f64>>;

/// The workload's own measurements.
#[derive(Default)]
struct Truth {
    /// By its clock, which keeps running while a thread waits for a processor.
    milliseconds: Sums,
    /// By its loops, which make no progress meanwhile.
    turns: Sums,
}

fn truth(text: &str) -> Truth {
    let mut truth = Truth::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("truth ")) {
        let words: Vec<&str> = line.split(' ').collect();
        for (sums, number) in [
            (&mut truth.milliseconds, words[2]),
            (&mut truth.turns, words[3]),
        ] {
            let methods = sums.entry(words[0].into()).or_default();
            methods.insert(words[1].into(), number.parse().unwrap());
        }
    }
    assert_eq!(truth.turns.len(), 2, "{text}");
    truth
}

impl Run {
    #[track_caller]
    fn check(&self, code: i32, sentences: &[&str]) {
        assert_eq!(self.code, code, "{}", self.err);
        assert_contains_all(&self.err, sentences);
    }
}

fn wait_for_end(recording: Child) -> Run {
    finish(recording.wait_with_output().unwrap())
}

/// Ends a recording with ctrl-c, which must not take longer than five seconds.
#[track_caller]
fn interrupt(recording: Child) -> Run {
    let started = Instant::now();
    send("INT", recording.id());
    let run = wait_for_end(recording);
    let elapsed = started.elapsed();
    assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
    run
}

fn json(args: &[&str], file: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    let run = finish(command.args(args).arg(file).arg("--json").output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// Compares the shares of three methods in each thread with the workload's measurements. A deviation of four standard errors has a
/// probability of less than 1 in 3,000.
///
/// If the machine pauses processes, the sampler may or may not have been paused with the workload: the true share lies between
/// those by clock and by turns, which are equal on a machine that does not pause the workload.
#[track_caller]
fn check_shares(record: impl Fn() -> (PathBuf, Truth)) {
    let mut report = String::new();
    // up to three attempts, for machines that are busy otherwise
    for _ in 0..3 {
        let (file, truths) = record();
        report = deviations(&samples_in(&file), &truths);
        if report.is_empty() {
            return;
        }
    }
    panic!("{report}");
}

/// Describes all deviations of more than four standard errors.
fn deviations(samples: &Sums, truths: &Truth) -> String {
    let mut report = String::new();
    assert_eq!(samples.len(), 2, "{samples:?}");
    for (thread, methods) in samples {
        let total: f64 = methods.values().sum();
        assert!(total > 500.0, "{thread}: {total} samples");
        for method in ["Sixty", "Thirty", "Ten"] {
            let found = share(methods, method);
            let clock = share(&truths.milliseconds[thread], method);
            let turns = share(&truths.turns[thread], method);
            let expect = found.clamp(clock.min(turns), clock.max(turns));
            let deviation = (found - expect).abs() / (expect * (1.0 - expect) / total).sqrt();
            if deviation > 4.0 {
                report += &format!(
                    "{thread} {method}: {found}, expected {clock} by the clock or {turns} by turns: {deviation:.2} standard errors\n"
                );
            }
        }
    }
    report
}

fn share(methods: &BTreeMap<String, f64>, method: &str) -> f64 {
    methods[method] / methods.values().sum::<f64>()
}

/// Counts the samples of a recording by thread and method.
fn samples_in(file: &Path) -> Sums {
    let tree = json(&["tree", "--metric", "samples", "--min-percent", "0"], file);
    let mut samples = Sums::new();
    let mut thread = "";
    // identifies a thread by the method it runs
    for row in tree["rows"].as_array().unwrap() {
        let name = row["display"].as_str().unwrap();
        match name.rsplit('.').next().unwrap() {
            "RunDirect" => thread = "direct",
            "RunNested" => thread = "nested",
            method @ ("Sixty" | "Thirty" | "Ten") => {
                let methods = samples.entry(thread.into()).or_default();
                *methods.entry(method.into()).or_default() += row["inclusive"].as_f64().unwrap();
            }
            _ => {}
        }
    }
    samples
}

#[test]
fn a_process_is_recorded_by_pid_until_it_exits() {
    let scene = present!(Scene::alone());
    check_shares(|| {
        let workload = scene.workload("3");
        let run = scene.run(&format!(
            "record --pid {} -o a.nettrace --force",
            workload.pid()
        ));
        let threads = "3 threads, 100.0 % of frames have names";
        run.check(0, &["(Workload, .NET 3.1.23); ctrl-c stops", threads]);
        (scene.path("a.nettrace"), workload.truth())
    });
    scene.check_files(&["a.nettrace"]);
}

#[test]
fn ctrl_c_stops_a_recording_cleanly_and_leaves_the_process_running() {
    let scene = present!(Scene::alone());
    let workload = scene.resting_workload();
    let recording = scene.spawn("record --name WORKLOAD -o a.nettrace");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(scene.path("a.nettrace.part").exists());
    let run = interrupt(recording);
    run.check(0, &["wrote a.nettrace", "100.0 % of frames have names"]);
    // once more, with two recordings at a time
    let line = "record --name Workload.dll --duration 1s -o";
    let others = ["b", "c"].map(|name| scene.spawn(&format!("{line} {name}.nettrace")));
    for other in others {
        wait_for_end(other).check(0, &["for 1 s", "100.0 % of frames have names"]);
    }
    assert!(is_alive(&workload.pid()));
}

/// Exports the tree of a process found by name: threads with sample counts, and below them methods with their modules.
#[test]
fn the_tree_of_a_process_found_by_name_has_threads_with_counts() {
    let scene = present!(Scene::alone());
    let none = scene.run("record -o a.nettrace -- true");
    none.check(125, &["before a .NET runtime started"]);
    let run = scene.run(&format!("record -o a.nettrace -- {} 1", scene.program()));
    run.check(0, &["wrote a.nettrace"]);
    let tree =
        scene.run("tree a.nettrace --process Workload --metric samples --depth 2 --raw-names");
    tree.check(0, &[]);
    assert_contains(
        &tree.out,
        "System.Private.CoreLib!System.Threading.ThreadHelper.ThreadStart()",
    );
    assert_eq!(tree.out.matches("Thread (").count(), 3, "{}", tree.out);
}

#[test]
fn a_started_program_is_recorded_and_its_exit_code_passed_on() {
    let scene = present!(Scene::alone());
    let run = scene.run(&format!("record -o a.nettrace -- {} 1 7", scene.program()));
    let late = "ms are missing: .NET Core 3 can't be made to wait at startup";
    let threads = "3 threads, 100.0 % of frames have names";
    run.check(7, &[late, "(Workload, .NET 3.1.23)", threads]);
    let late = number_after(&run.err, "the first ");
    assert!(late < 1_000.0, "{}", run.err);
    assert_contains(&run.out, "truth nested Ten");
    // nothing else is left: neither socket nor folder
    scene.check_files(&["a.nettrace"]);
    // a shell as wrapper
    let mut command = scene.dotspot(&words("record -o b.nettrace --duration 500ms -- sh -c"));
    command.arg(format!("{} 1; exit 3", scene.program()));
    let run = finish(command.output().unwrap());
    run.check(3, &["for 0.5 s", "100.0 % of frames have names"]);
    // the program keeps running
    assert_contains(&run.out, "truth nested Ten");
    scene.check_files(&["a.nettrace", "b.nettrace"]);
}

/// The number that follows `words`.
fn number_after(text: &str, words: &str) -> f64 {
    let rest = text.split(words).nth(1).unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn programs_that_cannot_be_recorded_have_their_own_exit_codes() {
    let scene = present!(Scene::with_others());
    let check = |line: &str, code: i32, sentence: &str| scene.run(line).check(code, &[sentence]);
    let missing = "no-such-program can't be started: no such file or directory";
    check("record -o a.nettrace -- no-such-program", 127, missing);
    let forbidden = "/etc/passwd can't be started: permission denied";
    check("record -o a.nettrace -- /etc/passwd", 126, forbidden);
    let nothing = "nothing was recorded: the program ended before a .NET runtime started";
    check("record -o a.nettrace -- false", 125, nothing);
    check("record --pid 1 -- true", 2, "cannot be used with");
    check(
        "record",
        2,
        "specify what to record: --pid PID, --name NAME or -- COMMAND",
    );
    scene.check_files(&[]);
    // an unwritable output is reported before anything is started
    let started = scene.path("started");
    for (out, sentence) in [
        (
            "none/a.nettrace",
            "can't be written: no such file or directory",
        ),
        (
            "b.nettrace",
            "already exists, perhaps from an interrupted recording; choose another file",
        ),
    ] {
        fs::write(scene.path("b.nettrace.part"), "").unwrap();
        let line = format!("record -o {out} -- touch {}", started.display());
        check(&line, 1, &format!("{out}.part {sentence}"));
        assert!(!started.exists());
        fs::remove_file(scene.path("b.nettrace.part")).unwrap();
    }
    fs::write(scene.path("a.nettrace"), "").unwrap();
    let exists = "a.nettrace already exists; choose another file";
    check("record -o a.nettrace -- true", 1, exists);
}

#[test]
fn ctrl_c_stops_the_recording_before_the_program() {
    let scene = present!(Scene::alone());
    let line = format!("record -o a.nettrace -- {} 60 {RESTING}", scene.program());
    let recording = scene.spawn(&line);
    scene.wait_for("a.nettrace.part", 20_000);
    let run = interrupt(recording);
    // .NET Core 3.1 exits cleanly on SIGINT, with the matching exit code
    // a sample taken in the first moments may precede its method's name
    run.check(130, &["wrote a.nettrace (", "% of frames have names"]);
    assert!(scene.path("a.nettrace").exists());
}

#[test]
fn killing_dotspot_leaves_the_program_running() {
    let scene = present!(Scene::with_others());
    let done = scene.path("done");
    let script = format!(
        "{} 3 {RESTING} && touch {}",
        scene.program(),
        done.display()
    );
    let mut command = scene.dotspot(&["record", "-o", "a.nettrace", "--", "sh", "-c", &script]);
    let mut recording = command.stdout(Stdio::null()).spawn().unwrap();
    scene.wait_for("a.nettrace.part", 10_000);
    send("KILL", recording.id());
    recording.wait().unwrap();
    wait("the normal end of the program", || done.exists());
    // the next recording cleans up what was left, and the partial recording can be opened
    scene.opens("a.nettrace.part");
    scene.run("record -- true").check(125, &[]);
    scene.check_files(&["a.nettrace.part", "done"]);
}

#[test]
fn a_killed_process_leaves_a_file_that_opens_with_names() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    let recording = scene.spawn(&format!("record --pid {} -o a.nettrace", workload.pid()));
    std::thread::sleep(Duration::from_millis(1500));
    send("KILL", workload.child.id());
    let run = wait_for_end(recording);
    let incomplete = "the recording is incomplete: the process ended abruptly";
    run.check(1, &[incomplete, "wrote a.nettrace.part"]);
    assert!(number_after(&run.err, "threads, ") > 95.0, "{}", run.err);
    let hotspots = json(&["hotspots"], &scene.path("a.nettrace.part"));
    assert_ends_with(
        hotspots["rows"][0]["display"].as_str().unwrap(),
        "Hot.Sixty",
    );
    // a file with this name is in the way now
    let workload = scene.resting_workload();
    let run = scene.run(&format!("record --pid {} -o a.nettrace", workload.pid()));
    let left = "a.nettrace.part already exists";
    run.check(1, &[left]);
}

#[test]
fn the_recorded_events_can_be_chosen() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    let line = format!(
        "record --pid {} --duration 500ms --force -o a.nettrace",
        workload.pid()
    );
    for (options, code, sentences) in [
        (
            "--profile gc,exceptions --buffer 1",
            0,
            &["100.0 % of frames have names"][..],
        ),
        (
            "--providers Microsoft-DotNETCore-SampleProfiler",
            0,
            &["100.0 % of frames have names"],
        ),
        // it hardly allocates
        (
            "--profile alloc",
            0,
            &["no samples", "--profile cpu records samples"],
        ),
        (
            "--profile all",
            2,
            &["[possible values: cpu, gc, alloc, exceptions]"],
        ),
        (
            "--providers A:g",
            2,
            &["--providers: keywords are a hexadecimal number; g of A is not"],
        ),
    ] {
        scene
            .run(&format!("{line} {options}"))
            .check(code, sentences);
    }
    let run = scene.run("record --duration 0s");
    run.check(2, &["a recording must be longer than 0 s"]);
}

#[test]
fn a_stopped_process_does_not_hang_dotspot() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    send("STOP", workload.child.id());
    let started = Instant::now();
    let run = scene.run(&format!("record --pid {} -o a.nettrace", workload.pid()));
    let holding = "stopped. Another diagnostics tool may be holding its port";
    run.check(
        1,
        &[&format!(
            "(Workload) does not answer; its state is: {holding}"
        )],
    );
    assert_contains(scene.run("ps").out, "its state is: stopped");
    assert!(started.elapsed() < Duration::from_secs(12));
    send("CONT", workload.child.id());
}

/// A process stopped by a debugger or shell can't end its recording: dotspot can wait or give up.
#[test]
fn a_second_ctrl_c_gives_up_and_the_first_waits() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    let begin = |file: &str| {
        let recording = scene.spawn(&format!("record --pid {} -o {file}", workload.pid()));
        scene.wait_for(&format!("{file}.part"), 10_000);
        send("STOP", workload.child.id());
        send("INT", recording.id());
        std::thread::sleep(Duration::from_millis(700));
        recording
    };
    let mut waiting = begin("a.nettrace");
    assert!(waiting.try_wait().unwrap().is_none(), "it waits");
    send("CONT", workload.child.id());
    wait_for_end(waiting).check(0, &["wrote a.nettrace (", "100.0 % of frames have names"]);
    let run = interrupt(begin("b.nettrace"));
    let nameless = "it was stopped before its method names arrived";
    run.check(1, &[nameless, "wrote b.nettrace.part"]);
    scene.opens("b.nettrace.part");
    send("CONT", workload.child.id());
    // the process is unharmed
    let line = format!(
        "record --pid {} --duration 300ms -o c.nettrace",
        workload.pid()
    );
    scene.run(&line).check(0, &["100.0 %"]);
}

#[test]
fn a_full_disk_keeps_what_was_written() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    // files may have at most 50 kB
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" record -o a.nettrace --pid \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_dotspot"), &workload.pid()]);
    command.env("DOTSPOT_CONFIG", "");
    command.current_dir(scene.folder.path());
    let run = finish(scene.environment(&mut command).output().unwrap());
    let incomplete = "the recording is incomplete: the file can't be written";
    run.check(1, &[incomplete, "wrote a.nettrace.part"]);
    assert!(is_alive(&workload.pid()));
    scene.opens("a.nettrace.part");
}

#[test]
fn processes_are_listed() {
    let scene = present!(Scene::with_others());
    let workload = scene.resting_workload();
    let listed = scene.run("ps --json");
    let (_, document) = schema::check(&listed.out, "ps");
    let mut rows = document["processes"].as_array().unwrap().iter();
    let row = rows.find(|row| row["pid"] == workload.child.id());
    let row = row.unwrap_or_else(|| panic!("{}", listed.out));
    let members = ["name", "runtime", "can_be_recorded", "reason"].map(|name| row[name].clone());
    assert_eq!(
        members,
        ["Workload".into(), "3.1.23".into(), true.into(), Value::Null]
    );
    assert!(row["uptime_seconds"].as_f64().unwrap() < 60.0);
    assert_eq!(row["arguments"][2], "60");
    let mut off = Command::new(&scene.runtime.dotnet);
    off.arg(&scene.runtime.workload)
        .arg("60")
        .stdout(Stdio::piped());
    off.env("COMPlus_EnableDiagnostics", "0");
    off.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1");
    let mut off = off.spawn().unwrap();
    let pid = off.id();
    let maps = || fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    wait("the runtime is loaded", || maps().contains("libcoreclr"));
    let sentence = format!(
        "process {pid} (Workload) runs .NET but has its diagnostic port disabled (COMPlus_EnableDiagnostics=0); restart it without that"
    );
    assert_contains(scene.run("ps").out, &sentence);
    let line = format!("record --pid {pid}");
    scene.run(&line).check(1, &[&sentence]);
    off.kill().unwrap();
    off.wait().unwrap();
    let gone = format!("dotspot: there is no process {pid}\n");
    assert_eq!(scene.run(&line).err, gone);
}

/// Two profiles at once: the share of each of three methods, which never wait, is within 2 points of that by the program's own clock,
/// and its share of CPU time at most 2 points above. It may be lower: .NET Core 3.1 reports threads that allocate as running native code.
/// A recording of 2 s has an error of 0.8 points, so if one is off, up to seven more are added to it. On a busy machine the sampler is
/// late while the clock keeps running: then 6 points are allowed, whereas counting allocations as samples would be off by 60.
#[test]
fn pairs_of_profiles_give_each_method_its_time() {
    let scene = present!(Scene::alone());
    let mix = present!(mix(&scene, 2000));
    for pair in ["cpu,gc", "alloc,exceptions"] {
        check_pair(&scene, &mix, pair);
    }
}

/// Compiles `Mix.cs` to run for this many milliseconds instead of 4,000.
fn mix(scene: &Scene, milliseconds: u32) -> Option<PathBuf> {
    let text = fs::read_to_string(crate::common::shared("nettrace/Mix.cs")?).unwrap();
    assert!(text.contains("<4000"));
    let source = scene.path("tmp").join(format!("Mix{milliseconds}.cs"));
    fs::write(&source, text.replace("<4000", &format!("<{milliseconds}"))).unwrap();
    Some(compile(&source, &scene.runtime.assemblies))
}

const MIX: [&str; 3] = ["Pure", "AllocA", "Parse"];

/// Milliseconds of each method.
#[derive(Clone, Copy, Debug, Default)]
struct MixTimes {
    clock: [f64; 3],
    wall: [f64; 3],
    cpu: [f64; 3],
}

fn check_pair(scene: &Scene, mix: &Path, pair: &str) {
    let mut times = MixTimes::default();
    for turn in 0..8 {
        let max_error = if turn < 3 { 2.0 } else { 6.0 };
        record_mix(scene, mix, pair, &mut times);
        let sum = |times: [f64; 3]| times.iter().sum::<f64>();
        let is_right = |at: usize| {
            let points = 100.0 * times.clock[at] / sum(times.clock);
            let wall = 100.0 * times.wall[at] / sum(times.wall);
            let cpu = 100.0 * times.cpu[at] / sum(times.clock);
            (wall - points).abs() <= max_error && cpu - points <= max_error
        };
        if (0..3).all(is_right) {
            return;
        }
    }
    panic!("{pair}: {MIX:?} have {times:?}");
}

/// Adds the times of one recording. Only `alloc` has allocation ticks.
fn record_mix(scene: &Scene, mix: &Path, pair: &str, times: &mut MixTimes) {
    let program = format!("{} {}", scene.runtime.dotnet.display(), mix.display());
    let options = "--force --no-open -o a.nettrace --profile";
    let run = scene.run(&format!("record {options} {pair} -- {program}"));
    run.check(0, &["% of frames have names"]);
    let file = scene.path("a.nettrace");
    let metrics = json(&["info"], &file)["metrics"].to_string();
    let has_ticks = metrics.contains("allocated");
    assert_eq!(has_ticks, pair.contains("alloc"), "{pair}");
    let (wall, cpu) = (values(&file, "wall"), values(&file, "CPU"));
    // truth ms: Pure 3511 AllocA 229 Parse 241
    let words: Vec<&str> = run.out.split_whitespace().collect();
    for (index, method) in MIX.iter().enumerate() {
        let at = words.iter().position(|word| word == method).unwrap();
        times.clock[index] += words[at + 1].parse::<f64>().unwrap();
        let name = format!("Mix.{method}");
        times.wall[index] += wall.get(&name).copied().unwrap_or(0.0);
        times.cpu[index] += cpu.get(&name).copied().unwrap_or(0.0);
    }
}

/// The inclusive values of all methods in a metric.
fn values(file: &Path, metric: &str) -> BTreeMap<String, f64> {
    let hotspots = json(&["hotspots", "--metric", metric, "--top", "0"], file);
    let rows = hotspots["rows"].as_array().unwrap().iter();
    let name = |row: &Value| row["display"].as_str().unwrap().into();
    rows.map(|row| (name(row), row["inclusive"].as_f64().unwrap()))
        .collect()
}

/// A 1 MB buffer holds the ticks of about 1.4 s while nobody reads them.
#[test]
fn lost_events_are_in_the_last_line() {
    let scene = present!(Scene::with_others());
    let mix = present!(mix(&scene, 4000));
    let program = format!("{} {}", scene.runtime.dotnet.display(), mix.display());
    let options = "-o a.nettrace --profile cpu,alloc --buffer 1";
    let recording = scene.spawn(&format!("record {options} -- {program}"));
    scene.wait_for("a.nettrace.part", 10_000);
    send("STOP", recording.id());
    std::thread::sleep(Duration::from_millis(2500));
    send("CONT", recording.id());
    let run = wait_for_end(recording);
    run.check(0, &["events lost: a larger --buffer loses fewer"]);
    let info = json(&["info"], &scene.path("a.nettrace"));
    let mut diagnostics = info["diagnostics"].as_array().unwrap().iter();
    let dropped = diagnostics
        .find(|row| row["code"] == "events-dropped")
        .unwrap();
    let count = dropped["count"].as_u64().unwrap();
    assert!(count > 100, "{dropped}");
    let mut parts = run
        .err
        .split("; ")
        .filter_map(|part| part.split_once(" of "));
    let (said_count, _) = parts.next().unwrap();
    assert_eq!(
        said_count.replace(',', ""),
        count.to_string(),
        "{}",
        run.err
    );
}
