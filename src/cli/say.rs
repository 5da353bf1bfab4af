//! Messages on standard error, and usage errors.

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

/// Something is wrong with how dotspot was called.
#[derive(Debug)]
pub(super) struct Usage {
    /// What is wrong, without its full stop.
    pub sentence: String,
    /// What to do, or what there is instead; empty if there is nothing to say.
    pub advice: String,
}

impl Usage {
    pub(super) fn new(sentence: impl Into<String>) -> Usage {
        Usage {
            sentence: sentence.into(),
            advice: String::new(),
        }
    }

    /// The same with what may help.
    pub(super) fn advice(self, advice: impl Into<String>) -> Usage {
        Usage {
            advice: advice.into(),
            ..self
        }
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)?;
        if !self.advice.is_empty() {
            write!(f, "; {}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for Usage {}
