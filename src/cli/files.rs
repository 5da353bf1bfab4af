//! Writing files: whole or not at all.

use super::signals::Watch;
use crate::input::{Progress, plain};
use anyhow::{Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start and the end of the names of temporary files.
const PREFIX: &str = ".dotspot-";
const SUFFIX: &str = ".tmp";
/// A temporary file that nobody wrote to for so long, and that no process holds, was left behind.
const STALE: Duration = Duration::from_secs(60);
/// How many entries of a folder are looked at for such files.
const MOST_ENTRIES: usize = 100_000;

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

/// Writes a file by way of a temporary one beside it, so that nobody ever sees half of it. Returns its size in bytes.
/// Devices and pipes can't be replaced, and are written as they are.
///
/// # Errors
/// `AlreadyExists` if there is such a file and `overwrite` is not set; [`Refused`]; else the system's reason, with nothing left
/// behind.
pub(super) fn write_whole(
    to: Destination<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    if is_stdout(to.path) && !to.only_file {
        return write_through(io::stdout().lock(), write);
    }
    let known = to.path.metadata().ok();
    if known.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if let Some(meta) = known.as_ref().filter(|meta| !meta.is_file()) {
        if to.only_file || !to.overwrite && !Kind::of(to.path, meta).may_be_written() {
            return Err(Refused::Device.into());
        }
        return write_through(File::create(to.path)?, write);
    }
    if to.input.is_some_and(|input| is_same_file(input, to.path)) {
        return Err(Refused::Input.into());
    }
    if !to.overwrite && known.is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    replace(&target_of(to.path)?, known.as_ref(), to.overwrite, write)
}

fn write_through(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let mut out = Counted {
        out: BufWriter::new(out),
        bytes: 0,
    };
    write(&mut out)?;
    out.flush()?;
    Ok(out.bytes)
}

/// Puts a new file in the place of one that is `known`, or of none.
fn replace(
    path: &Path,
    known: Option<&fs::Metadata>,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // private ones are tempfile's habit; a file that was asked for gets what it had, or what any new file gets
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    #[cfg(unix)]
    {
        // the lock says that somebody is at work; it ends with the process, however that ends. Some systems have none
        let _ = temporary.as_file().try_lock();
        remove_stale(folder, temporary.as_file());
    }
    if let Some(known) = known {
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
        temporary.persist(path).map_err(|error| error.error)?;
    } else {
        temporary
            .persist_noclobber(path)
            .map_err(|error| error.error)?;
    }
    Ok(size)
}

/// Removes the temporary files that dotspot left in a folder when it was killed: those of the same user as `own`, which no process
/// holds. What can't be looked at or removed stays.
#[cfg(unix)]
fn remove_stale(folder: &Path, own: &File) {
    let Ok(own) = own.metadata() else { return };
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MOST_ENTRIES);
    for entry in entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy())) {
        // of a link this is the link itself
        let is_stale = entry.metadata().is_ok_and(|meta| {
            let age = meta.modified().ok().and_then(|time| time.elapsed().ok());
            meta.is_file() && meta.uid() == own.uid() && age.is_some_and(|age| age > STALE)
        });
        if is_stale && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a temporary file is called so: our prefix, a few letters and digits, our suffix.
#[cfg(unix)]
fn is_temporary(name: &str) -> bool {
    let middle = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    middle.is_some_and(|middle| {
        !middle.is_empty() && middle.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Why something that is there is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is the file that was read.
    Input,
    /// It is a device, or something else that is no file.
    Device,
}

impl Refused {
    /// The reason in an error of [`write_whole`], if there is one.
    pub(super) fn of(error: &io::Error) -> Option<Refused> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Input => "is the profile that was read; name another file",
            Refused::Device => "is not a file but a device or the like",
        })
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, refused)
    }
}

/// Whether a path means standard output.
fn is_stdout(path: &Path) -> bool {
    cfg!(unix)
        && ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
            .iter()
            .any(|name| path == Path::new(name))
}

/// What something is that is no file and no folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A pipe with a name.
    Pipe,
    /// The device that forgets all.
    Null,
    /// Any other device that takes bytes one after another, such as a terminal.
    CharacterDevice,
    /// A disk or a part of one.
    BlockDevice,
    /// A socket, or what only other systems have.
    Other,
}

