//! Text in the cells of a terminal: how wide it is, fitted, and broken into lines.

mod fit;
mod tokens;
mod wrap;

pub use fit::{Cut, cut_name, fit_end, fit_name, fit_start, width};
pub use tokens::tokens;
pub use wrap::{wrap, wrap_indented};
