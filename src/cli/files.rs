//! Writes files atomically.

use super::signals::Watch;
use crate::cli::messages;
use crate::input::{Progress, plain};
use anyhow::{Result, anyhow};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

#[derive(Clone, Copy, Debug)]
pub(super) struct Destination<'a> {
    pub path: &'a Path,
    pub input: Option<&'a Path>,
    pub overwrite: bool,
    /// Opening a pipe would wait for a reader, which the explorer can't do.
    pub only_file: bool,
}

/// Writes a file through a temporary one next to it, so nobody sees half of it. Devices and pipes are written directly.
/// Returns the size in bytes; fails with `AlreadyExists`, or why it is refused as `InvalidInput`.
pub(super) fn write_whole(
    to: Destination<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    if !to.only_file {
        if cfg!(windows) && to.path.as_os_str().eq_ignore_ascii_case("nul") {
            return write_through(io::sink(), write);
        }
        if cfg!(unix) && STDOUT.iter().any(|name| to.path == Path::new(name)) {
            return write_through(io::stdout().lock(), write);
        }
        let metadata = to.path.metadata().ok();
        let stream = metadata.filter(|meta| !meta.is_file() && !meta.is_dir());
        if stream.is_some_and(|meta| to.overwrite || may_be_written(to.path, &meta)) {
            return write_through(File::create(to.path)?, write);
        }
    }
    replace(&to.file()?, to.overwrite, write)
}

impl Destination<'_> {
    pub(super) fn new(path: &Path, overwrite: bool) -> Destination<'_> {
        Destination {
            path,
            input: None,
            overwrite,
            only_file: true,
        }
    }

    pub(super) fn file(&self) -> io::Result<PathBuf> {
        let is_input = |input| is_same_file(input, self.path);
        match self.path.metadata() {
            _ if cfg!(windows) && is_device_of_windows(self.path) => {
                Err(refusal(messages::IS_A_DEVICE))
            }
            Ok(meta) if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(meta) if !meta.is_file() => Err(refusal(messages::IS_A_DEVICE)),
            Ok(_) if self.input.is_some_and(is_input) => Err(refusal(messages::IS_THE_INPUT)),
            Ok(_) if !self.overwrite => Err(io::ErrorKind::AlreadyExists.into()),
            _ => target_of(self.path),
        }
    }
}

fn write_through(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let mut out = CountingWriter::new(BufWriter::new(out));
    write(&mut out)?;
    out.flush()?;
    Ok(out.bytes)
}

fn replace(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".dotspot-").suffix(".tmp");
    // tempfile makes files private; this gives the permissions of the old file, or of any new file
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder_of(path))?;
    if let Ok(old_file) = path.metadata() {
        temporary
            .as_file()
            .set_permissions(old_file.permissions())?;
    }
    let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    // a crash of the machine must not leave a name without its content
    temporary.as_file().sync_all()?;
    let size = temporary.as_file().metadata()?.len();
    let persisted = match overwrite {
        true => temporary.persist(path),
        false => temporary.persist_noclobber(path),
    };
    persisted.map_err(|error| error.error)?;
    Ok(size)
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// `why` is a clause after the path.
fn refusal(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// A named pipe or the null device may be written without asking.
fn may_be_written(path: &Path, meta: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        let is_null = || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev());
        let (kind, _) = (meta.file_type(), path);
        kind.is_fifo() || kind.is_char_device() && is_null()
    }
    #[cfg(not(unix))]
    {
        let _ = (path, meta);
        false
    }
}

/// Whether Windows treats a name as a device's, in any folder and with any extension. Source: Microsoft's "Naming
/// Files, Paths, and Namespaces".
fn is_device_of_windows(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|number| number.len() == 1 && ("1"..="9").contains(&number));
    is_port || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Like [`write_whole`], with a sentence as the error; a signal ends dotspot with nothing left behind. `watch` is the one
/// that watched reading.
pub(super) fn write_new(
    to: Destination<'_>,
    watch: Option<Watch>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<u64> {
    let watch = match watch {
        Some(watch) => watch.resume(),
        None => Watch::start(&Progress::default())?,
    };
    let written = write_whole(to, |out| {
        let check = || watch.check();
        write(&mut CheckedWriter { out, check })?;
        watch.check()
    });
    watch.pause();
    written.map_err(|error| anyhow!(why_not_written(to.path, &error)))
}

/// A writer that fails once `check` does, so a half-written file is removed.
pub(super) struct CheckedWriter<W, C> {
    pub out: W,
    pub check: C,
}

impl<W: Write, C: Fn() -> io::Result<()>> Write for CheckedWriter<W, C> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.check)()?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(super) fn why_not_written(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match (error.kind(), error.get_ref()) {
        (io::ErrorKind::IsADirectory, _) => messages::is_a_folder(&path),
        (io::ErrorKind::AlreadyExists, _) => messages::already_exists(&path),
        (io::ErrorKind::InvalidInput, Some(why)) => format!("{path} {why}"),
        _ => messages::cant_write(&path, &plain(error)),
    }
}

fn target_of(path: &Path) -> io::Result<PathBuf> {
    let Ok(to) = path.read_link() else {
        return Ok(path.to_path_buf());
    };
    match path.canonicalize() {
        // circular links are reported elsewhere
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            target_of(&path.with_file_name("").join(to))
        }
        known => known,
    }
}

pub(super) struct CountingWriter<W> {
    out: W,
    pub bytes: u64,
}

impl<W> CountingWriter<W> {
    pub(super) fn new(out: W) -> CountingWriter<W> {
        CountingWriter { out, bytes: 0 }
    }
}

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests;
