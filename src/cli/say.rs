//! Messages on standard error.

use crate::text::visible;
use std::io::{self, Write};

/// Text from files can't control the terminal. If standard error is closed, nobody can be told.
pub(super) fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "dotspot: {}", visible(sentence));
}

/// Prints a line that belongs to the previous message.
pub(super) fn say_more(line: &str) {
    let _ = writeln!(io::stderr(), "  {}", visible(line.trim_end()));
}
