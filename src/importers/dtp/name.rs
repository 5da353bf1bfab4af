//! The names of the format.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = crate::model::Source::DTP;
/// In messages.
pub(super) const TITLE: &str = "dotTrace snapshot";
