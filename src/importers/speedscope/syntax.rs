//! How profiles of speedscope are spelled: for the reader, and for repair, which writes them again.

use crate::input::json::{JsonError, RawString};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// A span begins.
    Open,
    /// It ends.
    Close,
}

impl Does {
    /// What the text of the member `type` says.
    #[inline]
    pub(crate) fn named(name: &[u8]) -> Option<Does> {
        match name {
            b"O" => Some(Does::Open),
            b"C" => Some(Does::Close),
            _ => None,
        }
    }
}

/// How many nanoseconds a unit of time has; `None` for other units.
pub(crate) fn nanoseconds_in(unit: &str) -> Option<u64> {
    match unit {
        "nanoseconds" => Some(1),
        "microseconds" => Some(1_000),
        "milliseconds" => Some(1_000_000),
        "seconds" => Some(1_000_000_000),
        _ => None,
    }
}

/// A member of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpeedscopeMember {
    Type,
    Frame,
    At,
    Other,
}

impl SpeedscopeMember {
    #[inline]
    pub(crate) fn named(name: &[u8]) -> SpeedscopeMember {
        match name {
            b"type" => SpeedscopeMember::Type,
            b"frame" => SpeedscopeMember::Frame,
            b"at" => SpeedscopeMember::At,
            _ => SpeedscopeMember::Other,
        }
    }
}

/// The member that a key names, which may be written with escapes.
#[inline]
pub(super) fn member(key: &RawString<'_>) -> Result<SpeedscopeMember, JsonError> {
    match SpeedscopeMember::named(key.bytes()) {
        SpeedscopeMember::Other => Ok(SpeedscopeMember::named(key.decode()?.as_bytes())),
        known => Ok(known),
    }
}
