//! The definition of an import format: a row of the table of formats.

use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::Recording;

/// What is to be read, and how much of it.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The members of zip archives, of the outermost first; where none is named, the best one.
    pub members: Vec<String>,
    /// The format that it must have; any if it is missing.
    pub format: Option<&'static Format>,
    /// Whether files that the profile names elsewhere on this machine stay closed: only those next to it may be opened.
    pub siblings_only: bool,
}

/// A format that dotspot reads.
pub struct Format {
    /// Its name on the command line and in output.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Usual file extensions, with the dot.
    pub extensions: &'static [&'static str],
    /// The metrics that it gives.
    pub metrics: &'static str,
    /// What of it is left out, a clause; empty if nothing is.
    pub limitations: &'static str,
    /// Whether a file starts like one of this format.
    pub sniff: fn(&Head) -> Option<Confidence>,
    pub read: fn(Input, &ReadOptions) -> Result<Recording, ImportError>,
}
