//! What the errors of Windows' named pipes mean at a diagnostics port.
//!
//! Source: `ds-ipc-pal-namedpipe.c` in dotnet/runtime, and what .NET Core 3.1 did.

use std::io;

/// There is no pipe of this name.
const FILE_NOT_FOUND: i32 = 2;
/// All instances of the pipe are in use.
const PIPE_BUSY: i32 = 231;
/// The other end disconnected, as runtimes do after each answer. Rust has no name for it.
const PIPE_NOT_CONNECTED: i32 = 233;

/// Runtimes before .NET 5 close their pipe before they create the next one.
pub(crate) const MISSING_ATTEMPTS: u32 = 20;
/// A runtime has no free instance between two of its listening calls: 5 s of attempts, 10 ms apart, as [`PATIENCE`](super::PATIENCE).
const BUSY_ATTEMPTS: u32 = 500;

/// Opens a pipe, retrying while it is busy, and a limited number of times while it is missing; `pause` waits between attempts.
///
/// # Errors
/// That of the last attempt; `TimedOut` where all instances stay in use.
pub(super) fn open_patiently<T>(
    missing_attempts: u32,
    mut open: impl FnMut() -> io::Result<T>,
    mut pause: impl FnMut(),
) -> io::Result<T> {
    let mut attempts = 1;
    loop {
        let error = match open() {
            Ok(opened) => return Ok(opened),
            Err(error) => error,
        };
        match error.raw_os_error() {
            Some(PIPE_BUSY) if attempts >= BUSY_ATTEMPTS => {
                return Err(io::ErrorKind::TimedOut.into());
            }
            Some(PIPE_BUSY) => {}
            Some(FILE_NOT_FOUND) if attempts < missing_attempts => {}
            _ => return Err(error),
        }
        attempts += 1;
        pause();
    }
}

/// Whether an error means that the other end has closed the connection.
pub(super) fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

#[cfg(test)]
mod tests;
