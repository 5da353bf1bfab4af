//! The tokenizers of two families of models. The program only estimates.

use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

/// How many tokens a text has, the larger number of the two.
pub fn real_tokens(text: &str) -> usize {
    [o200k_base_singleton(), cl100k_base_singleton()]
        .map(|model| model.encode_ordinary(text).len())
        .into_iter()
        .max()
        .unwrap()
}
