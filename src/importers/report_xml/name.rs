pub(super) const NAME: &str = "report";
pub(super) const TITLE: &str = "dotTrace report";
