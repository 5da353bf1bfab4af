//! How to find the profile among the members of a container.

use crate::input::source::{Confidence, Head};

/// How to rank the members of an archive; supplied by the code that knows the formats.
pub(crate) struct Ranking<'a> {
    /// The confidence that a file with this head is a profile in one of the wanted formats.
    pub rank: &'a dyn Fn(&Head<'_>) -> Option<Confidence>,
    /// The names of these formats, for messages.
    pub formats: String,
}
