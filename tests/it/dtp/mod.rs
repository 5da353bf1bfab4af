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

use crate::common::profiles::{open_file as read_file, read_bytes};
use crate::common::text::has_all as assert_says;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::input::{Failure, ImportError};
use dotspot::testing::model::View;

/// Reads bytes that come from a stream.
fn read(bytes: Vec<u8>) -> Result<View, ImportError> {
    read_bytes("s.dtp", bytes)
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
    assert_says(diagnostic.code_and_data(), words);
}
