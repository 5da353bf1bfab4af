//! The folders below which files may be read.

use crate::importers::{FORMATS, detect, open_file};
use crate::input::Progress;
use crate::mcp::messages;
use crate::query::nearest_files;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, Prefix};
use std::time::SystemTime;

/// How many entries of folders are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Extensions of text files, only a few of which are profiles.
const TEXTS: [&str; 2] = [".txt", "script"];
/// How many names a sentence has.
const MAX_NAMED: usize = 3;

/// A file that may be a profile.
pub(super) struct Listed {
    /// How requests and answers call it.
    pub name: String,
    pub path: PathBuf,
    pub size_bytes: u64,
    pub changed: SystemTime,
}

impl Listed {
    /// Whether all of its name, or the last part, is as a glob in lower case says.
    pub(super) fn is_like(&self, glob: &str) -> bool {
        let name = self.name.to_lowercase();
        is_like(glob, &name) || is_like(glob, name.rsplit('/').next().unwrap_or_default())
    }
}

/// Folders, with all links resolved.
#[derive(Clone, Debug)]
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// Those that the user has named; the current folder if there are none.
    ///
    /// # Errors
    /// One of them is not a folder, in a sentence without its full stop.
    pub fn new(named: &[PathBuf]) -> Result<Folders, String> {
        let here = [PathBuf::from(".")];
        let named = if named.is_empty() { &here } else { named };
        let resolved = named.iter().map(|folder| {
            let found = folder.canonicalize().ok().filter(|found| found.is_dir());
            found.ok_or_else(|| messages::folder_expected(&folder.display()))
        });
        Ok(Folders(resolved.collect::<Result<_, _>>()?))
    }

    /// The file that a request names, with all links resolved: by its path below a folder, by all of its path, as a path or a URI, or by
    /// the end of its path that no other has.
    ///
    /// # Errors
    /// It is not there, is not a regular file, or lies elsewhere, in a sentence without its full stop. What lies elsewhere is not told from
    /// what is not there.
    pub(super) fn file(&self, asked: &str) -> Result<PathBuf, String> {
        let decoded = asked.strip_prefix("file://").map(decoded);
        let asked = decoded.as_deref().unwrap_or(asked);
        // the URI of C:\a is file:///C:/a
        let of_drive = asked
            .strip_prefix('/')
            .filter(|path| drive_of(Path::new(path)).is_some());
        let asked = of_drive.unwrap_or(asked);
        self.file_at(asked)?
            .map_or_else(|| self.file_ending(asked), Ok)
    }

    /// The file of a request, and the member of it and of its members that is named after an archive's name.
    ///
    /// # Errors
    /// As [`Folders::file`].
    pub(super) fn file_and_member(&self, asked: &str) -> Result<(PathBuf, Vec<String>), String> {
        let mut parts = asked
            .split_inclusive(".zip/")
            .map(|part| part.trim_end_matches('/'));
        let archive = parts.next().unwrap_or_default();
        let members: Vec<String> = parts.map(str::to_string).collect();
        match self.file(asked) {
            Err(_) if !members.is_empty() => Ok((self.file(archive)?, members)),
            found => Ok((found?, Vec::new())),
        }
    }

    /// The file whose path ends so.
    fn file_ending(&self, asked: &str) -> Result<PathBuf, String> {
        let all = self.profiles();
        let ends = all
            .iter()
            .filter(|listed| Path::new(&listed.name).ends_with(asked));
        let ends: Vec<&Listed> = ends.collect();
        if let [only] = ends[..] {
            return Ok(only.path.clone());
        }
        let mut names: Vec<&str> = ends.iter().map(|listed| listed.name.as_str()).collect();
        let is_ambiguous = !names.is_empty();
        if !is_ambiguous && !Path::new(asked).has_root() {
            names = nearest_files(asked, all.iter().map(|listed| listed.name.as_str()));
        }
        names.truncate(MAX_NAMED);
        Err(match (names.join(", "), is_ambiguous) {
            (names, true) => messages::several_files(&asked, &names),
            (names, _) if names.is_empty() => messages::no_such_file(&asked),
            (names, _) => messages::no_such_file_but(&asked, &names),
        })
    }

    /// The files that may be profiles by their names, newest first. Links are not followed, hidden folders not looked at.
    pub(super) fn profiles(&self) -> Vec<Listed> {
        let (mut found, mut seen, mut entries) = (Vec::new(), BTreeSet::new(), 0);
        let mut open: Vec<PathBuf> = self.0.iter().rev().cloned().collect();
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                entries += 1;
                let name = entry.file_name().to_string_lossy().into_owned();
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if entries > MAX_ENTRIES || name.starts_with('.') {
                    continue;
                }
                let path = entry.path();
                match entry.metadata() {
                    _ if kind.is_dir() => open.push(path),
                    Ok(about)
                        if kind.is_file()
                            && is_profile(&name, &path)
                            && seen.insert(path.clone()) =>
                    {
                        found.push(Listed {
                            name: self.name_of(&path),
                            path,
                            size_bytes: about.len(),
                            changed: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                        });
                    }
                    _ => {}
                }
            }
        }
        found.sort_by(|a, b| (b.changed, &a.name).cmp(&(a.changed, &b.name)));
        found
    }

    /// The files that a glob means, by name; none if it is not a glob.
    pub(super) fn matching(&self, glob: &str) -> Vec<String> {
        if !glob.contains('*') {
            return Vec::new();
        }
        let (glob, mut all) = (glob.to_lowercase(), self.profiles());
        all.retain(|listed| listed.is_like(&glob));
        let mut names: Vec<String> = all.into_iter().map(|listed| listed.name).collect();
        names.sort();
        names
    }

    /// How the folders are called.
    pub(super) fn names(&self) -> String {
        let name = |folder: &PathBuf| {
            folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        self.0.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The file at this path; `None` if there is none.
    fn file_at(&self, asked: &str) -> Result<Option<PathBuf>, String> {
        let path = Path::new(asked);
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(messages::parent_folder_refused(&asked));
        }
        if self.is_elsewhere(path) {
            return Ok(None);
        }
        // what is absolute takes the place of the folder
        let mut found = self
            .0
            .iter()
            .filter_map(|folder| folder.join(path).canonicalize().ok());
        match found.find(|file| self.holds(file)) {
            None => Ok(None),
            Some(file) if file.is_file() => Ok(Some(file)),
            // reading a pipe or a device would wait for ever
            Some(_) => Err(messages::regular_file_expected(&asked)),
        }
    }

    /// Makes sure that a dotTrace snapshot has no part that is a link to somewhere else: its reader opens them by their names.
    ///
    /// # Errors
    /// It has one, or its folder can't be looked at, in a sentence without its full stop.
    pub(super) fn check_parts(&self, file: &Path) -> Result<(), String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some(end) = name.to_ascii_lowercase().find(".dtp") else {
            return Ok(());
        };
        // upper and lower case are of the same length here
        let stem = &name[..end];
        let entries = file
            .parent()
            .map(Path::read_dir)
            .into_iter()
            .flatten()
            .flatten()
            .flatten();
        for entry in entries {
            let part = entry.file_name().to_string_lossy().into_owned();
            let is_inside = || {
                entry
                    .path()
                    .canonicalize()
                    .is_ok_and(|part| self.holds(&part))
            };
            if part.starts_with(stem) && !is_inside() {
                return Err(messages::sibling_outside_folders(&name, &part));
            }
        }
        Ok(())
    }

    /// Whether a path names another machine, a device or a drive, below which no served folder lies. To look there, if only whether there is such
    /// a file, would send the user's name and password to that machine.
    fn is_elsewhere(&self, path: &Path) -> bool {
        drive_of(path).is_some_and(|drive| {
            let mut served = self.0.iter().map(|folder| drive_of(folder));
            served.all(|served| served.as_ref() != Some(&drive))
        })
    }

    fn holds(&self, file: &Path) -> bool {
        self.0.iter().any(|folder| file.starts_with(folder))
    }

    /// How answers call a file: by its path below the first folder that has it, if a request finds it so, else by all of its path.
    pub(super) fn name_of(&self, file: &Path) -> String {
        let below = self
            .0
            .iter()
            .find_map(|folder| file.strip_prefix(folder).ok());
        let name = below.map(|below| below.to_string_lossy().replace('\\', "/"));
        let name =
            name.filter(|name| matches!(self.file_at(name), Ok(Some(found)) if found == file));
        name.unwrap_or_else(|| file.display().to_string())
    }
}

