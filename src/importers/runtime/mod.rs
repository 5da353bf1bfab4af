//! What the .NET runtime tells of its code, in the same words wherever its events are recorded: methods and modules, and
//! where each method's code lay at which time.

mod code;
mod events;

pub(super) use code::{Code, MethodId, Timeline};
pub(super) use events::{CodeEvent, Life, RuntimeProvider};
