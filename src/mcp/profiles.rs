//! The profiles that are open, within a limit of memory.

use super::folders::Folders;
use crate::analysis::fold::whole;
use crate::analysis::with_stored_hotspots_checked;
use crate::importers::{ReadOptions, import_with};
use crate::input::{ImportError, Input, Progress};
use crate::model::format::size;
use crate::model::{RecordedTree, Recording, TreeForm, View};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, SystemTime};

/// About what a node takes while its tree is made, in bytes.
const NODE_BYTES: u64 = 64;
/// About what a frame takes with its names, in bytes.
const FRAME_BYTES: u64 = 400;

/// A profile that is open.
pub(super) struct Profile {
    /// How requests and answers call it.
    pub name: String,
    /// All of it.
    pub view: View,
    /// About how much memory it takes.
    size_bytes: u64,
    file: PathBuf,
    /// When the file was written, and how large it was.
    state: Option<(SystemTime, u64)>,
}

/// The profiles that are open.
pub(super) struct Profiles {
    folders: Folders,
    limit_bytes: u64,
    /// The one that was asked for last stands last.
    open: Mutex<Vec<Arc<Profile>>>,
    /// One profile is read at a time, so that the memory of one is needed for it.
    reading: Mutex<()>,
}

impl Profiles {
    pub(super) fn new(folders: Folders, limit_bytes: u64) -> Profiles {
        Profiles {
            folders,
            limit_bytes,
            open: Mutex::default(),
            reading: Mutex::default(),
        }
    }

    /// The profile in a file, which is read unless it is open and the same as then. Waits while another one is read.
    ///
    /// # Errors
    /// It may not or can't be read, or needs more memory than there may be; a sentence without its full stop.
    pub(super) fn open(&self, asked: &str, progress: &Progress) -> Result<Arc<Profile>, String> {
        let file = self.folders.file(asked)?;
        if let Some(profile) = self.opened(&file) {
            return Ok(profile);
        }
        let _reading = self.turn(progress).ok_or("cancelled")?;
        // it may have been read meanwhile
        if let Some(profile) = self.opened(&file) {
            return Ok(profile);
        }
        let name = self.folders.name_of(&file);
        let profile = Arc::new(self.read(name, file, progress)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(Arc::clone(&profile));
        while open.iter().map(|open| open.size_bytes).sum::<u64>() > self.limit_bytes
            && open.len() > 1
        {
            open.remove(0);
        }
        Ok(profile)
    }

    /// Waits until no other profile is read; `None` if nobody waits for this one any longer.
    fn turn(&self, progress: &Progress) -> Option<MutexGuard<'_, ()>> {
        while progress.go_on().is_ok() {
            match self.reading.try_lock() {
                Ok(turn) => return Some(turn),
                // reading it made another one panic, which has left nothing behind
                Err(TryLockError::Poisoned(turn)) => return Some(turn.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        None
    }

    /// The profile of a file if it is open; one of another state of the file is closed.
    fn opened(&self, file: &Path) -> Option<Arc<Profile>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|open| open.file == file)?;
        let profile = open.remove(at);
        if profile.state != state(file) {
            return None;
        }
        open.push(Arc::clone(&profile));
        Some(profile)
    }

    fn read(&self, name: String, file: PathBuf, progress: &Progress) -> Result<Profile, String> {
        self.folders.check_parts(&file)?;
        let state = state(&file);
        let recording = read(&file, progress).map_err(|error| match error {
            ImportError::Cancelled if self.is_too_large(progress) => self.too_large(&name),
            error => sentence(&name, &error),
        })?;
        let size_bytes = memory_of(&recording);
        if size_bytes > self.limit_bytes {
            return Err(self.too_large(&name));
        }
        let view = whole(&Arc::new(recording), TreeForm::Repaired);
        Ok(Profile {
            name,
            view,
            size_bytes,
            file,
            state,
        })
    }

    /// Whether what was read so far takes more memory than there may be.
    pub(super) fn is_too_large(&self, progress: &Progress) -> bool {
        let (_, _, nodes) = progress.now();
        nodes.saturating_mul(NODE_BYTES) > self.limit_bytes
    }

    fn too_large(&self, name: &str) -> String {
        let limit = size(self.limit_bytes);
        format!(
            "{name}: this profile takes more memory than the {limit} that this server may use; start it with a larger --memory"
        )
    }
}

fn state(file: &Path) -> Option<(SystemTime, u64)> {
    let known = file.metadata().ok()?;
    Some((known.modified().ok()?, known.len()))
}

/// Reads a file natively: no other program is started.
fn read(file: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    let options = ReadOptions::default();
    let input = Input::open(file, progress.clone())?.without_links();
    import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
    .map(with_stored_hotspots_checked)
}

/// Why a file can't be read. Nothing is said of folders above those of the server.
fn sentence(name: &str, error: &ImportError) -> String {
    let ImportError::Failed(failure) = error else {
        return "cancelled".into();
    };
    let is_unread_snapshot = failure.doctor_command.is_some();
    let advice = match is_unread_snapshot {
        true => {
            "dotTrace's own software may read it, which this server does not start: `dotspot doctor` says more"
        }
        false => &failure.advice,
    };
    let advice = if advice.is_empty() {
        String::new()
    } else {
        format!("; {advice}")
    };
    format!("{name}: {}{advice}", failure.reason())
}

/// About how much memory a recording takes, in bytes.
fn memory_of(recording: &Recording) -> u64 {
    let columns = 16 + 20 * recording.metrics.len() as u64;
    let tree = |tree: &RecordedTree| tree.tree.len() as u64 * columns;
    let frames = recording.frames.len() as u64 * FRAME_BYTES;
    tree(&recording.original) + recording.repaired.as_ref().map_or(0, tree) + frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Failure, Stage};
    use std::fs;

