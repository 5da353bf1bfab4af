//! What goes wrong at a diagnostics port.

use crate::input::plain;
use std::fmt;
use std::io;

/// Why a runtime did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum PortError {
    /// There is no such port, or nobody listens at it any longer.
    Gone,
    /// It belongs to another user.
    Forbidden,
    /// Somebody else listens where it should.
    Strange,
    /// It takes connections and says nothing.
    Silent,
    /// It hung up before its answer was whole.
    HungUp,
    /// It refused, with the code of an error.
    Refused(u32),
    /// It said something else than was expected: what, and what instead.
    Garbled(String),
    /// The system said no.
    System(io::Error),
}

/// The code for a command that came with a later runtime.
const UNKNOWN_COMMAND: u32 = 0x8013_1385;
/// The code for what has no code of its own: mostly too many recordings at once, of which a runtime has at most 64.
const FAIL: u32 = 0x8000_4005;

impl PortError {
    /// What an error of the system means at a port.
    pub(crate) fn of_io(error: io::Error) -> PortError {
        use io::ErrorKind::{
            BrokenPipe, ConnectionRefused, ConnectionReset, NotFound, PermissionDenied, TimedOut,
            UnexpectedEof, WouldBlock,
        };
        match error.kind() {
            NotFound | ConnectionRefused => PortError::Gone,
            PermissionDenied => PortError::Forbidden,
            WouldBlock | TimedOut => PortError::Silent,
            UnexpectedEof | ConnectionReset | BrokenPipe => PortError::HungUp,
            _ => PortError::System(error),
        }
    }

    /// Whether the runtime is too old for the command.
    pub(crate) fn is_too_old(&self) -> bool {
        matches!(self, PortError::Refused(UNKNOWN_COMMAND))
    }
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortError::Gone => f.write_str("nobody listens at its diagnostics port"),
            PortError::Forbidden => f.write_str("its diagnostics port belongs to another user"),
            PortError::Strange => {
                f.write_str("another user listens at what looks like its diagnostics port")
            }
            PortError::Silent => f.write_str("its diagnostics port does not answer"),
            PortError::HungUp => {
                f.write_str("its diagnostics port hung up before the answer was whole")
            }
            PortError::Refused(UNKNOWN_COMMAND) => f.write_str("its runtime is too old for this"),
            PortError::Refused(FAIL) => f.write_str("its runtime can't start another recording"),
            PortError::Refused(code) => write!(f, "its runtime refused with the code {code:08X}"),
            PortError::Garbled(problem) => {
                write!(f, "its diagnostics port answered nonsense: {problem}")
            }
            PortError::System(error) => {
                write!(f, "its diagnostics port can't be used: {}", plain(error))
            }
        }
    }
}

impl PortError {
    /// Whether the runtime has as many recordings as it can have.
    pub(crate) fn is_too_many(&self) -> bool {
        matches!(self, PortError::Refused(FAIL))
    }
}
