//! The folders below which files may be read.

use crate::mcp::messages;
use std::path::{Component, Path, PathBuf};

/// Folders, with all links resolved.
#[derive(Clone, Debug)]
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// Those that the user has named; the current folder if there are none.
    ///
    /// # Errors
    /// One of them is no folder, in a sentence without its full stop.
    pub fn new(named: &[PathBuf]) -> Result<Folders, String> {
        let here = [PathBuf::from(".")];
        let named = if named.is_empty() { &here } else { named };
        let resolved = named.iter().map(|folder| {
            let found = folder.canonicalize().ok().filter(|found| found.is_dir());
            found.ok_or_else(|| messages::folder_expected(&folder.display()))
        });
        Ok(Folders(resolved.collect::<Result<_, _>>()?))
    }

    /// The file that a request names, with all links resolved: by its path below a folder, or by all of its path.
    ///
    /// # Errors
    /// It is not there, is no regular file, or lies elsewhere, in a sentence without its full stop. What lies elsewhere is not told from
    /// what is not there.
    pub(super) fn file(&self, asked: &str) -> Result<PathBuf, String> {
        let path = Path::new(asked);
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(messages::parent_folder_refused(&asked));
        }
        // what is absolute takes the place of the folder
        let mut found = self
            .0
            .iter()
            .filter_map(|folder| folder.join(path).canonicalize().ok());
        match found.find(|file| self.holds(file)) {
            None => Err(messages::no_such_file(&asked)),
            Some(file) if file.is_file() => Ok(file),
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
        let name = name.filter(|name| self.file(name).as_deref() == Ok(file));
        name.unwrap_or_else(|| file.display().to_string())
    }
}

#[cfg(test)]
mod tests;
