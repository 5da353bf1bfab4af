//! The files of a snapshot: the index and its numbered files, recognized by first bytes and names.

use crate::words::words;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Of indexes. Older versions used `.dtt` for timeline snapshots.
const INDEXES: [&str; 2] = ["dtp", "dtt"];

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Family {
        /// An index with numbered files next to it.
        ManyFiles = "performance, numbered files",
        OneFile = "performance, one file",
        Timeline = "timeline",
        /// Starts like dotTrace's files, but is otherwise unknown.
        Unknown = "unknown",
        None = "none",
    }
}

impl Family {
    pub(super) fn of(bytes: &[u8]) -> Family {
        match bytes.first_chunk() {
            Some(b"MFDTPF") => Family::ManyFiles,
            Some(b"\xEEGDTPF") => Family::OneFile,
            Some(b"MFDTEM") => Family::Timeline,
            // fewer bytes than a family's name mean a truncated file
            Some([b'M', b'F', b'D', b'T', ..] | [0xEE, b'G', b'D', b'T', ..]) => Family::Unknown,
            _ => Family::None,
        }
    }

    pub(super) fn is_known(self) -> bool {
        !matches!(self, Family::Unknown | Family::None)
    }
}

fn has_extension(path: &Path, known: impl Fn(&str) -> bool) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| known(&extension.to_ascii_lowercase()))
}

pub(super) fn is_index(path: &Path) -> bool {
    has_extension(path, |extension| INDEXES.contains(&extension))
}

pub(super) fn is_timeline(path: &Path) -> bool {
    has_extension(path, |extension| extension == "dtt")
}

/// By name: `x.dtp` for `x.dtp.0000`, `x.dtp.State`, `x.dtp.DotSettings`.
pub(super) fn index_named_by(path: &Path) -> Option<PathBuf> {
    let is_number = |extension: &str| {
        extension.len() == 4 && extension.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_part = |extension: &str| {
        matches!(extension, "state" | "states" | "dotsettings") || is_number(extension)
    };
    let index = path.with_extension("");
    (has_extension(path, is_part) && is_index(&index)).then_some(index)
}

/// Like [`index_named_by`], in the case of the file that is there.
pub(super) fn index_next_to(path: &Path) -> Option<PathBuf> {
    let index = index_named_by(path)?;
    Some(SnapshotFolder::of(&index).find_ignoring_case(index))
}

pub(super) fn data_file(index: &Path, number: u16) -> PathBuf {
    sibling(index, &format!("{number:04}"))
}

pub(super) fn sibling(index: &Path, extension: &str) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// The index and its numbered files, given any of them; the index even if missing.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let folder = SnapshotFolder::of(path);
    let mut files = vec![index_next_to(path).unwrap_or_else(|| path.to_path_buf())];
    if let Some(name) = files[0].file_name() {
        let mut start = lower_case(name);
        start.push(b'.');
        let is_section = |name: &[u8]| {
            let number = name.strip_prefix(start.as_slice()).unwrap_or_default();
            number.len() >= 4 && number.iter().all(u8::is_ascii_digit)
        };
        let sections = folder.0.iter().filter(|(name, _)| is_section(name));
        let mut sections: Vec<_> = sections.collect();
        sections.sort_by_key(|(name, _)| (name.len(), *name));
        files.extend(sections.into_iter().map(|(_, path)| path.clone()));
    }
    files
}

/// The target of a linked index, if its sections are next to the target.
pub(super) fn resolve_link(index: PathBuf) -> PathBuf {
    if !index.is_symlink() || files_of(&index).len() > 1 {
        return index;
    }
    let target = std::fs::canonicalize(&index).ok();
    target
        .filter(|target| files_of(target).len() > 1)
        .unwrap_or(index)
}

/// By lower-case name.
pub(super) struct SnapshotFolder(BTreeMap<Vec<u8>, PathBuf>);

impl SnapshotFolder {
    pub(super) fn of(file: &Path) -> SnapshotFolder {
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        // of names that differ only in case, the first one wins
        files.sort_unstable_by(|a, b| b.cmp(a));
        let named = |path: PathBuf| Some((lower_case(path.file_name()?), path));
        SnapshotFolder(files.into_iter().filter_map(named).collect())
    }

    /// `path`, or the file whose name differs only in case, because snapshots move between systems.
    pub(super) fn find_ignoring_case(&self, path: PathBuf) -> PathBuf {
        let (Some(name), false) = (path.file_name(), path.exists()) else {
            return path;
        };
        self.0.get(&lower_case(name)).cloned().unwrap_or(path)
    }
}

fn lower_case(name: &OsStr) -> Vec<u8> {
    name.as_encoded_bytes().to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
