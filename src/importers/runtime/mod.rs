//! The .NET runtime's events about code, which are the same in every trace format: methods and modules, and
//! the address of each method's code over time.

mod code;
mod events;

pub(super) use code::{Code, MethodId, Timeline};
pub(super) use events::{CodeEvent, Life, RuntimeProvider};
