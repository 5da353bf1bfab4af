//! The profiles that are open, within a limit of memory.

use super::folders::Folders;
use crate::analysis::make::whole;
use crate::importers::{ReadOptions, import_with, profile_states};
use crate::input::{FileStates, ImportError, Input, Progress};
use crate::mcp::messages;
use crate::model::{RecordedTree, Recording, TreeForm, View};
use crate::units::size;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// About what a node takes while its tree is made, in bytes.
const NODE_BYTES: u64 = 64;
/// About what a frame takes with its names, in bytes.
const FRAME_BYTES: u64 = 400;
/// How often a request that waits for its turn looks whether it was cancelled.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct OpenProfile {
    /// How requests and answers call it.
    pub name: String,
    /// All of it.
    pub view: View,
    /// About how much memory it takes.
    size_bytes: u64,
    file: PathBuf,
    state: ProfileState,
}

/// The files that a profile was read from, as they were then.
struct ProfileState {
    own: FileStates,
    /// The neighbouring files that were accessed.
    beside: FileStates,
}

pub(super) struct OpenProfiles {
    folders: Folders,
    limit_bytes: u64,
    /// Least recently used first.
    open: Mutex<Vec<Arc<OpenProfile>>>,
    /// Whether a profile is being read: one at a time, so that the memory of one is needed for it.
    is_reading: Mutex<bool>,
    is_free: Condvar,
}

/// The right to read a profile.
struct Turn<'a>(&'a OpenProfiles);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let is_reading = &self.0.is_reading;
        *is_reading.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.is_free.notify_all();
    }
}

impl OpenProfiles {
    pub(super) fn new(folders: Folders, limit_bytes: u64) -> OpenProfiles {
        OpenProfiles {
            folders,
            limit_bytes,
            open: Mutex::default(),
            is_reading: Mutex::default(),
            is_free: Condvar::new(),
        }
    }

    /// The profile in a file, which is read unless it is open and the same as then. Waits while another one is read.
    ///
    /// # Errors
    /// It may not or can't be read, or needs more memory than there may be; a sentence without its full stop.
    pub(super) fn open(
        &self,
        asked: &str,
        progress: &Progress,
    ) -> Result<Arc<OpenProfile>, String> {
        let file = self.folders.file(asked)?;
        if let Some(profile) = self.opened(&file) {
            return Ok(profile);
        }
        let _turn = self.turn(progress).ok_or("cancelled")?;
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

    /// Waits until no other profile is being read; `None` if the request was cancelled.
    fn turn(&self, progress: &Progress) -> Option<Turn<'_>> {
        let lock = self.is_reading.lock();
        let mut is_reading = lock.unwrap_or_else(PoisonError::into_inner);
        loop {
            progress.go_on().ok()?;
            if !*is_reading {
                *is_reading = true;
                return Some(Turn(self));
            }
            let woken = self.is_free.wait_timeout(is_reading, CANCEL_INTERVAL);
            is_reading = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The profile of a file if it is open; one of another state of the file is closed.
    fn opened(&self, file: &Path) -> Option<Arc<OpenProfile>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|open| open.file == file)?;
        let profile = open.remove(at);
        if profile.state.own != profile_states(file) || !profile.state.beside.are_current() {
            return None;
        }
        open.push(Arc::clone(&profile));
        Some(profile)
    }

    fn read(
        &self,
        name: String,
        file: PathBuf,
        progress: &Progress,
    ) -> Result<OpenProfile, String> {
        self.folders.check_parts(&file)?;
        let own = profile_states(&file);
        let (recording, beside) = read(&file, progress).map_err(|error| match error {
            ImportError::Cancelled if self.is_too_large(progress) => self.too_large(&name),
            error => sentence(&name, &error),
        })?;
        // a link that was put in the place of a part while it was read
        self.folders.check_parts(&file)?;
        let size_bytes = memory_of(&recording);
        if size_bytes > self.limit_bytes {
            return Err(self.too_large(&name));
        }
        let view = whole(&Arc::new(recording), TreeForm::Repaired);
        Ok(OpenProfile {
            name,
            view,
            size_bytes,
            file,
            state: ProfileState { own, beside },
        })
    }

    /// Whether what was read so far takes more memory than there may be.
    pub(super) fn is_too_large(&self, progress: &Progress) -> bool {
        let (_, _, nodes) = progress.now();
        nodes.saturating_mul(NODE_BYTES) > self.limit_bytes
    }

    fn too_large(&self, name: &str) -> String {
        let limit = size(self.limit_bytes);
        messages::too_much_memory(&name, &limit)
    }
}

