//! The token budgets of requests.

/// The default budget.
pub(super) const DEFAULT: usize = 2_000;
/// The minimum: less holds no answer.
pub(super) const MIN: usize = 200;

/// The maximum: no model reads more at once, and an answer is built in memory.
pub(super) const MAX: usize = 100_000;
