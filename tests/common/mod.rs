//! What several test files need.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod dottrace;
#[cfg(unix)]
pub mod machine;
pub mod memory;
pub mod packing;
#[cfg(unix)]
pub mod processes;
#[cfg(unix)]
pub mod reporter;
pub mod stage;

use std::io::Write as _;
use std::path::PathBuf;

/// Says that something is not tested, and why. Unlike what `eprintln` prints, libtest keeps this from nobody.
pub fn skipped(what: &str) {
    // written at once, so that words of several threads are not mixed
    let _ = std::io::stderr().write_all(format!("SKIPPED: {what}\n").as_bytes());
}

/// A file of the shared test data beside the checkout, or `None` with a loud word where the data is not there.
///
/// # Panics
/// In CI, where the data must be there, and for a file that the folder lacks.
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if !folder.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the shared test data is missing, and CI must have it");
        skipped(&format!("{path} is not tested, because the folder ../shared/data is not there"));
        return None;
    }
    let file = folder.join(path);
    assert!(file.exists(), "../shared/data has no {path}");
    Some(file)
}
