//! What errors of Windows' named pipes mean at a diagnostic port. Source: `ds-ipc-pal-namedpipe.c` in dotnet/runtime,
//! and the behavior of .NET Core 3.1.

use std::io;

const FILE_NOT_FOUND: i32 = 2;
const PIPE_BUSY: i32 = 231;
/// The other end disconnected, as runtimes do after each answer. Rust has no name for it.
const PIPE_NOT_CONNECTED: i32 = 233;

/// Runtimes before .NET 5 close their pipe before they create the next one.
pub(crate) const MISSING_ATTEMPTS: u32 = 20;
/// Between two listening calls, a runtime has no free instance: 10 ms apart, these take as long as
/// [`CONNECT_TIMEOUT`](super::CONNECT_TIMEOUT).
const BUSY_ATTEMPTS: u32 = 500;

pub(super) fn open_with_retries<T>(
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

pub(super) fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

#[cfg(test)]
mod tests;
