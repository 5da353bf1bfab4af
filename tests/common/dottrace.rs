//! The helper built with Mono, stand-ins for JetBrains' libraries, installations made of them, and snapshots that they
//! can read.

use super::missing;
use std::fmt::Display;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The stand-ins in `helper/contract`, each after its dependencies. The first has no original.
pub const ALL: &[&str] = &[
    "Dotspot.StandIn",
    "JetBrains.Lifetimes",
    "JetBrains.Platform.Core",
    "JetBrains.Profiler.Snapshot.Interface",
    "JetBrains.Profiler.Snapshot",
    "JetBrains.dotTrace.Snapshot.Performance",
    "JetBrains.DotTrace.Dal",
    "JetBrains.Profiler.Windows",
    "JetBrains.dotTrace.SnapShotApi",
];

/// The helper and the stand-ins, built with Mono's compiler.
pub struct Mono {
    folder: PathBuf,
}

/// Mono's compiler and runtime, with everything built for them, once per version of the sources. Prints a message and
/// returns `None` if Mono is not installed.
///
/// # Panics
/// If something does not build, or if Mono is missing while `DOTSPOT_REQUIRE_DATA` is set.
pub fn mono() -> Option<&'static Mono> {
    static MONO: OnceLock<Option<Mono>> = OnceLock::new();
    let mono = MONO.get_or_init(|| (starts("mcs") && starts("mono")).then(Mono::build));
    if mono.is_none() {
        missing("mcs or mono is not installed (Debian: mono-mcs mono-runtime)");
    }
    mono.as_ref()
}

/// Whether a program exists and prints its version.
fn starts(program: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}

fn helper_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("helper")
}

/// The C# files in a folder, sorted by name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cs"));
    files.sort();
    assert!(!files.is_empty(), "no sources in {}", folder.display());
    files
}

fn stand_in(library: &str) -> PathBuf {
    helper_folder().join(format!("contract/{library}.cs"))
}

impl Mono {
    fn build() -> Mono {
        let mut hasher = DefaultHasher::new();
        let stand_ins = ALL.iter().map(|library| stand_in(library));
        for file in sources(&helper_folder()).into_iter().chain(stand_ins) {
            (&file, fs::read(&file).unwrap()).hash(&mut hasher);
        }
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = base.join(format!("dottrace-{:016x}", hasher.finish()));
        if !folder.is_dir() {
            let fresh = tempfile::tempdir_in(base).unwrap();
            let libraries = fresh.path().join("libraries");
            fs::create_dir(&libraries).unwrap();
            for library in ALL {
                compile_library(&libraries, &stand_in(library), library, &libraries);
            }
            build_helper(&fresh.path().join("dotspot-dtp.exe"));
            // another process may have built the same faster
            let _ = fs::rename(fresh.path(), &folder);
        }
        assert!(folder.join("dotspot-dtp.exe").is_file());
        Mono { folder }
    }

    /// The helper's path, to be run with `mono`.
    pub fn helper(&self) -> PathBuf {
        self.folder.join("dotspot-dtp.exe")
    }

    /// The folder with all stand-ins. It is shared and must not be changed; make installations with [`lay_out`].
    pub fn libraries(&self) -> PathBuf {
        self.folder.join("libraries")
    }

    /// A command that starts the helper with an empty home folder.
    pub fn helper_command(&self) -> Command {
        let mut command = Command::new("mono");
        command
            .arg(self.helper())
            .env("HOME", &self.folder)
            .env_remove("JETBRAINS_PROFILER_PATH");
        command
    }

    /// Builds a program from the helper's sources and a file with another `Main`, once per version of the sources.
    pub fn build_tool(&self, source: &Path, main: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        fs::read(source).unwrap().hash(&mut hasher);
        let name = format!("{main}-{:016x}.exe", hasher.finish());
        let tool = self.folder.join(name);
        if !tool.is_file() {
            let fresh = tempfile::tempdir_in(&self.folder).unwrap();
            let exe = fresh.path().join("tool.exe");
            let mut compiler = Command::new("mcs");
            compiler
                .arg("-langversion:7")
                .arg(argument("-main:", main))
                .arg(argument("-out:", exe.display()));
            compile(compiler.arg(source).args(sources(&helper_folder())));
            fs::rename(exe, &tool).unwrap();
        }
        tool
    }

