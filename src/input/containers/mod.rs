//! gzip files and zip archives around a profile, possibly nested. Reading stops at damaged or truncated data, with a
//! diagnostic.

pub(super) mod archive;
mod gzip;
mod pieces;

use super::error::{Failure, ImportError};
use super::source::{Confidence, Head, Input};
use crate::input::{limits, messages};

pub(crate) struct Ranking<'a> {
    /// How certain it is that a file with this head is a wanted profile.
    pub rank: &'a dyn Fn(&Head<'_>) -> Option<Confidence>,
    pub formats: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContainerKind {
    Gzip,
    Zip,
}

impl ContainerKind {
    /// By magic number: gzip (RFC 1952, section 2.3.1), or a zip archive's member, the end of an empty archive, or the
    /// first of several parts.
    fn of(head: &[u8]) -> Option<ContainerKind> {
        match head {
            [0x1f, 0x8b, ..] => Some(ContainerKind::Gzip),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => {
                Some(ContainerKind::Zip)
            }
            _ => None,
        }
    }
}

/// `members` are the wanted members of zip archives, outermost first; without one, the member with the highest rank is
/// chosen.
pub(crate) fn unpack(
    mut input: Input,
    members: &[String],
    ranking: &Ranking<'_>,
) -> Result<Input, ImportError> {
    let mut members = members.iter();
    let mut chosen = Vec::new();
    let mut level = 0;
    while let Some(kind) = ContainerKind::of(input.head().bytes) {
        if level == limits::MAX_LEVELS {
            return Err(limits::too_deep(&input.name).into());
        }
        level += 1;
        input = match kind {
            ContainerKind::Gzip => gzip::open(input)?,
            ContainerKind::Zip => archive::open(input, members.next(), &mut chosen, ranking)?,
        };
    }
    match members.next() {
        None => Ok(input),
        Some(member) => {
            let failure = Failure::new(&input.name, "", messages::not_an_archive(&member));
            Err(failure.advice("leave --member out").into())
        }
    }
}
