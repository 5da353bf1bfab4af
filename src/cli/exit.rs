//! Exit codes, in one table.

use crate::cli::messages;
use crate::input::Stage;

pub(super) const SUCCESS: u8 = 0;
pub(super) const FAILED: u8 = 1;
pub(super) const USAGE: u8 = 2;

/// A condition of `compare --fail-if` is met.
pub(super) const LIMIT_EXCEEDED: u8 = 3;

pub fn table() -> Vec<(u8, String)> {
    let rows = [
        (SUCCESS, messages::EXIT_SUCCESS),
        (FAILED, "failed"),
        (USAGE, messages::EXIT_USAGE),
        (LIMIT_EXCEEDED, messages::EXIT_LIMIT_EXCEEDED),
    ];
    let rows = rows.map(|(code, meaning)| (code, meaning.to_string()));
    let stages = Stage::ALL.map(|stage| {
        let meaning = format!("dotTrace, stage {}: {}", stage.name(), stage.doc());
        (stage.exit_code(), meaning)
    });
    rows.into_iter().chain(stages).collect()
}
