//! A made-up machine with dotspot on it: a home folder, a search path with the given programs, a cache folder and a
//! folder for temporary files.

use super::processes::write_program;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub use super::run::Run;

/// A script for `mcs` that creates the expected output.
pub const BUILDS: &str = ": > out/dotspot-dtp.exe";

/// The script that stands in for Reporter. If it exists, an environment variable names it.
pub const REPORTER: &str = "run-reporter";

pub struct Machine {
    /// The working directory of dotspot.
    pub folder: TempDir,
    /// The width of its output.
    pub columns: Option<u16>,
}

impl Machine {
    /// A machine with no programs except dotspot.
    pub fn empty() -> Machine {
        let machine = Machine {
            folder: tempfile::tempdir().unwrap(),
            columns: None,
        };
        for folder in ["home", "bin", "tmp"] {
            fs::create_dir(machine.path(folder)).unwrap();
        }
        // first on the search path, so that there is no SDK here, whatever the real machine has
        machine.script("dotnet", "exit 0");
        machine
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a program to the search path. `$HERE` is this machine's folder.
    pub fn script(&self, name: &str, text: &str) {
        let here = self.folder.path().display();
        let text = format!("HERE='{here}'\nPATH=/usr/bin:/bin\n{text}");
        write_program(&self.path("bin").join(name), &text);
    }

    /// Adds stand-ins for Mono's compiler and runtime to the search path, which run these scripts and log their
    /// arguments.
    pub fn add_mono(&self, compile: &str, run: &str) {
        let version = "test \"$1\" = --version && echo Mono C# compiler version 6.8.0 && exit";
        let mcs = format!("{version}\necho \"$@\" >> \"$HERE/mcs.calls\"\n{compile}");
        self.script("mcs", &mcs);
        let mono = format!("printf '%s\\n' \"$*\" >> \"$HERE/mono.calls\"\n{run}");
        self.script("mono", &mono);
    }

    /// Adds the real Mono, which must be installed, to the search path.
    pub fn link_mono(&self) {
        let folders = std::env::var_os("PATH").unwrap();
        for program in ["mcs", "mono"] {
            let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(program));
            let real = paths.find(|path| path.is_file()).expect("it was started");
            std::os::unix::fs::symlink(real, self.path("bin").join(program)).unwrap();
        }
    }

    /// The environment variables.
    pub fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let folders = [
            ("PATH", "bin"),
            ("HOME", "home"),
            ("TMPDIR", "tmp"),
            ("XDG_CACHE_HOME", "cache"),
        ];
        let reporter = Some(("DOTSPOT_REPORTER", self.path("bin").join(REPORTER)))
            .filter(|(_, path)| path.exists());
        folders
            .into_iter()
            .map(|(name, folder)| (name, self.path(folder)))
            .chain(reporter)
            .collect()
    }

    /// The real program on this machine.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        command.args(args).env_clear().envs(self.variables());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.envs(self.columns.map(|columns| ("COLUMNS", columns.to_string())));
        command
    }

    pub fn dotspot(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}
