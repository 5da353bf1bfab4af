use crate::importers::{FORMATS, detect, open_file};
use crate::input::Progress;
use crate::mcp::messages;
use percent_encoding::percent_decode_str;
use regex::Regex;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, Prefix};
use std::time::SystemTime;

const MAX_ENTRIES: usize = 20_000;
/// The extensions of text files, of which only a few are profiles.
const TEXT_ENDINGS: [&str; 2] = [".txt", "script"];
const MAX_NAMED: usize = 3;

pub(super) struct ListedFile {
    pub name: String,
    pub path: PathBuf,
    pub size_bytes: u64,
    pub changed: SystemTime,
}

impl ListedFile {
    fn matches(&self, pattern: &Regex) -> bool {
        let file = self.name.rsplit('/').next().unwrap_or_default();
        pattern.is_match(&self.name) || pattern.is_match(file)
    }

    /// From the start of the file, or the extension of an archive. `None` if it is not a profile.
    pub(super) fn format(&self) -> Option<&'static str> {
        let name = self.name.to_lowercase();
        let mut packings = ["gz", "zip"].into_iter();
        let packed = packings.find(|packed| name.ends_with(&format!(".{packed}")));
        packed.or_else(|| detected(&self.path))
    }
}

#[derive(Clone, Debug)]
pub struct Folders(Vec<PathBuf>);

impl Folders {
    pub fn new(named: &[PathBuf]) -> Result<Folders, String> {
        let here = [PathBuf::from(".")];
        let named = if named.is_empty() { &here } else { named };
        let resolved = named.iter().map(|folder| {
            let found = folder.canonicalize().ok().filter(|found| found.is_dir());
            found.ok_or_else(|| messages::folder_expected(&folder.display()))
        });
        Ok(Folders(resolved.collect::<Result<_, _>>()?))
    }

    /// A file by its path below a folder, its full path, a URI, or a unique end of its path. The error, a sentence
    /// without its full stop, does not reveal what exists elsewhere.
    pub(super) fn file(&self, requested: &str) -> Result<PathBuf, String> {
        let decoded = requested.strip_prefix("file://").map(|path| {
            // the host is this machine
            let path = path.strip_prefix("localhost").unwrap_or(path);
            percent_decode_str(path).decode_utf8_lossy()
        });
        let requested = decoded.as_deref().unwrap_or(requested);
        // the URI of C:\a is file:///C:/a
        let with_drive = requested
            .strip_prefix('/')
            .filter(|path| drive_of(Path::new(path)).is_some());
        let requested = with_drive.unwrap_or(requested);
        self.file_at(requested)?
            .map_or_else(|| self.file_ending(requested), Ok)
    }

    pub(super) fn file_and_member(
        &self,
        requested: &str,
    ) -> Result<(PathBuf, Vec<String>), String> {
        let parts = requested.split_inclusive(".zip/");
        let mut parts = parts.map(|part| part.trim_end_matches('/'));
        let archive = parts.next().unwrap_or_default();
        let members: Vec<String> = parts.map(str::to_string).collect();
        match self.file(requested) {
            Err(_) if !members.is_empty() => Ok((self.file(archive)?, members)),
            found => Ok((found?, Vec::new())),
        }
    }

    fn file_ending(&self, requested: &str) -> Result<PathBuf, String> {
        let all = self.profiles();
        let ends = |listed: &&ListedFile| Path::new(&listed.name).ends_with(requested);
        let ends: Vec<&ListedFile> = all.iter().filter(ends).collect();
        if let [only] = ends[..] {
            return Ok(only.path.clone());
        }
        let near = match ends.is_empty() && !Path::new(requested).has_root() {
            true => nearest(requested, &all),
            false => Vec::new(),
        };
        let near = near.into_iter().filter(|listed| listed.format().is_some());
        let names = ends.iter().copied().chain(near).take(MAX_NAMED);
        let names: Vec<&str> = names.map(|listed| listed.name.as_str()).collect();
        Err(match (names.join(", "), ends.is_empty()) {
            (names, false) => messages::several_files(&requested, &names),
            (names, true) if names.is_empty() => messages::no_such_file(&requested),
            (names, true) => messages::no_such_file_nearest(&requested, &names),
        })
    }

