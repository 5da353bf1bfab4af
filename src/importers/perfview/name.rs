//! What the format is called: in the table of formats, and by its readers.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = "perfview";
/// In messages.
pub(super) const TITLE: &str = "PerfView stacks";
/// The names that the root element can have.
pub(super) const ROOTS: [&str; 2] = ["StackWindow", "StackSource"];
