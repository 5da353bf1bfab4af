//! Decoder assemblies with the real program: what is built and run, what is kept, and every way in which it fails.
//!
//! Most compilers and runtimes here are shell scripts, which write down what they were asked and fail as they are told;
//! `mono` has the real helper, built with a real compiler, on stand-ins for dotTrace's libraries.
#![cfg(unix)]

mod cache;
mod failures;
mod machine;
mod mono;
mod toolchains;
