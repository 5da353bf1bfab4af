//! The names of the format.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = "perfview";
/// In messages.
pub(super) const TITLE: &str = "PerfView stacks";
/// The possible names of the root element.
pub(super) const ROOTS: [&str; 2] = ["StackWindow", "StackSource"];
