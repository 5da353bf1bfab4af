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

/// Opens a pipe, again and again where it is busy, or missing for so many attempts; `pause` waits between attempts.
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
mod tests {
    use super::*;

    /// What opening a pipe that fails with these errors in turn gives, and after how many pauses.
    fn opened(mut errors: Vec<i32>) -> (Result<(), Option<i32>>, usize) {
        errors.reverse();
        let mut pauses = 0;
        let open = || match errors.pop() {
            Some(code) => Err(io::Error::from_raw_os_error(code)),
            None => Ok(()),
        };
        let result = open_patiently(MISSING_ATTEMPTS, open, || pauses += 1);
        (result.map_err(|error| error.raw_os_error()), pauses)
    }

    #[test]
    fn a_pipe_that_is_busy_or_missing_for_a_moment_is_opened() {
        assert_eq!(opened(vec![]), (Ok(()), 0));
        assert_eq!(opened(vec![231, 231, 2, 231]), (Ok(()), 4));
        assert_eq!(opened(vec![231; 499]), (Ok(()), 499));
        assert_eq!(opened(vec![2; 19]), (Ok(()), 19));
    }

    #[test]
    fn a_pipe_that_stays_busy_or_missing_is_given_up() {
        // 10 ms each: 5 s, and 0.2 s
        assert_eq!(opened(vec![231; 1000]), (Err(None), 499));
        assert_eq!(opened(vec![2; 1000]), (Err(Some(2)), 19));
        assert_eq!(opened(vec![231, 5]), (Err(Some(5)), 1));
        let missing = || Err::<(), _>(io::Error::from_raw_os_error(2));
        assert!(open_patiently(1, missing, || panic!("it is tried once")).is_err());
    }

    #[test]
    fn runtimes_disconnect_behind_their_answers() {
        assert!(is_end(&io::Error::from_raw_os_error(233)));
        assert!(is_end(&io::ErrorKind::BrokenPipe.into()));
        assert!(!is_end(&io::Error::from_raw_os_error(5)));
    }
}
