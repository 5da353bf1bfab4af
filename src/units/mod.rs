//! Units, and numbers as text.

mod date;
mod format;
mod unit;

pub use date::date;
pub use format::*;
pub use unit::Unit;
