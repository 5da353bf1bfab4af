//! Messages on standard error.

use crate::text::visible;
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