/// Where a path begins on Windows, in one spelling.
fn drive_of(path: &Path) -> Option<String> {
    match path.components().next() {
        Some(Component::Prefix(prefix)) => Some(drive_name(prefix.kind())),
        _ => None,
    }
}

fn drive_name(prefix: Prefix) -> String {
    let text = |name: &OsStr| name.to_string_lossy().to_lowercase();
    match prefix {
        Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
            format!("{}:", char::from(letter.to_ascii_lowercase()))
        }
        Prefix::UNC(machine, share) | Prefix::VerbatimUNC(machine, share) => {
            format!(r"\\{}\{}", text(machine), text(share))
        }
        Prefix::DeviceNS(name) => format!(r"\\.\{}", text(name)),
        Prefix::Verbatim(name) => format!(r"\\?\{}", text(name)),
    }
}

/// Whether a file may be a profile by its name. Names of text say nothing: what `perf script` prints begins as such.
fn is_profile(name: &str, path: &Path) -> bool {
    let name = name.to_lowercase();
    let packed = [".gz", ".zip"]
        .iter()
        .find_map(|packed| name.strip_suffix(packed));
    packed.is_some()
        || FORMATS
            .iter()
            .flat_map(|format| format.extensions)
            .any(|extension| name.ends_with(&extension.to_lowercase()))
        || TEXTS.iter().any(|text| name.ends_with(text)) && is_of_perf(path)
}

/// Whether a file begins as what `perf script` prints.
fn is_of_perf(path: &Path) -> bool {
    let input = open_file(path, Progress::default());
    let format = input.ok().and_then(|input| detect(&input.head()));
    format.is_some_and(|format| format.name == "perfscript")
}

/// Whether a text is as a glob says: `*` is anything, `?` any character.
fn is_like(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(&c) if c == '?' || c == text[of] => (at, of) = (at + 1, of + 1),
            _ => match &mut star {
                // the last star takes one more
                Some((star, from)) => {
                    *from += 1;
                    (at, of) = (*star + 1, *from);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|&c| c == '*')
}

/// A path of a URI, `%20` read as a blank; without the machine, which is this one.
fn decoded(path: &str) -> String {
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let (mut bytes, mut rest) = (Vec::new(), path.as_bytes());
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let byte = byte.filter(|_| *first == b'%');
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
