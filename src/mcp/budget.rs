//! The budgets that requests may ask for, in tokens.

/// How many tokens an answer may have unless the request says otherwise.
pub(super) const USUAL: usize = 2_000;
/// The least that a request may ask for: less holds no answer.
pub(super) const LEAST: usize = 200;

/// The most that a request may ask for: no model reads more at once, and an answer is made in memory.
pub(super) const MOST: usize = 100_000;
