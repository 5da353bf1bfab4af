//! Records a live .NET process over its diagnostic port, without any other tool. Runtimes since .NET Core 3.0 listen
//! on a socket (a named pipe on Windows) whose name contains the process id. Each connection takes one command; the
//! one that starts a recording then carries its events, in the format that `importers/nettrace` reads, until the
//! recording is stopped over another connection. The names of methods come last. Every read has a timeout, so a
//! hanging runtime does not hang dotspot.

#[cfg(any(windows, test))]
mod descendants;
#[cfg(unix)]
mod group;
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
pub(crate) mod program;
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