    /// A folder with profiles of as many nodes as their names say.
    fn folder(nodes: &[usize]) -> (tempfile::TempDir, Folders) {
        let folder = tempfile::tempdir().unwrap();
        for &nodes in nodes {
            let stacks: String = (0..nodes).map(|at| format!("main;m{at} 1\n")).collect();
            fs::write(folder.path().join(format!("{nodes}.folded")), stacks).unwrap();
        }
        let folders = Folders::new(&[folder.path().to_path_buf()]).unwrap();
        (folder, folders)
    }

    fn names(profiles: &Profiles) -> Vec<String> {
        profiles
            .open
            .lock()
            .unwrap()
            .iter()
            .map(|open| open.name.clone())
            .collect()
    }

    #[test]
    fn what_was_not_asked_for_longest_is_closed() {
        let (_folder, folders) = folder(&[1_000, 1_001, 1_002, 9_000]);
        // three of a thousand methods, at 400 bytes and a node of 36 each
        let profiles = Profiles::new(folders, 1_400_000);
        let open = |name: &str| {
            profiles
                .open(name, &Progress::default())
                .map(|open| open.view.method_count())
        };
        for name in ["1000.folded", "1001.folded", "1002.folded", "1000.folded"] {
            assert!(open(name).is_ok(), "{name}");
        }
        assert_eq!(
            names(&profiles),
            ["1001.folded", "1002.folded", "1000.folded"]
        );
        let refused = open("9000.folded").unwrap_err();
        assert!(
            refused.starts_with("9000.folded: this profile takes more memory than the 1.4 MB"),
            "{refused}"
        );
        assert_eq!(names(&profiles).len(), 3, "one that is refused closes none");
        let small = Profiles::new(profiles.folders.clone(), 900_000);
        for name in ["1000.folded", "1001.folded", "1002.folded"] {
            assert!(small.open(name, &Progress::default()).is_ok());
        }
        assert_eq!(names(&small), ["1001.folded", "1002.folded"]);
    }

    #[test]
    fn a_file_that_was_written_again_is_read_again() {
        let (folder, folders) = folder(&[10]);
        let profiles = Profiles::new(folders, 1_000_000);
        let nodes = || {
            profiles
                .open("10.folded", &Progress::default())
                .unwrap()
                .view
                .node_count()
        };
        let before = nodes();
        fs::write(folder.path().join("10.folded"), "main;m 1\n").unwrap();
        assert!(nodes() < before);
    }

    #[test]
    fn why_a_snapshot_is_not_read_says_what_would_read_it() {
        #[track_caller]
        fn check(failure: Failure, expect: &str) {
            assert_eq!(sentence("shop/a.dtp", &failure.into()), expect);
        }
        let failure = || {
            Failure::new(
                "/home/me/shop/a.dtp",
                "dotTrace snapshot",
                "is of version 9",
            )
        };
        check(
            failure().stage(Stage::Layout).ask_doctor(),
            "shop/a.dtp: stage layout: dotTrace snapshot: is of version 9; dotTrace's own software may read it, which this server \
             does not start: `dotspot doctor` says more",
        );
        check(
            failure().advice("copy it again"),
            "shop/a.dtp: dotTrace snapshot: is of version 9; copy it again",
        );
        check(failure(), "shop/a.dtp: dotTrace snapshot: is of version 9");
    }

    #[test]
    fn reading_is_given_up_where_nobody_waits_for_it() {
        let (_folder, folders) = folder(&[10]);
        let profiles = Profiles::new(folders, 1_000_000);
        let progress = Progress::default();
        progress.cancel();
        assert_eq!(
            profiles.open("10.folded", &progress).err(),
            Some("cancelled".into())
        );
        assert!(names(&profiles).is_empty());
    }
}
