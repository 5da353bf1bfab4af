//! Units, and numbers as text.

mod format;
mod unit;

pub use format::*;
pub use unit::Unit;