/// Reads a file natively: no other program is started. Also the files beside it that were looked at.
fn read(file: &Path, progress: &Progress) -> Result<(Recording, FileStates), ImportError> {
    let options = ReadOptions::default();
    let input = Input::open_without_links(file, progress.clone())?;
    let looked_at = input.looked_at();
    let recording = import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })?;
    Ok((recording, looked_at.states()))
}

/// Why a file can't be read. Nothing is said of folders above those of the server.
fn sentence(name: &str, error: &ImportError) -> String {
    let ImportError::Failed(failure) = error else {
        return "cancelled".into();
    };
    let is_unread_snapshot = failure.doctor_command.is_some();
    let advice = match is_unread_snapshot {
        true => messages::DOTTRACE_MAY_READ_IT,
        false if failure.advises_option => messages::UNPACK_FIRST,
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

    fn names(profiles: &OpenProfiles) -> Vec<String> {
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
        let profiles = OpenProfiles::new(folders, 1_400_000);
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
        let small = OpenProfiles::new(profiles.folders.clone(), 900_000);
        for name in ["1000.folded", "1001.folded", "1002.folded"] {
            assert!(small.open(name, &Progress::default()).is_ok());
        }
        assert_eq!(names(&small), ["1001.folded", "1002.folded"]);
    }

    #[test]
    fn a_file_that_was_written_again_is_read_again() {
        let (folder, folders) = folder(&[10]);
        let profiles = OpenProfiles::new(folders, 1_000_000);
        let nodes = || {
            profiles
                .open("10.folded", &Progress::default())
                .unwrap()
                .view
                .node_count()
        };
        let before = nodes();
        let file = folder.path().join("10.folded");
        let known = file.metadata().unwrap();
        fs::write(&file, "main;m 1\n").unwrap();
        assert!(nodes() < before);
        if cfg!(unix) {
            // another file of the same size and time
            let other = folder.path().join("other");
            fs::write(&other, "a;b;cd 1\n").unwrap();
            let time = known.modified().unwrap();
            for path in [&file, &other] {
                let opened = fs::File::options().write(true).open(path).unwrap();
                opened.set_modified(time).unwrap();
            }
            let before = nodes();
            fs::rename(other, file).unwrap();
            assert_ne!(nodes(), before);
        }
    }

    /// Where the program writes `perf-PID.map` after a recording was opened, its frames get names.
    #[test]
    fn a_profile_is_read_again_when_a_file_beside_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let stack = "a 7/8 1.5: 1 cycles:\n\t7f10 [unknown] (/tmp/perf-7.map)\n\n";
        fs::write(folder.path().join("app.perf"), stack).unwrap();
        let profiles = OpenProfiles::new(
            Folders::new(&[folder.path().to_path_buf()]).unwrap(),
            1_000_000,
        );
        let has_name = || {
            let profile = profiles.open("app.perf", &Progress::default()).unwrap();
            let mut frames = profile.view.frames.iter();
            frames.any(|(frame, _)| profile.view.frames.name(frame).contains("seven"))
        };
        assert!(!has_name());
        fs::write(folder.path().join("perf-7.map"), "7f10 8 seven").unwrap();
        assert!(has_name());
    }

    #[test]
    fn a_profile_waits_until_another_one_is_read() {
        let (_folder, folders) = folder(&[10]);
        let profiles = OpenProfiles::new(folders, 1_000_000);
        let (progress, cancelled) = (Progress::default(), Progress::default());
        let turn = profiles.turn(&progress);
        std::thread::scope(|scope| {
            let next = scope.spawn(|| profiles.turn(&progress).is_some());
            let given_up = scope.spawn(|| profiles.turn(&cancelled).is_some());
            cancelled.cancel();
            assert!(!given_up.join().unwrap());
            assert!(!next.is_finished());
            drop(turn);
            assert!(next.join().unwrap());
        });
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
        check(
            failure().option_advice("choose one with --member NAME: a, b"),
            "shop/a.dtp: dotTrace snapshot: is of version 9; unpack it and open one of its files",
        );
    }

    #[test]
    fn reading_is_given_up_where_nobody_waits_for_it() {
        let (_folder, folders) = folder(&[10]);
        let profiles = OpenProfiles::new(folders, 1_000_000);
        let progress = Progress::default();
        progress.cancel();
        assert_eq!(
            profiles.open("10.folded", &progress).err(),
            Some("cancelled".into())
        );
        assert!(names(&profiles).is_empty());
    }
}
