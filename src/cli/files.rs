//! Writing files: whole or not at all.

use crate::input::plain;
use anyhow::{Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file by way of a temporary one beside it, so that nobody ever sees half of it. Returns its size in bytes.
/// Devices and pipes can't be replaced, and are written as they are.
///
/// # Errors
/// `AlreadyExists` if there is such a file and `overwrite` is not set; else the system's reason, with nothing left behind.
pub(super) fn write_whole(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let path = target_of(path)?;
    let known = path.metadata().ok();
    if known.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if known.as_ref().is_some_and(|meta| !meta.is_file()) {
        let mut out = Counted { out: BufWriter::new(File::create(&path)?), bytes: 0 };
        write(&mut out)?;
        out.flush()?;
        return Ok(out.bytes);
    }
    if !overwrite && known.is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".dotspot-").suffix(".tmp");
    // private ones are tempfile's habit; a file that was asked for gets what it had, or what any new file gets
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    if let Some(known) = &known {
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
    if overwrite {
        temporary.persist(&path).map_err(|error| error.error)?;
    } else {
        temporary.persist_noclobber(&path).map_err(|error| error.error)?;
    }
    Ok(size)
}

/// As [`write_whole`], for a command: an error is a sentence, with the option that overwrites.
pub(super) fn write_new(path: &Path, force: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<u64> {
    write_whole(path, force, write).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow!("{} exists already; --force overwrites it", path.display()),
        _ => anyhow!(why_not_written(path, &error)),
    })
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
    path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".gz"))
}

/// Why a file was not written, in a sentence.
pub(super) fn why_not_written(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::IsADirectory => format!("{} is a folder, and a file name is needed", path.display()),
        _ => format!("{} can't be written: {}", path.display(), plain(error)),
    }
}

/// What a path means when its links are followed, so that a link's target is written and not the link; the target need not
/// exist.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&at) {
            Ok(to) => at = at.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("too many symbolic links in a row"))
}

/// How many links lead to one file at most.
const MOST_LINKS: usize = 40;

/// A writer that counts.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
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
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let failed = write_whole(&path, false, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        assert_eq!(write_whole(&path, false, |out| out.write_all(b"one")).unwrap(), 3);
        let refused = write_whole(&path, false, |out| out.write_all(b"two"));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_whole(&path, true, |out| out.write_all(b"three")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        std::os::unix::fs::symlink("target", &link).unwrap();
        write_whole(&link, false, |out| out.write_all(b"one")).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink(), "a link to nothing yet");
        assert_eq!(fs::read(&target).unwrap(), b"one");
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        write_whole(&link, true, |out| out.write_all(b"two")).unwrap();
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(write_whole(Path::new("/dev/null"), false, |out| out.write_all(b"gone")).unwrap(), 4);
        let error = write_whole(folder.path(), true, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        assert!(write_whole(&folder.path().join("loop"), true, |_| Ok(())).is_err());
    }
}
