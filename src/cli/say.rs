//! What is said on standard error, and what is wrong with a command line.

use crate::model::text::visible;
use std::io::{self, Write};

/// Says a sentence on standard error, where nothing of a file's text can drive the terminal. If that is closed or full,
/// nobody is there to be told.
pub(super) fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "dotspot: {}", visible(sentence));
}

/// Says a line that belongs to the sentence before it.
pub(super) fn say_more(line: &str) {
    let _ = writeln!(io::stderr(), "  {}", visible(line.trim_end()));
}

/// Something is wrong with how dotspot was called.
#[derive(Debug)]
pub(super) struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
