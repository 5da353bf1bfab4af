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
        let found = self
            .0
            .iter()
            .filter_map(|folder| folder.join(path).canonicalize().ok());
        let Some(file) = found.into_iter().find(|file| self.holds(file)) else {
            return Err(messages::no_such_file(&asked));
        };
        // reading a pipe or a device would wait for ever
        if file.is_file() {
            Ok(file)
        } else {
            Err(messages::regular_file_expected(&asked))
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
            .into_iter()
            .filter_map(|folder| folder.read_dir().ok())
            .flatten()
            .flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(stem)) {
            if !entry
                .path()
                .canonicalize()
                .is_ok_and(|part| self.holds(&part))
            {
                let part = entry.file_name().to_string_lossy().into_owned();
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
        let is_found = |name: &String| self.file(name).as_deref() == Ok(file);
        name.filter(is_found)
            .unwrap_or_else(|| file.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_found_below_the_folders_alone() {
        let place = tempfile::tempdir().unwrap();
        let [inner, other] = ["inner", "other"].map(|name| place.path().join(name));
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::create_dir(&other).unwrap();
        for file in [
            inner.join("a"),
            inner.join("deep/b"),
            other.join("a"),
            other.join("c"),
            place.path().join("secret"),
        ] {
            fs::write(file, "").unwrap();
        }
        let folders = Folders::new(&[inner.clone(), other.clone()]).unwrap();
        #[track_caller]
        fn check(folders: &Folders, asked: &str, expect: Result<&str, &str>) {
            let found = folders.file(asked).map(|file| folders.name_of(&file));
            assert_eq!(
                found
                    .as_deref()
                    .map_err(|error| error.split(": ").nth(1).unwrap()),
                expect,
                "{asked}"
            );
        }
        let nowhere = Err("there is no such file below the folders of this server");
        let all_of = |path: PathBuf| path.canonicalize().unwrap().display().to_string();
        check(&folders, "a", Ok("a"));
        check(&folders, "deep/b", Ok("deep/b"));
        check(&folders, "./deep//b", Ok("deep/b"));
        check(&folders, "c", Ok("c"));
        check(&folders, &all_of(inner.join("a")), Ok("a"));
        // another folder has a file of this name that is found first
        check(
            &folders,
            &all_of(other.join("a")),
            Ok(&all_of(other.join("a"))),
        );
        check(&folders, &all_of(place.path().join("secret")), nowhere);
        check(&folders, "/etc/passwd", nowhere);
        check(&folders, "no-such-file", nowhere);
        check(
            &folders,
            "deep/../a",
            Err("`..` is refused; name a file below the folders of this server"),
        );
        check(&folders, "deep", Err("a regular file is expected"));
        check(&folders, "", Err("a regular file is expected"));
        assert!(Folders::new(&[inner.join("a")]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_as_far_as_the_folders_go() {
        let place = tempfile::tempdir().unwrap();
        let inner = place.path().join("inner");
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::write(inner.join("deep/b"), "").unwrap();
        fs::write(place.path().join("secret"), "").unwrap();
        let folder = inner.clone();
        let link =
            |to: &str, from: &str| std::os::unix::fs::symlink(to, folder.join(from)).unwrap();
        link("deep/b", "good");
        link("../secret", "bad");
        link("..", "up");
        let folders = Folders::new(&[inner]).unwrap();
        assert_eq!(folders.name_of(&folders.file("good").unwrap()), "deep/b");
        for escape in ["bad", "up/secret", "up/inner/../secret"] {
            assert!(folders.file(escape).is_err(), "{escape}");
        }
        assert!(
            folders.file("up/inner/deep/b").is_ok(),
            "it is below the folder, wherever the way goes"
        );
        for part in ["shop.dtp", "shop.dtp.0000"] {
            fs::write(folders.0[0].join(part), "").unwrap();
        }
        let snapshot = folders.file("shop.dtp").unwrap();
        assert_eq!(folders.check_parts(&snapshot), Ok(()));
        link("../secret", "shop.dtp.0001");
        assert!(
            folders
                .check_parts(&snapshot)
                .unwrap_err()
                .contains("shop.dtp.0001")
        );
    }
}
