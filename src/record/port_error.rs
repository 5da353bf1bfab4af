//! What goes wrong at a diagnostics port.

use crate::input::plain;
use crate::record::messages;
use std::fmt;
use std::io;

/// Why a runtime did not do what it was asked for.
#[derive(Debug)]
pub(crate) enum PortError {
    /// If there is no such port, or nobody listens at it any longer.
    Gone,
    /// It belongs to another user.
    Forbidden,
    /// Somebody else listens where it should.
    Strange,
    /// It takes connections and says nothing.
    Silent,
    /// It hung up before its answer was complete.
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
/// The code for what has no code of its own: usually too many recordings at once; a runtime allows at most 64.
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

    /// Whether the runtime has as many recordings as it can have.
    pub(crate) fn is_too_many(&self) -> bool {
        matches!(self, PortError::Refused(FAIL))
    }
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            PortError::Gone => messages::NOBODY_LISTENS.into(),
            PortError::Forbidden => messages::PORT_OF_ANOTHER_USER.into(),
            PortError::Strange => messages::ANOTHER_USER_LISTENS.into(),
            PortError::Silent => messages::PORT_DOES_NOT_ANSWER.into(),
            PortError::HungUp => messages::PORT_HUNG_UP.into(),
            PortError::Refused(UNKNOWN_COMMAND) => messages::RUNTIME_TOO_OLD.into(),
            PortError::Refused(FAIL) => messages::TOO_MANY_RECORDINGS.into(),
            PortError::Refused(code) => messages::refused_with_code(&format_args!("{code:08X}")),
            PortError::Garbled(problem) => messages::port_answered_nonsense(problem),
            PortError::System(error) => messages::cant_use_port(&plain(error)),
        })
    }
}
