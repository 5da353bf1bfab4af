//! The files of a snapshot: the index and those beside it, told apart by first bytes and by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The extensions of indexes. `.dtt` is what timeline snapshots had in older versions.
const INDEXES: [&str; 2] = ["dtp", "dtt"];

/// What the first bytes of an index say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// A performance snapshot whose sections lie in files beside the index.
    ManyFiles,
    /// A performance snapshot in one file, as dotTrace's window saves it.
    OneFile,
    /// A timeline snapshot.
    Timeline,
}

impl Magic {
    /// The family that `bytes` begin like.
    pub fn of(bytes: &[u8]) -> Option<Magic> {
        match bytes.first_chunk::<6>()? {
            b"MFDTPF" => Some(Magic::ManyFiles),
            b"\xEEGDTPF" => Some(Magic::OneFile),
            b"MFDTEM" => Some(Magic::Timeline),
            _ => None,
        }
    }
}

fn has_extension(path: &Path, known: impl Fn(&str) -> bool) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| known(&extension.to_ascii_lowercase()))
}

/// Whether the file is named like an index.
pub(super) fn is_index(path: &Path) -> bool {
    has_extension(path, |extension| INDEXES.contains(&extension))
}

/// Whether the file is named like a timeline snapshot of older versions.
pub(super) fn is_timeline(path: &Path) -> bool {
    has_extension(path, |extension| extension == "dtt")
}

/// The index that a file belongs to by its name: `x.dtp` for `x.dtp.0000`, `x.dtp.State`, `x.dtp.DotSettings`.
pub(super) fn index_named_by(path: &Path) -> Option<PathBuf> {
    let is_number = |extension: &str| extension.len() == 4 && extension.bytes().all(|byte| byte.is_ascii_digit());
    let is_part = |extension: &str| matches!(extension, "state" | "states" | "dotsettings") || is_number(extension);
    let index = path.with_extension("");
    (has_extension(path, is_part) && is_index(&index)).then_some(index)
}

/// The file with the sections number `number` of the snapshot with this index.
pub(super) fn data_file(index: &Path, number: u16) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(format!(".{number:04}"));
    PathBuf::from(name)
}

/// The file at `path`, or the one beside it whose name differs in the case of letters only: snapshots move between
/// systems that mind case and systems that don't. `path` itself if there is none.
pub(super) fn found_ignoring_case(path: PathBuf) -> PathBuf {
    let (Some(name), false) = (path.file_name(), path.exists()) else { return path };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let same = |other: &OsStr| other.as_encoded_bytes().eq_ignore_ascii_case(name.as_encoded_bytes());
    let found = std::fs::read_dir(folder).ok().and_then(|entries| {
        let mut alike: Vec<PathBuf> =
            entries.flatten().filter(|entry| same(&entry.file_name())).map(|entry| entry.path()).collect();
        // the order of a folder's entries is not the same on every run
        alike.sort();
        alike.into_iter().next()
    });
    found.unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_named_by_the_files_beside_it() {
        #[track_caller]
        fn check(name: &str, expect: Option<&str>) {
            assert_eq!(index_named_by(Path::new(name)), expect.map(PathBuf::from));
        }
        check("a/x.dtp.0000", Some("a/x.dtp"));
        check("x.DTP.0017", Some("x.DTP"));
        check("x.dtp.State", Some("x.dtp"));
        check("x.dtp.STATES", Some("x.dtp"));
        check("x.dtp.DotSettings", Some("x.dtp"));
        check("x.dtt.0003", Some("x.dtt"));
        check("x.dtp", None);
        check("x.dtp.000", None);
        check("x.dtp.00a0", None);
        check("x.json.0000", None);
        check("solution.DotSettings", None);
        check(".0000", None);
        check("", None);
    }

    #[test]
    fn data_files_have_four_digits() {
        assert_eq!(data_file(Path::new("a/x.dtp"), 0), Path::new("a/x.dtp.0000"));
        assert_eq!(data_file(Path::new("x.dtp"), 12345), Path::new("x.dtp.12345"));
    }
}
