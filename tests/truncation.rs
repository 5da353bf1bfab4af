//! Stacks that were cut at a number of frames: found, marked, repaired.

#[path = "common/call_patterns.rs"]
mod call_patterns;
mod common;
#[path = "truncation/deep_stacks.rs"]
mod deep_stacks;
#[path = "truncation/generated.rs"]
mod generated;
#[path = "common/nettrace_writer.rs"]
mod nettrace_writer;
#[path = "common/profiles.rs"]
mod profiles;
