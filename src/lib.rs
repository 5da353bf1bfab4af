//! dotspot, a terminal explorer for .NET call trees.
//!
//! One profile in, one immutable [`model::CallTree`] in memory, many views of it, one subtree out.
//! The rooms and who may call whom are described in `ARCHITECTURE.md`; `tests/it/layers.rs` enforces them.

#![forbid(unsafe_code)]
// not in Cargo.toml: the tests' shared modules are public to tests alone
#![warn(unreachable_pub)]

pub mod analysis;
pub mod app;
pub(crate) mod child;
pub mod cli;
pub mod decoders;
pub mod exporters;
pub mod importers;
pub mod input;
pub mod kept;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod model;
pub mod query;
pub(crate) mod record;
pub mod repair;
pub mod text;
pub(crate) mod truncation;
pub mod ui;
