//! The user's notes on methods, stored in a file next to the profile.

use super::files::{Destination, why_not_written, write_whole};
use crate::cli::messages;
use crate::input::plain;
use crate::model::{MethodKey, MethodNotes};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SUFFIX: &str = ".dotspot.json";

const SCHEMA: &str = "dotspot.notes/1";

const MAX_BYTES: u64 = 1 << 20;

/// How long to wait for another program's lock, and how often to try.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Serialize, Deserialize)]
struct NotesFile {
    schema: String,
    notes: Vec<NoteEntry>,
}

#[derive(Serialize, Deserialize)]
struct NoteEntry {
    method: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    signature: String,
    note: String,
}

pub(super) fn file_of(profile: &Path) -> Option<PathBuf> {
    let mut name = profile.file_name()?.to_os_string();
    name.push(SUFFIX);
    profile.is_file().then(|| profile.with_file_name(name))
}

/// Empty if the file does not exist. The error is a clause.
pub(super) fn read(path: &Path) -> Result<MethodNotes, String> {
    // opening a pipe would wait forever
    match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(MethodNotes::default()),
        Ok(metadata) if !metadata.is_file() => return Err(messages::NOT_REGULAR_FILE.into()),
        Ok(metadata) if metadata.len() > MAX_BYTES => {
            return Err(messages::notes_file_too_large(&(MAX_BYTES >> 20)));
        }
        _ => {}
    }
    let text = fs::read(path).map_err(|error| plain(&error))?;
    let file: NotesFile =
        serde_json::from_slice(&text).map_err(|error| messages::not_a_notes_file(&error))?;
    if file.schema != SCHEMA {
        let found = format_args!("{:?}", file.schema);
        return Err(messages::other_schema(&SCHEMA, &found));
    }
    let mut notes = MethodNotes::default();
    for entry in file.notes {
        let method = MethodKey {
            name: entry.method,
            signature: entry.signature,
        };
        match entry.note.trim().is_empty() {
            true => notes.hide(method),
            false => notes.set(method, &entry.note),
        }
    }
    Ok(notes)
}

/// Sets a note on methods, or removes it if the note is empty, and returns all notes in the file. Notes in the profile
/// itself can only be hidden. The error is a sentence.
pub(super) fn write(
    path: &Path,
    methods: &[MethodKey],
    note: &str,
    notes_in_profile: &MethodNotes,
) -> Result<MethodNotes, String> {
    let refused = |reason| messages::not_written(&path.display(), &reason);
    let _lock = lock(path).map_err(refused)?;
    let mut notes = read(path).map_err(refused)?;
    if is_read_only(path) {
        return Err(refused("it is read-only".into()));
    }
    for method in methods {
        match note.trim().is_empty() && notes_in_profile.get(method).is_some() {
            true => notes.hide(method.clone()),
            false => notes.set(method.clone(), note),
        }
    }
    let rows = notes.entries().map(|(method, note)| NoteEntry {
        method: method.name.clone(),
        signature: method.signature.clone(),
        note: note.into(),
    });
    let file = NotesFile {
        schema: SCHEMA.into(),
        notes: rows.collect(),
    };
    let mut text = serde_json::to_vec_pretty(&file).map_err(|error| refused(error.to_string()))?;
    text.push(b'\n');
    // a larger file could not be read again
    if text.len() as u64 > MAX_BYTES {
        let megabytes = MAX_BYTES >> 20;
        return Err(refused(messages::notes_would_be_too_large(&megabytes)));
    }
    let to = Destination::new(path, true);
    let written = write_whole(to, |out| out.write_all(&text));
    written.map_err(|error| why_not_written(path, &error))?;
    Ok(notes)
}

/// Locks the profile, because writing replaces the notes file. `None` if the file system has no locks.
fn lock(notes: &Path) -> Result<Option<File>, String> {
    let profile = notes.with_extension("").with_extension("");
    let Ok(file) = File::open(profile) else {
        return Ok(None);
    };
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(messages::PROFILE_LOCKED.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_INTERVAL),
        }
    }
}

/// Replacing a read-only file would succeed, since that depends only on the folder.
fn is_read_only(path: &Path) -> bool {
    let open = || File::options().append(true).open(path);
    path.metadata().is_ok_and(|metadata| {
        metadata.permissions().readonly()
            || open().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    })
}

#[cfg(test)]
mod tests;
