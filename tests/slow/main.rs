//! Slower tests: other programs, pseudo-terminals, real runtimes, and process memory.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod assemblies;
mod browser;
mod completions;
mod crafted_memory;
mod docs_commands;
mod doctor;
mod doctor_memory;
mod etl_damage;
mod evented_damage;
mod helper;
mod kept_indexes;
mod mcp_memory;
mod nettrace_changed;
mod perf;
mod record;
mod recording;
mod reporter;
mod terminal;
mod writing;
