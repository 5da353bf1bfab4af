//! The names of the format.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = "nettrace";
/// In messages.
pub(super) const TITLE: &str = "dotnet-trace recording";
