//! The machine as decoders see it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A family of operating systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Windows.
    Windows,
    /// macOS.
    MacOs,
    /// Linux, and whatever is like it.
    Linux,
}

/// The machine as decoders see it: its system, its environment variables, and where its file system begins.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The system.
    pub system: System,
    /// What absolute paths of installations are below; `/` except in tests.
    root: PathBuf,
    variables: HashMap<OsString, OsString>,
}

impl Surroundings {
    /// This machine.
    pub fn here() -> Surroundings {
        let system = match std::env::consts::OS {
            "windows" => System::Windows,
            "macos" => System::MacOs,
            _ => System::Linux,
        };
        Surroundings { system, root: PathBuf::from("/"), variables: std::env::vars_os().collect() }.settled()
    }

    /// A machine for tests, whose file system begins at `root` and which has these environment variables.
    pub fn made_up(system: System, root: &Path, variables: &[(&str, &OsStr)]) -> Surroundings {
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), value.to_os_string())).collect();
        Surroundings { system, root: root.to_path_buf(), variables }.settled()
    }

    /// The names of variables in upper case where the system doesn't mind the case: Windows has `Path` and `SystemRoot`.
    fn settled(mut self) -> Surroundings {
        if self.system == System::Windows {
            self.variables =
                self.variables.into_iter().map(|(name, value)| (name.to_ascii_uppercase(), value)).collect();
        }
        self
    }

    /// The environment variables, for programs that are started.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of an environment variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let in_upper_case = name.to_ascii_uppercase();
        let name = if self.system == System::Windows { &in_upper_case } else { name };
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// A folder that an environment variable names. Paths that are not absolute count as not set.
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// A place that is the same on every machine of the system, such as `/opt`.
    pub fn fixed(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.folder(if self.system == System::Windows { "USERPROFILE" } else { "HOME" })
    }
}
