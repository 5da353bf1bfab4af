//! dotTrace snapshots: real ones compared with independent readers, written ones with their source, and damaged ones with
//! the expected errors.

mod anything;
mod files;
mod names;
mod nodes;
mod real;
mod sections;
mod small;
mod written;

use crate::common::profiles::{open_file as read_file, read_bytes};
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::input::{Failure, ImportError};
use dotspot::testing::model::View;

/// Reads a snapshot from a stream.
fn read(bytes: Vec<u8>) -> Result<View, ImportError> {
    read_bytes("s.dtp", bytes)
}

/// The view of a read that must succeed.
#[track_caller]
fn good(result: Result<View, ImportError>) -> View {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// The failure of a read that must fail.
#[track_caller]
fn failure(result: Result<View, ImportError>) -> Failure {
    match result {
        Err(ImportError::Failed(failure)) => *failure,
        Err(ImportError::Cancelled) => panic!("unexpected cancellation"),
        Ok(profile) => panic!("expected a failure, got {:?}", profile.diagnostics),
    }
}

/// Asserts that a diagnostic has this code, and that its data, including a reader's description of the problem, contain
/// these words.
#[track_caller]
fn assert_diagnostic(diagnostic: &Diagnostic, code: &str, words: &[&str]) {
    assert_eq!(diagnostic.code(), code, "{diagnostic:?}");
    assert_contains_all(diagnostic.code_and_data(), words);
}
