//! Writing files: whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file by way of a temporary one beside it, so that nobody ever sees half of it. Returns its size in bytes.
///
/// # Errors
/// `AlreadyExists` if there is such a file and `overwrite` is not set; else the system's reason, with nothing left behind.
pub fn write_whole(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    // devices and pipes can't be replaced, and are written as they are
    if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()?;
        return Ok(0);
    }
    // a link's target is replaced, not the link
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new().prefix(".dotspot-").suffix(".tmp").tempfile_in(folder)?;
    {
        let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
        write(&mut out)?;
        out.flush()?;
    }
    let size = temporary.as_file().metadata()?.len();
    set_usual_permissions(temporary.as_file(), &path)?;
    if overwrite {
        temporary.persist(&path).map_err(|error| error.error)?;
    } else {
        temporary.persist_noclobber(&path).map_err(|error| error.error)?;
    }
    Ok(size)
}

/// Temporary files are private; a file that was asked for gets what it had, or what a new file gets.
#[cfg(unix)]
fn set_usual_permissions(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match path.metadata() {
        Ok(meta) => meta.permissions().mode(),
        // the umask can't be asked without setting it, so a new file shows what it gives
        Err(_) => {
            let probe = tempfile::Builder::new()
                .permissions(fs::Permissions::from_mode(0o666))
                .tempfile_in(path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
            probe.as_file().metadata()?.permissions().mode()
        }
    };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_usual_permissions(_file: &File, _path: &Path) -> io::Result<()> {
    Ok(())
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
}
