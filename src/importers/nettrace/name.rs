//! What the format is called: in the table of formats, and by its readers.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = "nettrace";
/// In messages.
pub(super) const TITLE: &str = "dotnet-trace recording";
