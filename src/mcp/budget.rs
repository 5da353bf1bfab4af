//! The token budgets of requests.

/// The default budget.
pub(super) const USUAL: usize = 2_000;
/// The minimum: less holds no answer.
pub(super) const LEAST: usize = 200;

/// The maximum: no model reads more at once, and an answer is built in memory.
pub(super) const MOST: usize = 100_000;
