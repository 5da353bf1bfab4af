//! Files that hold a profile: gzip files and zip archives, in each other too.
//!
//! [`unpack`] turns the [`Input`] of a container into that of the profile in it, which goes through the table of formats like
//! any other. What was met on the way is in the input's [`Packaging`]: which containers, and what is wrong with them.
//!
//! - [`gzip`] streams, so that it reads from standard input, too.
//! - [`archive`] (zip) is searched in place where it is a file, and read into memory where it is a stream or lies within another
//!   container. Nothing is ever written to disk, so the paths in an archive are only names.
//! - [`inflate`] is the compression of both; [`limits`] says what is too much.
//!
//! Damaged or cut data ends where it is damaged or cut, and the format's reader makes of it what it makes of a file that
//! breaks off; a note says what happened. Progress counts the bytes of the file on disk.

mod archive;
mod gzip;
mod inflate;
mod limits;

use super::{Failure, Format, ImportError, Input};
use crate::model::Profile;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use archive::Folder;

/// Which profile of a container is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The members of zip archives, of the outermost first; where none is named, the best one.
    pub members: Vec<String>,
    /// The format that it must have; any if it is missing.
    pub format: Option<&'static Format>,
}

/// The kinds of containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gzip,
    Zip,
}

impl Kind {
    /// What a file is that starts with these bytes.
    fn of(head: &[u8]) -> Option<Kind> {
        if head.starts_with(gzip::MAGIC) {
            Some(Kind::Gzip)
        } else {
            archive::MAGICS.iter().any(|magic| head.starts_with(magic)).then_some(Kind::Zip)
        }
    }
}

/// The profile in a container; the input itself if it is none.
///
/// # Errors
/// A container that can't be read, holds no profile, or several equally good ones without a choice, or too many levels.
pub fn unpack(mut input: Input, wanted: &Wanted) -> Result<Input, ImportError> {
    let mut members = wanted.members.iter();
    let mut level = 0;
    while let Some(kind) = Kind::of(input.head().bytes) {
        if level == limits::MAX_LEVELS {
            return Err(limits::too_deep(&input.name).into());
        }
        level += 1;
        input = match kind {
            Kind::Gzip => gzip::open(input)?,
            Kind::Zip => archive::open(input, members.next().map(String::as_str), wanted.format)?,
        };
    }
    match members.next() {
        None => Ok(input),
        Some(member) => {
            let problem = format!("is no zip archive, and --member {member} names a member of one");
            Err(Failure::new(&input.name, "", problem).advice("leave --member out").into())
        }
    }
}

/// The containers around a profile, and what is wrong with them. Clones share what is found later.
#[derive(Clone, Debug, Default)]
pub struct Packaging {
    /// What each container is, the outermost first.
    layers: Vec<String>,
    /// How many bytes of the file on disk were read.
    read: Arc<AtomicU64>,
    found: Arc<Mutex<Found>>,
}

#[derive(Debug, Default)]
struct Found {
    notes: Vec<String>,
    /// Why it is not read on.
    refusal: Option<Failure>,
}

impl Packaging {
    /// The same with one more container inside.
    fn within(&self, layer: String) -> Packaging {
        let layers = self.layers.iter().cloned().chain([layer]).collect();
        Packaging { layers, ..self.clone() }
    }

    /// The outermost containers only, with a place for notes of its own: for looking at what may be left alone.
    fn apart(&self) -> Packaging {
        Packaging { layers: self.layers.clone(), ..Packaging::default() }
    }

    /// Counts bytes of the file on disk that were read.
    pub fn add_read(&self, count: u64) {
        self.read.fetch_add(count, Ordering::Relaxed);
    }

    /// Whether there is a container.
    pub fn is_packed(&self) -> bool {
        !self.layers.is_empty()
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes something that is wrong, as a sentence without capital and full stop.
    fn note(&self, note: String) {
        let mut found = self.found();
        if !found.notes.contains(&note) {
            found.notes.push(note);
        }
    }

    /// Checks what a container has given so far for what was read of it.
    fn check(&self, file: &str, packed: u64, unpacked: u64) -> io::Result<()> {
        // in containers within containers, each may be small beside the one around it
        let packed = packed.min(self.read.load(Ordering::Relaxed));
        limits::check(file, packed, unpacked).map_err(|failure| {
            let error = io::Error::other(failure.problem.clone());
            self.found().refusal.get_or_insert(*failure);
            error
        })
    }

    /// Adds to what a reader made of the profile which containers there were, and what is wrong with them. `outer` and
    /// `inner` are the names of the outermost container and of the profile in the innermost.
    ///
    /// # Errors
    /// That of the reader, with what is wrong with the containers; or that of a container, if that is why it could not go on.
    pub fn settle(
        &self,
        outer: &str,
        inner: &str,
        result: Result<Profile, ImportError>,
    ) -> Result<Profile, ImportError> {
        if !self.is_packed() {
            return result;
        }
        let found = self.found();
        match (result, &found.refusal) {
            (Err(ImportError::Cancelled), _) => Err(ImportError::Cancelled),
            (_, Some(refusal)) => Err(refusal.clone().into()),
            (Ok(mut profile), None) => {
                profile.source.facts.push(("inside", self.layers.join(", ")));
                profile.warnings.extend(found.notes.iter().cloned());
                if profile.source.name == inner {
                    profile.source.name = outer.to_string();
                }
                Ok(profile)
            }
            (Err(ImportError::Failed(mut failure)), None) => {
                for note in &found.notes {
                    failure.problem.push_str(&format!("; {note}"));
                }
                Err(failure.into())
            }
        }
    }
}
