//! What an import format is.

use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::Recording;

#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Of zip archives, outermost first; where none is named, the best match.
    pub members: Vec<String>,
    /// `None` detects it.
    pub format: Option<&'static Format>,
    /// Opens only files next to the profile, not those it names elsewhere on this machine.
    pub siblings_only: bool,
}

#[derive(Debug)]
pub struct Format {
    /// On the command line and in output.
    pub name: &'static str,
    pub title: &'static str,
    pub extensions: &'static [&'static str],
    pub metrics: &'static str,
    /// A clause; empty if nothing is left out.
    pub limitations: &'static str,
    pub sniff: fn(&Head) -> Option<Confidence>,
    pub read: fn(Input, &ReadOptions) -> Result<Recording, ImportError>,
}
