//! The definition of an import format: one row of the format table.

use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::Recording;

#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The members of zip archives, outermost first; where none is named, the best match.
    pub members: Vec<String>,
    /// The required format; `None` detects it.
    pub format: Option<&'static Format>,
    /// Whether only files next to the profile may be opened, not those it names elsewhere on this machine.
    pub siblings_only: bool,
}

#[derive(Debug)]
pub struct Format {
    /// The name on the command line and in output.
    pub name: &'static str,
    pub title: &'static str,
    pub extensions: &'static [&'static str],
    pub metrics: &'static str,
    /// What is left out, as a clause; empty if nothing is.
    pub limitations: &'static str,
    /// Whether a file starts like one in this format.
    pub sniff: fn(&Head) -> Option<Confidence>,
    pub read: fn(Input, &ReadOptions) -> Result<Recording, ImportError>,
}
