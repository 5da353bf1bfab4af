//! What the format is called: in the table of formats, and by its readers.

/// On the command line and in call-tree JSON.
pub(super) const NAME: &str = crate::model::Source::ETL;
/// In messages.
pub(super) const TITLE: &str = "Windows event trace";
