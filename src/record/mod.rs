//! Recording a live .NET process over its diagnostics port, without any other tool.
//!
//! A runtime since .NET Core 3.0 listens at a socket (a named pipe on Windows) whose name has the number of its process. Each
//! connection takes one command; the one that starts a recording then carries its events, in the format that `importers/nettrace`
//! reads, until the recording is stopped over another connection. The names of methods come last.
//!
//! | file | does |
//! |---|---|
//! | [`port`] | connections, whatever carries them |
//! | [`message`] | the commands, and what is answered |
//! | `port_error`, `obstacle` | what goes wrong at a port, and what that means for a process |
//! | [`proc_fs`] | what the system tells of processes; `pipes` on Windows |
//! | [`processes`] | which processes there are, and by which names |
//! | [`providers`] | what is recorded |
//! | [`session`] | a recording from its start to its end |
//! | [`reverse`], [`group`] | programs that are started: a port where they call and wait, and their process groups |
//!
//! Nothing here prints or knows arguments. Reads wait for a limited time each, so that nothing hangs with a runtime that hangs.

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
pub(crate) mod providers;
#[cfg(unix)]
pub(crate) mod reverse;
pub(crate) mod session;

#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;