    /// Newest first. Links are not followed, hidden folders are skipped.
    pub(super) fn profiles(&self) -> Vec<ListedFile> {
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
                if kind.is_dir() {
                    open.push(path);
                } else if let Ok(about) = entry.metadata()
                    && kind.is_file()
                    && is_profile(&name, &path)
                    && seen.insert(path.clone())
                {
                    found.push(ListedFile {
                        name: self.name_of(&path),
                        path,
                        size_bytes: about.len(),
                        changed: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                    });
                }
            }
        }
        found.sort_by(|a, b| (b.changed, &a.name).cmp(&(a.changed, &b.name)));
        found
    }

    /// The profiles that match a glob, newest first; none if it is too long.
    pub(super) fn matching(&self, glob: &str) -> Vec<ListedFile> {
        let Some(pattern) = pattern(glob) else {
            return Vec::new();
        };
        let all = self.profiles().into_iter();
        all.filter(|listed| listed.matches(&pattern)).collect()
    }

    pub(super) fn names(&self) -> String {
        let names = self.0.iter().map(|folder| folder.file_name());
        let names = names.map(|name| name.unwrap_or_default().to_string_lossy());
        names.collect::<Vec<_>>().join(", ")
    }

    fn file_at(&self, requested: &str) -> Result<Option<PathBuf>, String> {
        let path = Path::new(requested);
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(messages::parent_folder_refused(&requested));
        }
        if self.is_elsewhere(path) {
            return Ok(None);
        }
        // an absolute path replaces the folder
        let found = self.0.iter().map(|folder| folder.join(path).canonicalize());
        match found.flatten().find(|file| self.contains(file)) {
            None => Ok(None),
            Some(file) if file.is_file() => Ok(Some(file)),
            // reading a pipe or a device would block forever
            Some(_) => Err(messages::regular_file_expected(&requested)),
        }
    }

    /// No part of a dotTrace snapshot may be a link to somewhere else: its reader opens parts by name.
    pub(super) fn check_parts(&self, file: &Path) -> Result<(), String> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some(end) = name.to_ascii_lowercase().find(".dtp") else {
            return Ok(());
        };
        // upper and lower case have the same length here
        let stem = &name[..end];
        let entries = file.parent().and_then(|folder| folder.read_dir().ok());
        for entry in entries.into_iter().flatten().flatten() {
            let part = entry.file_name();
            let part = part.to_string_lossy();
            let is_inside = || {
                let path = entry.path().canonicalize();
                path.is_ok_and(|path| self.contains(&path))
            };
            if part.starts_with(stem) && !is_inside() {
                return Err(messages::sibling_outside_folders(&name, &part));
            }
        }
        Ok(())
    }

    /// Whether a path names another machine, device or drive than the served folders. Checking whether such a file
    /// exists would send the user's name and password to that machine.
    fn is_elsewhere(&self, path: &Path) -> bool {
        drive_of(path).is_some_and(|drive| {
            let mut served = self.0.iter().map(|folder| drive_of(folder));
            served.all(|served| served.as_ref() != Some(&drive))
        })
    }

    fn contains(&self, file: &Path) -> bool {
        self.0.iter().any(|folder| file.starts_with(folder))
    }

    /// The path below the first folder that contains a file, if a request would find it by that, or else its full path.
    pub(super) fn name_of(&self, file: &Path) -> String {
        let mut folders = self.0.iter();
        let below = folders.find_map(|folder| file.strip_prefix(folder).ok());
        let name = below.map(|below| below.to_string_lossy().replace('\\', "/"));
        let is_found = |name: &String| {
            self.file_at(name)
                .is_ok_and(|found| found.as_deref() == Some(file))
        };
        let found = name.filter(is_found);
        found.unwrap_or_else(|| file.display().to_string())
    }
}

/// The root of a path on Windows, in a uniform spelling.
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

fn detected(path: &Path) -> Option<&'static str> {
    let input = open_file(path, Progress::default()).ok()?;
    detect(&input.head()).map(|format| format.name)
}

fn is_profile(name: &str, path: &Path) -> bool {
    let name = name.to_lowercase();
    let mut extensions = FORMATS.iter().flat_map(|format| format.extensions);
    let is_perf_script = || detected(path) == Some("perfscript");
    [".gz", ".zip"].iter().any(|packed| name.ends_with(packed))
        || extensions.any(|extension| name.ends_with(&extension.to_lowercase()))
        || TEXT_ENDINGS.iter().any(|text| name.ends_with(text)) && is_perf_script()
}

fn nearest<'a>(requested: &str, all: &'a [ListedFile]) -> Vec<&'a ListedFile> {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let requested = last(requested);
    let distance = |listed: &'a ListedFile| {
        let name = last(&listed.name);
        let distance = match !requested.is_empty() && name.contains(&requested) {
            true => 0,
            false => strsim::osa_distance(&requested, &name),
        };
        (distance <= requested.len() / 3).then_some((distance, &listed.name, listed))
    };
    let mut found: Vec<_> = all.iter().filter_map(distance).collect();
    found.sort_unstable_by_key(|&(distance, name, _)| (distance, name));
    found.into_iter().map(|(.., listed)| listed).collect()
}

/// `*` matches anything, `?` any character, in any case. `None` if it is too long.
fn pattern(glob: &str) -> Option<Regex> {
    let pattern = regex::escape(glob).replace(r"\*", ".*").replace(r"\?", ".");
    Regex::new(&format!("(?is)^{pattern}$")).ok()
}

#[cfg(test)]
mod tests;
