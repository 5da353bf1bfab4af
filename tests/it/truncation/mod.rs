//! Stacks truncated at a number of frames: detected, marked, repaired.

mod deep_stacks;
mod generated;
