//! Writes files atomically.

use super::signals::Watch;
use crate::cli::messages;
use crate::input::{Progress, plain};
use anyhow::{Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Where a file is written, and what may be lost there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination<'a> {
    pub path: &'a Path,
    /// The file that was read, which is never overwritten.
    pub input: Option<&'a Path>,
    /// Whether another file may be overwritten, or a device be written to.
    pub overwrite: bool,
    /// Whether it must be a file: opening a pipe waits for a reader, which the explorer can't.
    pub only_file: bool,
}

/// Writes a file by way of a temporary one next to it, so that nobody ever sees half of it. Returns its size in bytes.
/// Devices and pipes can't be replaced, and are written as they are.
///
/// # Errors
/// `AlreadyExists` if there is such a file and `overwrite` is not set; [`Refused`]; else the system's reason, with nothing left
/// behind.
pub(super) fn write_whole(
    to: Destination<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    if !to.only_file {
        if cfg!(windows) && to.path.as_os_str().eq_ignore_ascii_case("nul") {
            return write_through(io::sink(), write);
        }
        if is_stdout(to.path) {
            return write_through(io::stdout().lock(), write);
        }
        let known = to.path.metadata().ok();
        let stream = known.filter(|meta| !meta.is_file() && !meta.is_dir());
        if stream.is_some_and(|meta| to.overwrite || may_be_written(to.path, &meta)) {
            return write_through(File::create(to.path)?, write);
        }
    }
    replace(&to.file()?, to.overwrite, write)
}

impl Destination<'_> {
    /// The file to write: where the links of the path lead.
    ///
    /// # Errors
    /// As [`write_whole`].
    pub(super) fn file(&self) -> io::Result<PathBuf> {
        let is_input = || {
            self.input
                .is_some_and(|input| is_same_file(input, self.path))
        };
        match self.path.metadata() {
            _ if cfg!(windows) && is_device_of_windows(self.path) => {
                Err(refused(messages::IS_A_DEVICE))
            }
            Ok(meta) if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(meta) if !meta.is_file() => Err(refused(messages::IS_A_DEVICE)),
            Ok(_) if is_input() => Err(refused(messages::IS_THE_INPUT)),
            Ok(_) if !self.overwrite => Err(io::ErrorKind::AlreadyExists.into()),
            _ => target_of(self.path),
        }
    }
}

fn write_through(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let (out, bytes) = (BufWriter::new(out), 0);
    let mut out = CountingWriter { out, bytes };
    write(&mut out)?;
    out.flush()?;
    Ok(out.bytes)
}

/// Puts a new file in the place of one that is there, or of none.
fn replace(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".dotspot-").suffix(".tmp");
    // private ones are tempfile's habit; a file that was asked for gets what it had, or what any new file gets
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder_of(path))?;
    if let Ok(known) = path.metadata() {
        temporary.as_file().set_permissions(known.permissions())?;
    }
    {
        let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
        write(&mut out)?;
        out.flush()?;
    }
    // a crash of the machine must not leave a name without its bytes
    temporary.as_file().sync_all()?;
    let size = temporary.as_file().metadata()?.len();
    let kept = match overwrite {
        true => temporary.persist(path),
        false => temporary.persist_noclobber(path),
    };
    kept.map_err(|error| error.error)?;
    Ok(size)
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Why something that is there is not written: a clause after its path.
fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Whether a path means standard output.
fn is_stdout(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    cfg!(unix) && names.iter().any(|name| path == *name)
}

/// Whether something that is neither a file nor a folder is meant to be written without asking: a named pipe, or the null device.
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

/// Whether Windows takes a file's name for a device's, in any folder and with any extension. Source: Microsoft's "Naming Files, Paths, and Namespaces".
fn is_device_of_windows(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|number| number.len() == 1 && ("1"..="9").contains(&number));
    is_port || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
}

/// Whether two paths mean one file, by links of whatever kind.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// As [`write_whole`], for a command: an error is a sentence, and a signal ends dotspot with
/// nothing left behind. `watch` is that of the reading, if there was one.
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

/// A writer that fails once `check` does, so that a half-written file is cleared away.
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

/// Writes through gzip if `packs`.
pub(super) fn write_packed<T>(
    out: &mut dyn Write,
    packs: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    if !packs {
        return write(out);
    }
    let mut packed = GzEncoder::new(out, Compression::default());
    let written = write(&mut packed)?;
    packed.finish()?;
    Ok(written)
}

/// Whether the name of a file says that it is compressed with gzip.
pub(super) fn is_gzip(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().ends_with(".gz")
}

/// Why a file was not written, in a sentence.
pub(super) fn why_not_written(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    match (error.kind(), error.get_ref()) {
        (io::ErrorKind::IsADirectory, _) => messages::is_a_folder(&path),
        (io::ErrorKind::AlreadyExists, _) => messages::already_exists(&path),
        (io::ErrorKind::InvalidInput, Some(why)) => format!("{path} {why}"),
        _ => messages::cant_write(&path, &plain(error)),
    }
}

/// Where a path leads if it is a link, so that the link's target is written and not the link; the target need not exist.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let Ok(to) = path.read_link() else {
        return Ok(path.to_path_buf());
    };
    match path.canonicalize() {
        // links in a circle are another error
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            target_of(&path.with_file_name("").join(to))
        }
        known => known,
    }
}

/// A writer that counts.
struct CountingWriter<W> {
    out: W,
    bytes: u64,
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
