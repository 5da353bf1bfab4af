mod date;
mod format;
mod unit;

pub use date::{date, unix_ms, unix_time};
pub use format::*;
pub use unit::Unit;
