//! dotspot, a terminal explorer for .NET call trees.
//!
//! It is a program, not a library: this crate has no API for others. Other programs read its JSON (`docs/json.md`) or
//! ask `dotspot mcp`. The rooms and their dependencies are described in `ARCHITECTURE.md`; `tests/it/layers` enforces them.

#![forbid(unsafe_code)]
// some of what queries offer is for the server for agents alone
#![cfg_attr(not(feature = "mcp"), allow(dead_code))]

mod analysis;
mod app;
mod child;
mod cli;
mod decoders;
mod diagnostics;
mod exporters;
mod importers;
mod input;
#[cfg(feature = "mcp")]
mod mcp;
mod messages;
mod model;
mod names;
mod object;
mod profile_cache;
mod query;
mod record;
mod settings;
pub mod testing;
mod text;
mod truncation;
mod ui;
mod units;
mod words;

pub use cli::main;
