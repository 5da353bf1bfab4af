//! What a method's name reveals: display name, kind of frame, whose code it is, async infrastructure and waits.

pub(crate) mod display_name;
mod frame_kinds;
pub(crate) mod plumbing;
pub(crate) mod runtimes;
pub mod thread_names;
pub(crate) mod waits;

pub use display_name::{
    ALLOCATED, CONSTRUCTED, TypeParameters, UserCode, category_of, display_name,
    display_parameters, module_name, namespace_and_type, paused_method, split_module,
};
pub use frame_kinds::{Category, FrameKind, truncated_at};
pub use waits::{NO_MANAGED_FRAMES, WaitKind, is_message_loop, wait_kind};

pub const NO_USER_CALLER: &str = "[no user caller]";
