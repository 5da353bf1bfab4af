//! Exit codes, in one table.

use crate::input::Stage;
use crate::query::{QueryError, QueryErrorKind};

/// Everything went well; a closed pipe counts as well.
pub(super) const FINE: u8 = 0;
pub(super) const FAILED: u8 = 1;
/// The command line is wrong.
pub(super) const USAGE: u8 = 2;

/// A profile is worse than it may be, see `compare --fail-if`.
pub(super) const WORSE: u8 = 3;

/// The code for a question that has no answer: usually what it names is not in the profile.
pub(super) fn of_query(error: &QueryError) -> u8 {
    match error.kind {
        QueryErrorKind::Usage | QueryErrorKind::NotFound => USAGE,
        QueryErrorKind::TooLarge => FAILED,
    }
}

/// All exit codes with what they mean, for help and docs.
pub fn table() -> Vec<(u8, String)> {
    let mut rows = vec![
        (
            FINE,
            "success, also if you quit while a file loads".to_string(),
        ),
        (FAILED, "failed".to_string()),
        (
            USAGE,
            "usage error, including a method, thread or metric that the profile does not have"
                .to_string(),
        ),
        (
            WORSE,
            "a condition of `compare --fail-if` holds".to_string(),
        ),
    ];
    rows.extend(Stage::all().map(|stage| {
        let meaning = format!("dotTrace, stage {}: {}", stage.name(), stage.doc());
        (stage.exit_code(), meaning)
    }));
    rows
}
