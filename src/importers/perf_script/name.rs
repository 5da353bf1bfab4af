//! The names of the format.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = "perfscript";
/// In messages.
pub(super) const TITLE: &str = "perf script output";
