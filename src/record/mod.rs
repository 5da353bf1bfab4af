//! Recording a live .NET process over its diagnostics port, without any other tool.
//!
//! Runtimes since .NET Core 3.0 listen on a socket (a named pipe on Windows) whose name contains the process id. Each
//! connection takes one command; the one that starts a recording then carries its events, in the format that `importers/nettrace`
//! reads, until the recording is stopped over another connection. The names of methods come last.
//!
//! | file | does |
//! |---|---|
//! | [`port`] | connections over sockets or pipes |
//! | [`message`] | commands and replies |
//! | `port_error`, `obstacle` | errors of a port, and why a process can't be recorded |
//! | [`proc_fs`] | processes according to the system; `pipes` on Windows |
//! | [`processes`] | which processes there are, and their names |
//! | [`providers`] | what is recorded |
//! | [`session`] | a recording from its start to its end |
//! | [`called`], [`reverse`], [`group`] | launched programs: those that wait at their start, the port that they connect to, and their process groups |
//! | `suspended`, `waiting`, `descendants` | launched programs on Windows, which wait at their own pipes |
//!
//! Nothing here prints or parses arguments. Every read has a timeout, so a hanging runtime does not hang dotspot.

#[cfg(any(windows, test))]
mod descendants;
#[cfg(unix)]
pub(crate) mod group;
pub(crate) mod message;
pub(crate) mod messages;
pub(crate) mod obstacle;
#[cfg(windows)]
mod pipes;
pub(crate) mod port;
pub(crate) mod port_error;
#[cfg(unix)]
mod proc_fs;
pub(crate) mod processes;
mod program;
pub(crate) mod providers;
#[cfg(unix)]
pub(crate) mod reverse;
pub(crate) mod session;
#[cfg(windows)]
pub(crate) mod suspended;
pub(crate) mod suspended_runtime;
#[cfg(any(windows, test))]
mod waiting;

#[cfg(test)]
mod tests;
