//! Files that hold a profile: gzip files and zip archives, in each other too.
//!
//! [`unpack`] turns the [`Input`] of a container into that of the profile in it, which goes through the table of formats like
//! any other. What was met on the way is in the input's [`Packaging`]: which containers, and what is wrong with them.
//!
//! - [`gzip`] streams, so that it reads from standard input, too.
//! - [`archive`] (zip) is searched in place where it is a file, and read into memory where it is a stream or lies within another
//!   container. Nothing is ever written to disk, so the paths in an archive are only names.
//! - [`pieces`] feeds the decompressor of both; [`limits`] says what is too much.
//!
//! Damaged or cut data ends where it is damaged or cut, and the format's reader makes of it what it makes of a file that
//! breaks off; a note says what happened. Progress counts the bytes of the file on disk.

mod archive;
mod gzip;
mod kind;
mod pieces;
mod ranking;

use super::error::{Failure, ImportError};
use super::source::Input;
use crate::input::{limits, messages};
use kind::ContainerKind;
pub(crate) use ranking::Ranking;

/// The profile in a container; the input itself if it is none. `members` are those wanted of zip archives, of the outermost
/// first; where none is named, the one with the highest rank.
///
/// # Errors
/// A container that can't be read, holds no profile, or several equally good ones without a choice, or too many levels.
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
            ContainerKind::Zip => archive::open(
                input,
                members.next().map(String::as_str),
                &mut chosen,
                ranking,
            )?,
        };
    }
    match members.next() {
        None => Ok(input),
        Some(member) => {
            let problem = messages::not_an_archive(&member);
            Err(Failure::new(&input.name, "", problem)
                .advice("leave --member out")
                .into())
        }
    }
}
