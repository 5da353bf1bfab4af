//! The tokenizers of two model families. The program itself only estimates.

use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

/// The number of tokens in a text: the larger of both.
pub fn real_tokens(text: &str) -> usize {
    [o200k_base_singleton(), cl100k_base_singleton()]
        .map(|model| model.encode_ordinary(text).len())
        .into_iter()
        .max()
        .unwrap()
}
