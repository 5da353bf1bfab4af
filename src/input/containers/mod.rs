//! Files that contain a profile: gzip files and zip archives, possibly nested.
//!
//! [`unpack`] turns the [`Input`] of a container into the input of the profile inside, which goes through format
//! detection like any other. The input's [`Packaging`] records the containers, and what is wrong with them.
//!
//! - [`gzip`] streams, so it can read standard input.
//! - [`archive`] (zip) seeks if the archive is a file, and reads it into memory if it is a stream or inside another
//!   container. Nothing is ever written to disk, so paths in an archive are just names.
//! - [`pieces`] feeds the decompressor of both; [`limits`] bounds what they unpack.
//!
//! Damaged or truncated data ends at that point, with a note. The format's reader then treats it like any truncated
//! file. Progress counts the bytes of the file on disk.

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

/// The profile in a container, or the input itself if it is not one. `members` are the wanted members of zip archives,
/// outermost first; without a name, the member with the highest rank is chosen.
///
/// # Errors
/// If a container can't be read, contains no profile, or several equally good ones without a choice, or if too many are
/// nested.
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
