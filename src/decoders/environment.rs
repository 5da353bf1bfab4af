//! The machine as decoders see it, which tests can fake.

use crate::words::words;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum System {
        Windows = "Windows",
        MacOs = "macOS",
        Linux = "Linux",
    }
}

#[derive(Clone, Debug)]
pub struct Environment {
    pub system: System,
    root: PathBuf,
    pub(super) variables: HashMap<OsString, OsString>,
}

impl Environment {
    pub fn here() -> Environment {
        let system = match std::env::consts::OS {
            "windows" => System::Windows,
            "macos" => System::MacOs,
            _ => System::Linux,
        };
        Environment::new(system, Path::new("/"), std::env::vars_os())
    }

    pub fn synthetic(system: System, root: &Path, variables: &[(&str, &OsStr)]) -> Environment {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| ((*name).into(), (*value).into()));
        Environment::new(system, root, variables)
    }

    fn new(
        system: System,
        root: &Path,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Environment {
        let entry =
            |(name, value): (OsString, _)| (variable_key(system, &name).into_owned(), value);
        Environment {
            system,
            root: root.to_path_buf(),
            variables: variables.map(entry).collect(),
        }
    }

    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let name = variable_key(self.system, OsStr::new(name));
        self.variables
            .get(&*name)
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.variable(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }

    /// A path that is the same on every machine of the system, such as `/opt`.
    pub fn fixed(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.folder(if self.system == System::Windows {
            "USERPROFILE"
        } else {
            "HOME"
        })
    }

    /// Relative folders are skipped: a downloaded folder must not bring its own programs.
    pub fn program_folders(&self) -> Vec<PathBuf> {
        let folders = self
            .variable("PATH")
            .into_iter()
            .flat_map(std::env::split_paths);
        let mut seen = HashSet::new();
        let is_new = |folder: &PathBuf| folder.is_absolute() && seen.insert(folder.clone());
        folders.filter(is_new).collect()
    }

    pub(super) fn temporary_folder(&self) -> PathBuf {
        let variable = match self.system {
            System::Windows => "TEMP",
            System::MacOs | System::Linux => "TMPDIR",
        };
        self.folder(variable).unwrap_or_else(std::env::temp_dir)
    }

    /// A new private folder, which is removed when it is dropped.
    pub(super) fn scratch(&self) -> io::Result<TempDir> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("dotspot-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        builder.tempdir_in(absolute(&self.temporary_folder()))
    }
}

/// Child processes run in another working directory, and an absolute path never looks like an option.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

pub(super) fn is_program(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    meta.is_file() && may_run
}

/// Windows ignores case, and calls one variable `Path`.
fn variable_key(system: System, name: &OsStr) -> Cow<'_, OsStr> {
    if system == System::Windows {
        name.to_ascii_uppercase().into()
    } else {
        name.into()
    }
}

/// The existing paths below `base` that match a pattern, sorted. Its components are separated by `/`, and may end in
/// `*`.
pub(super) fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![base.to_path_buf()];
    for name in pattern.split('/') {
        found = if name.contains('*') {
            found
                .iter()
                .flat_map(|folder| names_like(folder, name))
                .collect()
        } else {
            let paths = found.iter().map(|folder| folder.join(name));
            paths.filter(|path| path.exists()).collect()
        };
    }
    found
}

/// The members of a folder whose names match the pattern, ignoring case, as Windows and macOS do.
fn names_like(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let start = pattern.trim_end_matches('*').to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let matches =
        |name: std::ffi::OsString| name.to_string_lossy().to_lowercase().starts_with(&start);
    let matching = entries.filter(|entry| matches(entry.file_name()));
    let mut paths: Vec<PathBuf> = matching.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

#[cfg(test)]
mod tests;
