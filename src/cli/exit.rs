//! Exit codes, in one table.

use crate::input::Stage;
use crate::query::{QueryError, QueryErrorKind};

pub(super) const SUCCESS: u8 = 0;
pub(super) const FAILED: u8 = 1;
pub(super) const USAGE: u8 = 2;

/// A profile exceeds a limit, see `compare --fail-if`.
pub(super) const LIMIT_EXCEEDED: u8 = 3;

/// A question without an answer: usually, what it names is not in the profile.
pub(super) fn for_query(error: &QueryError) -> u8 {
    match error.kind {
        QueryErrorKind::Usage | QueryErrorKind::NotFound => USAGE,
        QueryErrorKind::TooLarge => FAILED,
    }
}

pub fn table() -> Vec<(u8, String)> {
    let usage = "usage error, including a method, thread or metric that the profile does not have";
    let rows = [
        (
            SUCCESS,
            "success, including if you quit while a file is loading",
        ),
        (FAILED, "failed"),
        (USAGE, usage),
        (LIMIT_EXCEEDED, "a condition of `compare --fail-if` is met"),
    ];
    let rows = rows.map(|(code, meaning)| (code, meaning.to_string()));
    let stages = Stage::ALL.map(|stage| {
        let meaning = format!("dotTrace, stage {}: {}", stage.name(), stage.doc());
        (stage.exit_code(), meaning)
    });
    rows.into_iter().chain(stages).collect()
}
