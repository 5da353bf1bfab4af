//! Fits and wraps text to terminal cells, and counts the tokens of prompts.

mod bars;
mod differing;
mod fit;
mod shell;
mod tokens;
mod visible;
mod wrap;

pub use bars::middle_bar;
pub use differing::differing;
pub use fit::{Cut, ENTERED_BY, cut_name, fit_end, fit_name, fit_start, method_from, width};
pub use shell::{quoted, quoted_text};
pub use tokens::{fit_rows, fit_some_rows, tokens};
pub use visible::{is_hostile, shortened, start_of, visible};
pub use wrap::{wrap, wrap_indented};

/// The file name in a Windows or Unix path. Folders may identify the user and never leave the machine.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
