//! What several test files need.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod packing;
pub mod stage;

use std::path::PathBuf;

/// A file of the shared test data beside the checkout, or `None` with a loud word where the data is not there.
///
/// # Panics
/// In CI, where the data must be there, and for a file that the folder lacks.
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the shared test data is missing, and CI must have it");
        eprintln!("SKIPPED: {path} is not tested, because the folder ../shared/data is not there");
        return None;
    }
    let file = folder.join(path);
    assert!(file.exists(), "../shared/data has no {path}");
    Some(file)
}
