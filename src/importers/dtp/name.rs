pub(super) const NAME: &str = crate::model::Source::DTP;
pub(super) const TITLE: &str = "dotTrace snapshot";
