//! Answers: text for models, in lines without padding, cut to a budget by leaving out whole rows.

mod compare;
mod head;
mod info;
mod list;
mod methods;
mod related;
mod report;
mod timeline;
mod tree;
mod waits;

pub(super) use compare::compare;
pub(super) use info::{info, overview};
pub(super) use list::list_profiles;
pub(super) use methods::{hotspots, methods, search};
pub(super) use related::{callees, callers};
pub(super) use report::report;
pub(super) use timeline::timeline;
pub(super) use tree::tree;
pub(super) use waits::waits;
