//! Messages on standard error.

use crate::text::visible;
use std::io::{self, Write};

/// Prints a message on standard error, with text from files unable to control the terminal. If standard error is closed or full,
/// nobody can be told.
pub(super) fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "dotspot: {}", visible(sentence));
}

/// Prints a line that belongs to the previous message.
pub(super) fn say_more(line: &str) {
    let _ = writeln!(io::stderr(), "  {}", visible(line.trim_end()));
}
