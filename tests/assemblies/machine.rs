//! A machine that is made up: a home, a search path with what it should have, a snapshot.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// What a run of dotspot gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Run { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A tree as the helper writes it. The root has 30 ms in one thread, of which `Acme.Work` has 20 itself and `Acme.Rest` 10.
pub const TREE: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"elsewhere.dtp","thread_count":1,"node_count":null,
"payload_type":"tracing","time_unit":"ms","decoder":"assemblies","decoder_version":"dotspot-dtp 9.9, Stand-in 1.2","warnings":["as told"]},
"thread_roots":[{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1}],
"call_tree":{"id":"root","name":"All threads","kind":"root","inclusive_time":30,"exclusive_time":0,"call_count":0,"children":[
{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1,"children":[
{"id":"t1:n1","name":"Acme.Work","kind":"method","inclusive_time":30,"exclusive_time":20,"call_count":2,"children":[
{"id":"t1:n2","name":"Acme.Rest","kind":"method","inclusive_time":10,"exclusive_time":10,"call_count":7,"children":[]}]}]}]},
"hotspots":{"inclusive":[],"exclusive":[]}}
"#;

/// A `mono` that writes [`TREE`] to the file that it is told.
pub const WRITES_TREE: &str = "cat \"$HERE/tree.json\" > \"$4\"";

/// A `mcs` that makes what it is told to make.
pub const BUILDS: &str = ": > out/dotspot-dtp.exe";

pub struct Machine {
    pub folder: TempDir,
}

impl Machine {
    /// A machine with nothing but a snapshot, `snap.dtp`.
    pub fn bare() -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "bin", "tmp"] {
            fs::create_dir(machine.path(folder)).unwrap();
        }
        fs::write(machine.path("snap.dtp"), "MFDTPF and more").unwrap();
        fs::write(machine.path("snap.dtp.0000"), "sections").unwrap();
        fs::write(machine.path("tree.json"), TREE).unwrap();
        // the first one on the search path: whatever the machine has on which this test runs, here is no SDK
        machine.script("dotnet", "exit 0");
        machine
    }

    /// A machine with stand-ins for Mono's compiler and runtime, which do as the scripts say.
    pub fn with_mono(compile: &str, run: &str) -> Machine {
        let machine = Machine::bare();
        machine.script(
            "mcs",
            &format!("test \"$1\" = --version && echo Mono C# compiler version 6.8.0 && exit\necho \"$@\" >> $HERE/mcs.calls\n{compile}"),
        );
        machine.script("mono", &format!("printf '%s\\n' \"$*\" >> $HERE/mono.calls\n{run}"));
        machine
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a program on the search path. `$HERE` is this machine's folder.
    ///
    /// Another process writes it: a program that this process has open for writing, while another test starts one, can't be
    /// run for a moment.
    pub fn script(&self, name: &str, text: &str) {
        let here = self.folder.path().display();
        let text = format!("#!/bin/sh\nHERE='{here}'\nPATH=/usr/bin:/bin\n{text}\n");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"]);
        assert!(shell.arg(self.path("bin").join(name)).arg(text).status().unwrap().success());
    }

    /// The lines of `mcs.calls` or `mono.calls`: how often something was run, with which arguments.
    pub fn calls(&self, program: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(&format!("{program}.calls"))).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// The real program on this machine.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        command.args(args).env_clear().current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("PATH", self.path("bin")).env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    pub fn dotspot(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Decodes the snapshot, with further arguments.
    pub fn decode(&self, args: &[&str]) -> Run {
        self.dotspot(&[&["hotspots", "snap.dtp", "--decoder", "assemblies"], args].concat())
    }

    /// Decodes the snapshot, which must give [`TREE`], and gives what was said besides.
    #[track_caller]
    pub fn decodes(&self, args: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("Acme.Work") && run.out.contains("20.0"), "{}", run.out);
        run.err
    }

    /// Decodes the snapshot, which must fail with this exit code and all of these words in what it says.
    #[track_caller]
    pub fn fails(&self, args: &[&str], code: i32, words: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{word:?} is not in {:?}", run.err);
        }
        assert_eq!(self.left_over(), Vec::<PathBuf>::new(), "nothing half-done is left behind");
        run.err
    }

    /// The folders of work under way, in the cache and in the folder for temporary files.
    pub fn left_over(&self) -> Vec<PathBuf> {
        let folders = [self.path("cache/dotspot"), self.path("tmp")];
        let items = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        let paths = items.map(|item| item.unwrap().path());
        paths.filter(|path| path.is_dir() && !path.ends_with("helper") && !path.ends_with("trees")).collect()
    }

    /// The trees that are kept.
    pub fn trees(&self) -> Vec<PathBuf> {
        let items = fs::read_dir(self.path("cache/dotspot/trees")).into_iter().flatten();
        items.map(|item| item.unwrap().path()).collect()
    }
}

/// Sets a file's time of change to so many seconds from now.
pub fn touch(path: &Path, seconds: u64) {
    let time = SystemTime::now() + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}
