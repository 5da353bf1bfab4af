//! How a container knows which of its members is the profile.

use crate::input::source::{Confidence, Head};

/// How to rank the members of an archive; supplied by the code that knows the formats.
pub(crate) struct Ranking<'a> {
    /// How sure it is that a file with this head is a profile of the formats that are looked for.
    pub rank: &'a dyn Fn(&Head<'_>) -> Option<Confidence>,
    /// These formats, for people.
    pub formats: String,
}
