//! dotTrace snapshots: the real ones against what others read in them, written ones against what was written, and wrong
//! ones against the sentence that says so.

mod anything;
mod files;
mod names;
mod nodes;
mod real;
mod sections;
mod small;
mod written;

use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::importers::import;
use dotspot::testing::input::{Failure, ImportError, Input, Progress};
use dotspot::testing::model::{Recording, View};
use std::path::Path;

/// Reads bytes that come from a stream.
fn read(bytes: Vec<u8>) -> Result<View, ImportError> {
    import(
        Input::stream(
            "s.dtp",
            Box::new(std::io::Cursor::new(bytes)),
            Progress::default(),
        )
        .unwrap(),
    )
    .map(Recording::into_view)
}

fn read_file(path: &Path) -> Result<View, ImportError> {
    import(Input::open(path, Progress::default()).unwrap()).map(Recording::into_view)
}

/// What is read, which has to succeed.
#[track_caller]
fn good(result: Result<View, ImportError>) -> View {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// Why nothing is read, which has to fail.
#[track_caller]
fn failure(result: Result<View, ImportError>) -> Failure {
    match result {
        Err(ImportError::Failed(failure)) => *failure,
        Err(ImportError::Cancelled) => panic!("nobody cancelled"),
        Ok(profile) => panic!("it was read, with {:?}", profile.diagnostics),
    }
}

/// A diagnostic is of this code, and its data have these words, among which are problems that a reader has put into words.
#[track_caller]
fn assert_tells(diagnostic: &Diagnostic, code: &str, words: &[&str]) {
    assert_eq!(diagnostic.code(), code, "{diagnostic:?}");
    assert_says(&diagnostic.code_and_data(), words);
}

#[track_caller]
fn assert_says(sentence: &str, words: &[&str]) {
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in: {sentence}");
    }
}
