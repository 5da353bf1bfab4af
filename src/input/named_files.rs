//! Files on this machine that a profile names: programs and libraries with the recorded code, and maps of code.
//! Profiles are not trusted: only regular files at absolute paths without links are opened. The reader checks that a
//! file is the recorded one.

use super::source::{Input, ProbedFiles};
use std::fs::File;
use std::path::{Component, Path, PathBuf};

/// Programs have a few hundred libraries.
const MAX_FILES: usize = 2_000;
/// Programs with all their symbols have hundreds of megabytes.
const MAX_BYTES: u64 = 4_000_000_000;
/// Their content is not on a disk of this machine.
const VIRTUAL_FOLDERS: [&str; 5] = ["/dev", "/proc", "/sys", "/net", "/afs"];

#[derive(Default)]
pub(crate) struct NamedFiles {
    probed: ProbedFiles,
    count: usize,
}

impl NamedFiles {
    pub(crate) fn of(input: &Input) -> NamedFiles {
        NamedFiles {
            probed: input.probed_files(),
            count: 0,
        }
    }

    pub(crate) fn open(&mut self, path: &Path) -> Option<File> {
        let is_plain = path
            .components()
            .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
        let is_virtual = VIRTUAL_FOLDERS
            .iter()
            .any(|folder| path.starts_with(folder));
        if !cfg!(unix) || !path.is_absolute() || !is_plain || is_virtual || self.count == MAX_FILES
        {
            return None;
        }
        self.count += 1;
        self.probed.add(path);
        let file = super::source::open_without_links(path).ok()?;
        let is_small = file.metadata().ok()?.len() <= MAX_BYTES;
        is_small.then_some(file)
    }

    /// For a file that anyone could have created: it must belong to this user or to root.
    #[cfg(unix)]
    pub(crate) fn open_trusted(&mut self, path: &Path) -> Option<File> {
        use std::os::unix::fs::MetadataExt as _;
        let file = self.open(path)?;
        let owner = file.metadata().ok()?.uid();
        let is_trusted = owner == 0 || owner == rustix::process::geteuid().as_raw();
        is_trusted.then_some(file)
    }

    #[cfg(not(unix))]
    pub(crate) fn open_trusted(&mut self, _: &Path) -> Option<File> {
        None
    }

    /// Opens perf's copy of a file: `~/.debug/PATH/BUILD-ID/NAME`.
    pub(crate) fn open_in_perf_cache(&mut self, path: &str, id: &str, name: &str) -> Option<File> {
        let folder: PathBuf = std::env::home_dir()?.join(".debug");
        let folder = folder.join(path.trim_start_matches('/'));
        self.open(&folder.join(id).join(name))
    }
}
