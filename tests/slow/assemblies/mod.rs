//! Decoding by JetBrains' assemblies with the real program: what is built, run and cached, and every way to fail.
//!
//! Most compilers and runtimes here are shell scripts that record their arguments and fail on request; `mono` tests the real
//! helper, built with a real compiler on stand-ins for dotTrace's libraries.
#![cfg(unix)]

mod cache;
mod failures;
mod machine;
mod mono;
mod toolchains;
