//! A stand-in for dotTrace's Reporter, and a machine to run it on.

use super::processes::{is_alive, wait};
use std::fs;
use std::path::{Path, PathBuf};

/// The program. Its behavior depends on the name of the snapshot, as its comments explain.
pub fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slow/reporter/stand_in.sh")
}

/// The index of a single-file snapshot with an unknown section and no tree.
const UNKNOWN_LAYOUT: &[u8] =
    b"\xEEGDTPF\x01\0\0\0\x16\0\0\0\0\0\0\0abcd\x01\0\x09\0\x04\0\0\0\0\0\0\0\xFF\xFF";

/// A folder with a snapshot in it, and a folder for temporary files.
pub struct Machine {
    /// The folder that contains everything.
    pub folder: tempfile::TempDir,
    pub snapshot: PathBuf,
    /// Where temporary files go.
    pub temporary: PathBuf,
}

impl Machine {
    /// A machine with a snapshot that selects a behavior of the stand-in.
    pub fn new(what: &str) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = folder.path().join(format!("{what}.dtp"));
        let temporary = folder.path().join("temporary");
        fs::write(&snapshot, UNKNOWN_LAYOUT).unwrap();
        fs::create_dir(&temporary).unwrap();
        Machine {
            folder,
            snapshot,
            temporary,
        }
    }

    /// The file that the stand-in wrote next to the snapshot.
    pub fn left(&self, extension: &str) -> String {
        fs::read_to_string(format!("{}.{extension}", self.snapshot.display())).unwrap_or_default()
    }

    #[track_caller]
    pub fn wait_until_it_hangs(&self) {
        wait("the stand-in hangs", || !self.left("pids").is_empty());
    }

    /// Asserts that a run left no process and no temporary file.
    #[track_caller]
    pub fn assert_cleared(&self) {
        for pid in self.left("pids").split_whitespace() {
            wait(&format!("process {pid} is gone"), || !is_alive(pid));
        }
        let left: Vec<_> = fs::read_dir(&self.temporary)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(left, [""; 0].map(PathBuf::from), "leftover temporary files");
    }
}