    /// Builds a stand-in into a folder, with its source modified by `change`, against the other, unmodified ones.
    pub fn build_changed(&self, library: &str, change: impl Fn(&str) -> String, into: &Path) {
        let source = fs::read_to_string(stand_in(library)).unwrap();
        let changed = change(&source);
        assert_ne!(source, changed, "the change did not apply to {library}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("changed.cs");
        fs::write(&file, changed).unwrap();
        // the file may be a link to the shared one
        let _ = fs::remove_file(into.join(format!("{library}.dll")));
        compile_library(into, &file, library, &self.libraries());
    }
}

/// Builds the helper as it is built for users of Mono.
fn build_helper(exe: &Path) {
    let mut compiler = Command::new("mcs");
    compiler
        .args(["-langversion:7", "-warn:4", "-warnaserror"])
        .arg(argument("-out:", exe.display()));
    compile(compiler.args(sources(&helper_folder())));
}

fn compile_library(into: &Path, source: &Path, library: &str, against: &Path) {
    let mut compiler = Command::new("mcs");
    compiler.args(["-langversion:7.2", "-target:library"]);
    let dll = |folder: &Path, library: &str| folder.join(format!("{library}.dll"));
    compiler.arg(argument("-out:", dll(into, library).display()));
    for needed in ALL.iter().take_while(|each| **each != library) {
        compiler.arg(argument("-r:", dll(against, needed).display()));
    }
    compile(compiler.arg(source));
}

fn argument(option: &str, value: impl Display) -> String {
    format!("{option}{value}")
}

fn compile(compiler: &mut Command) {
    let output = compiler.output().unwrap();
    let output_text = [output.stdout, output.stderr].concat();
    let output_text = String::from_utf8_lossy(&output_text);
    assert!(output.status.success(), "{compiler:?}\n{output_text}");
}

/// Creates folders of libraries below `root`. Each row is a folder and its libraries.
pub fn lay_out(libraries: &Path, root: &Path, folders: &[(&str, &[&str])]) {
    for (folder, names) in folders {
        let folder = root.join(folder);
        fs::create_dir_all(&folder).unwrap();
        for name in *names {
            let file = format!("{name}.dll");
            let (from, to) = (libraries.join(&file), folder.join(&file));
            fs::hard_link(&from, &to)
                .or_else(|_| fs::copy(&from, &to).map(|_| ()))
                .unwrap();
        }
    }
}

/// A node's values: inclusive ticks, exclusive ticks, calls.
pub type Values = [i64; 3];

/// The text of a snapshot for the stand-ins; `helper/contract/README.md` describes its lines. Depths count from 1, for
/// threads.
#[derive(Clone)]
pub struct Script(String);

impl Script {
    pub fn new(ticks_per_second: i64) -> Script {
        Script(format!("MFDTPF\nresolution\t{ticks_per_second}\n"))
    }

    /// Adds a line of words.
    pub fn line(mut self, words: &[&dyn Display]) -> Script {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        self.0 += &format!("{}\n", words.join("\t"));
        self
    }

    fn node(
        self,
        kind: &str,
        depth: usize,
        [inclusive, exclusive, calls]: Values,
        words: &[&dyn Display],
    ) -> Script {
        let mut line: Vec<&dyn Display> = vec![&kind, &depth, &inclusive, &exclusive, &calls];
        line.extend_from_slice(words);
        self.line(&line)
    }

    pub fn thread(self, name: &str, values: Values) -> Script {
        self.node("thread", 1, values, &[&name])
    }

    /// A node with a signature.
    pub fn method(self, depth: usize, values: Values, owner: &str, name: &str) -> Script {
        self.node("method", depth, values, &[&owner, &name])
    }

    /// A node with only the name that dotTrace shows.
    pub fn special(self, depth: usize, values: Values, label: &str) -> Script {
        self.node("special", depth, values, &[&label])
    }

    /// A node with only the id of its function.
    pub fn function(self, depth: usize, values: Values, uid: u64) -> Script {
        self.node("function", depth, values, &[&format!("{uid:#x}")])
    }

    /// A node with the id of its function and the name that dotTrace shows.
    pub fn labeled_function(self, depth: usize, values: Values, uid: u64, label: &str) -> Script {
        self.node("function", depth, values, &[&format!("{uid:#x}"), &label])
    }

    /// A chain of `length` nodes of one method, each with the exclusive time and the calls of `values`. Nodes added
    /// below the chain are below its last node.
    pub fn chain(
        self,
        depth: usize,
        values: Values,
        owner: &str,
        name: &str,
        length: u64,
    ) -> Script {
        self.node("chain", depth, values, &[&owner, &name, &length])
    }

    /// Adds the metadata of a function.
    pub fn name(self, uid: u64, owner: &str, name: &str) -> Script {
        self.line(&[&"name", &format!("{uid:#x}"), &owner, &name])
    }

    /// An event at the `nth` call of a member.
    pub fn at(self, member: &str, nth: u32, event: &str, text: &str) -> Script {
        self.line(&[&"at", &member, &nth, &event, &text])
    }

    /// Writes the snapshot, with an empty section file next to it.
    pub fn save(&self, folder: &Path, name: &str) -> PathBuf {
        let index = folder.join(name);
        fs::write(&index, &self.0).unwrap();
        fs::write(folder.join(format!("{name}.0000")), "").unwrap();
        index
    }
}

/// The result of a run.
pub struct Outcome {
    /// `None` after a signal
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Outcome {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).expect("standard error is UTF-8");
    Outcome {
        code: output.status.code(),
        stdout: output.stdout,
        stderr,
    }
}
