//! Helpers for several test files.
#![allow(dead_code, reason = "each of the two programs uses a part of it")]

/// Unwraps an option, or returns from a test or a test helper if this machine lacks something.
macro_rules! present {
    ($what:expr) => {
        match $what {
            Some(there) => there,
            None => return,
        }
    };
}

pub mod call_patterns;
pub mod call_tree;
pub mod dotnet_trace;
pub mod dottrace;
pub mod dtp_writer;
pub mod etl_writer;
pub mod generated;
pub mod json;
pub mod kinds;
#[cfg(unix)]
pub mod machine;
pub mod memory;
pub mod nettrace_writer;
pub mod packing;
pub mod perf_data_writer;
pub mod picture;
pub mod plans;
#[cfg(unix)]
pub mod played_runtime;
pub mod pprof_writer;
#[cfg(unix)]
pub mod processes;
pub mod profiles;
#[cfg(unix)]
pub mod pty;
pub mod random;
pub mod report_writer;
#[cfg(unix)]
pub mod reporter;
pub mod run;
pub mod schema;
pub mod snap;
pub mod stage;
pub mod sums;
pub mod text;
pub mod trace_players;
pub mod truncated;

use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::model::View;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Prints one line with the reason why a test is skipped.
pub fn skipped(why: &str) {
    let test = std::thread::current();
    let line = format!("SKIPPED {}: {why}\n", test.name().unwrap_or("a test"));
    // libtest captures the output of `eprintln`
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Reports, once per test, that this machine lacks something.
///
/// # Panics
/// If `DOTSPOT_REQUIRE_DATA` is set, since then nothing may be missing.
#[track_caller]
pub fn missing(what: &str) {
    thread_local!(static SAID: RefCell<HashSet<String>> = RefCell::default());
    let is_required = std::env::var_os("DOTSPOT_REQUIRE_DATA").is_some();
    assert!(!is_required, "{what}, and DOTSPOT_REQUIRE_DATA is set");
    if SAID.with_borrow_mut(|said| said.insert(what.into())) {
        skipped(what);
    }
}

/// A real recording, or the expected numbers of one. Our own are in `tests/data`, other people's in the shared data
/// folder next to the checkout. `None` if that folder is missing.
pub fn shared(path: &str) -> Option<PathBuf> {
    if let Some(own) = own(path) {
        return Some(own);
    }
    let folder = shared_folder()?;
    let file = folder.join(path);
    assert!(
        file.exists(),
        "{path} is in neither tests/data nor ../shared/data"
    );
    Some(file)
}

/// An independent program's results for a profile: `expected/views/{file}.json` in the shared data.
pub fn expected_views<T: serde::de::DeserializeOwned>(file: &str) -> T {
    let expected = shared(&format!("expected/views/{file}.json")).expect("missing results");
    serde_json::from_slice(&std::fs::read(expected).expect("readable")).expect("valid JSON")
}

/// dotspot's name for a special dotTrace function, by its name in the independent snapshot reader.
pub fn named_here(name: &str) -> &str {
    match name {
        "[special 0]" => "[Native code]",
        "[special 2]" => "[Garbage collection]",
        "[special 5]" => "[Native code, no managed frames]",
        "[special 6]" => "[Runtime start]",
        other => other,
    }
}

pub fn own_data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// The shared data folder; `None` if it is missing.
pub fn shared_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    missing("the folder ../shared/data does not exist");
    None
}

/// A file in the repository, by its path in the shared data. One recording is bundled with the program.
fn own(path: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    if path == "net10/orderedconsume.nettrace" {
        return Some(root.join("snapshots/js-ordered-consume.nettrace"));
    }
    Some(root.join("tests/data").join(path)).filter(|file| file.exists())
}

/// The bundled recording as the explorer opens it, named after its file. It is read only once.
pub fn sample() -> View {
    static SAMPLE: OnceLock<View> = OnceLock::new();
    let read = || {
        let options = OpenOptions::default();
        let mut profile = open(&Target::Sample, &options, Default::default()).unwrap();
        Arc::make_mut(&mut profile.recording).source.name = "js-ordered-consume.nettrace".into();
        profile
    };
    SAMPLE.get_or_init(read).clone()
}

/// Combines two profiles, as in `dotspot BEFORE --against AFTER`.
pub fn compared(before: &View, after: &View) -> View {
    use dotspot::testing::query::{ComparedFile, ComparisonRequest, comparison};
    let side = |file: &str, view: &View| {
        let (file, view) = (file.into(), view.clone());
        [ComparedFile { file, view }]
    };
    let (before, after) = (side("before", before), side("after", after));
    let request = ComparisonRequest {
        before: &before,
        after: &after,
        ..ComparisonRequest::default()
    };
    comparison(&request).unwrap().with_verdicts()
}