impl Kind {
    #[cfg(unix)]
    fn of(_: &Path, meta: &fs::Metadata) -> Kind {
        let kind = meta.file_type();
        let is_null = || fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev());
        match () {
            () if kind.is_fifo() => Kind::Pipe,
            () if kind.is_char_device() && is_null() => Kind::Null,
            () if kind.is_char_device() => Kind::CharacterDevice,
            () if kind.is_block_device() => Kind::BlockDevice,
            () => Kind::Other,
        }
    }

    #[cfg(not(unix))]
    fn of(path: &Path, _: &fs::Metadata) -> Kind {
        if path.as_os_str().eq_ignore_ascii_case("nul") {
            Kind::Null
        } else {
            Kind::Other
        }
    }

    /// Whether it is meant to be written without asking.
    fn may_be_written(self) -> bool {
        matches!(self, Kind::Pipe | Kind::Null)
    }
}

/// Whether two paths mean one file, by links of whatever kind.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// As [`write_whole`], for a command: an error is a sentence, with the option that overwrites, and a signal ends dotspot with
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
        write(&mut Checked {
            out,
            check: || watch.check(),
        })?;
        watch.check()
    });
    watch.end();
    written.map_err(|error| match (error.kind(), Refused::of(&error)) {
        (io::ErrorKind::AlreadyExists, _) => anyhow!(
            "{} exists already; --force overwrites it",
            to.path.display()
        ),
        (_, Some(Refused::Device)) => anyhow!(
            "{} {}; --force writes to it",
            to.path.display(),
            Refused::Device
        ),
        _ => anyhow!(why_not_written(to.path, &error)),
    })
}

/// A writer that fails once `check` does, so that a half-written file is cleared away.
pub(super) struct Checked<W, C> {
    pub out: W,
    pub check: C,
}

impl<W: Write, C: Fn() -> io::Result<()>> Write for Checked<W, C> {
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
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".gz"))
}

/// Why a file was not written, in a sentence.
pub(super) fn why_not_written(path: &Path, error: &io::Error) -> String {
    match (error.kind(), Refused::of(error)) {
        (io::ErrorKind::IsADirectory, _) => {
            format!("{} is a folder, and a file name is needed", path.display())
        }
        (_, Some(refused)) => format!("{} {refused}", path.display()),
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

    fn write(
        path: &Path,
        overwrite: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<u64> {
        write_whole(
            Destination {
                path,
                input: None,
                overwrite,
                only_file: false,
            },
            write,
        )
    }

    #[test]
    fn files_are_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let failed = write(&path, false, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "disk full");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left behind"
        );
        assert_eq!(write(&path, false, |out| out.write_all(b"one")).unwrap(), 3);
        let refused = write(&path, false, |out| out.write_all(b"two"));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write(&path, true, |out| out.write_all(b"three")).unwrap();
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
        write(&link, false, |out| out.write_all(b"one")).unwrap();
        assert!(
            link.symlink_metadata().unwrap().is_symlink(),
            "a link to nothing yet"
        );
        assert_eq!(fs::read(&target).unwrap(), b"one");
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        write(&link, true, |out| out.write_all(b"two")).unwrap();
        assert_eq!(
            target.metadata().unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(
            write(Path::new("/dev/null"), false, |out| out.write_all(b"gone")).unwrap(),
            4
        );
        let error = write(folder.path(), true, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        assert!(write(&folder.path().join("loop"), true, |_| Ok(())).is_err());
    }

    /// Nobody makes a block device for a test, and none that is there may be written.
    #[test]
    #[cfg(unix)]
    fn only_pipes_and_the_null_device_are_written_unasked() {
        let kinds = [
            Kind::Pipe,
            Kind::Null,
            Kind::CharacterDevice,
            Kind::BlockDevice,
            Kind::Other,
        ];
        assert_eq!(
            kinds.map(Kind::may_be_written),
            [true, true, false, false, false]
        );
        let kind_of = |path: &Path| Kind::of(path, &path.metadata().unwrap());
        assert_eq!(kind_of(Path::new("/dev/null")), Kind::Null);
        assert_eq!(kind_of(Path::new("/dev/zero")), Kind::CharacterDevice);
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(kind_of(&socket), Kind::Other);
        // disks where the machine has some
        let devices = fs::read_dir("/dev").unwrap().flatten();
        let disks =
            devices.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_block_device()));
        assert!(
            disks
                .take(3)
                .all(|disk| kind_of(&disk.path()) == Kind::BlockDevice)
        );
    }
}
