//! What a reader of the profile should know.

/// The file name in a path of Windows or Unix. Warnings go out with exports, and folders are private.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The most sentences that are kept: a damaged file with thousands of threads must not fill the screen.
const MOST: usize = 40;

/// Warnings in the order in which they came up, each once.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    kept: Vec<String>,
    left_out: usize,
}

impl Warnings {
    /// Adds a sentence.
    pub fn add(&mut self, sentence: String) {
        if self.kept.contains(&sentence) {
            return;
        }
        if self.kept.len() < MOST {
            self.kept.push(sentence);
        } else {
            self.left_out += 1;
        }
    }

    /// All sentences.
    pub fn into_sentences(mut self) -> Vec<String> {
        if self.left_out > 0 {
            self.kept.push(format!("{} more warnings about this snapshot are left out", self.left_out));
        }
        self.kept
    }
}
