//! Stacks that were cut at a number of frames: found, marked, repaired.

mod deep_stacks;
mod generated;
