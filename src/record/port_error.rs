use crate::input::plain;
use crate::record::messages;
use std::fmt;
use std::io;

#[derive(Debug)]
pub(crate) enum PortError {
    /// There is no such port, or nobody listens on it any longer.
    Gone,
    Forbidden,
    WrongListener,
    Silent,
    HungUp,
    Refused(u32),
    /// What was expected instead.
    Garbled(&'static str),
    System(io::Error),
}

pub(crate) const UNKNOWN_COMMAND: u32 = 0x8013_1385;
/// Usually too many recordings at once, of which a runtime allows 64.
pub(crate) const FAIL: u32 = 0x8000_4005;

impl PortError {
    pub(crate) fn from_io(error: io::Error) -> PortError {
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
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            PortError::Gone => messages::NOBODY_LISTENS.into(),
            PortError::Forbidden => messages::PORT_OF_ANOTHER_USER.into(),
            PortError::WrongListener => messages::ANOTHER_USER_LISTENS.into(),
            PortError::Silent => messages::PORT_DOES_NOT_ANSWER.into(),
            PortError::HungUp => messages::PORT_HUNG_UP.into(),
            PortError::Refused(UNKNOWN_COMMAND) => messages::RUNTIME_TOO_OLD.into(),
            PortError::Refused(FAIL) => messages::TOO_MANY_RECORDINGS.into(),
            PortError::Refused(code) => messages::refused_with_code(&format_args!("{code:08X}")),
            PortError::Garbled(expected) => messages::invalid_answer(expected),
            PortError::System(error) => messages::cant_use_port(&plain(error)),
        })
    }
}
