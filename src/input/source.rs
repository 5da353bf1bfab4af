use super::Progress;
use super::containers::archive::ArchiveFolder;
use super::error::{Failure, ImportError, plain};
use super::json::{JsonError, JsonKind, JsonReader};
use super::packaging::Packaging;
use super::state::FileStates;
use crate::input::messages;
use parking_lot::Mutex;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What format detection examines.
pub(crate) const HEAD_BYTES: usize = 4096;
/// For JSON: the member that identifies the format may follow a long one.
const JSON_HEAD_BYTES: usize = 256 * 1024;
const PIECE_BYTES: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    Name,
    Likely,
    /// A magic number or a schema name identifies it.
    Certain,
}

pub struct Head<'a> {
    /// At most 4,096 bytes, or 262,144 of what may be JSON.
    pub bytes: &'a [u8],
    /// Without folders, invalid Unicode replaced; empty for standard input.
    pub name: &'a str,
}

impl Head<'_> {
    pub fn may_be_json(&self) -> bool {
        may_be_json(self.bytes)
    }

    /// Passes the members of a JSON document to `visit` until it returns `false`: the path, such as
    /// `nodes[].callFrame` or `[].ph`, and the text of a string. Without a verdict, JSON with one of the extensions is
    /// [`Confidence::Name`].
    pub(crate) fn sniff_json(
        &self,
        extensions: &[&str],
        mut visit: impl FnMut(&str, &str, &mut Option<Confidence>) -> bool,
    ) -> Option<Confidence> {
        let mut found = None;
        let mut reader = JsonReader::with_buffer(self.bytes, self.bytes.len());
        let visit = &mut |path: &str, text: &str| visit(path, text, &mut found);
        // the head may end anywhere, so this usually ends in an error
        let _ = visit_members(&mut reader, &mut String::new(), SNIFFED_LEVELS, visit);
        let has_extension = |extension: &&str| self.name.ends_with(*extension);
        let is_named = self.may_be_json() && extensions.iter().any(has_extension);
        found.or(is_named.then_some(Confidence::Name))
    }
}

const SNIFFED_LEVELS: usize = 3;

fn visit_members(
    reader: &mut JsonReader<&[u8]>,
    path: &mut String,
    levels: usize,
    visit: &mut impl FnMut(&str, &str) -> bool,
) -> Result<bool, JsonError> {
    let Some(levels_below) = levels.checked_sub(1) else {
        return reader.skip().map(|()| true);
    };
    let start = path.len();
    match reader.peek()? {
        JsonKind::Object => {
            reader.enter_object()?;
            while let Some(key) = reader.next_key()? {
                path.truncate(start);
                path.extend([if start == 0 { "" } else { "." }, key]);
                // a member cut by the end of the head counts, too
                let is_text = matches!(reader.peek(), Ok(JsonKind::String));
                let text = match is_text {
                    true => reader.string().unwrap_or_default(),
                    false => "",
                };
                if !visit(path, text)
                    || !is_text && !visit_members(reader, path, levels_below, visit)?
                {
                    return Ok(false);
                }
            }
        }
        JsonKind::Array => {
            reader.enter_array()?;
            while reader.next_element()? {
                path.truncate(start);
                path.push_str("[]");
                if !visit_members(reader, path, levels_below, visit)? {
                    return Ok(false);
                }
            }
        }
        _ => reader.skip()?,
    }
    path.truncate(start);
    Ok(true)
}

fn may_be_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

pub struct Input {
    /// As the user gave it, or `standard input`.
    pub name: String,
    /// For formats of several files; `None` for streams.
    pub path: Option<PathBuf>,
    pub progress: Progress,
    pub(crate) siblings: SiblingFiles,
    pub(crate) packaging: Packaging,
    /// From when the file was opened; `None` for streams.
    pub(super) opened: Option<Metadata>,
    file_name: String,
    size_bytes: usize,
    head: Vec<u8>,
    head_read: usize,
    stream: Box<dyn Read + Send>,
}

#[derive(Clone, Default)]
pub(crate) enum SiblingFiles {
    #[default]
    None,
    Folder(Neighbors),
    Archive(ArchiveFolder),
}

#[derive(Clone)]
pub(crate) struct Neighbors {
    path: PathBuf,
    progress: Progress,
    follows_links: bool,
    probed: ProbedFiles,
}

/// The files next to a profile that were looked up, existing or not, with their state at the time.
#[derive(Clone, Default)]
pub(crate) struct ProbedFiles(Arc<Mutex<FileStates>>);

impl ProbedFiles {
    pub(super) fn add(&self, path: &Path) {
        self.0.lock().add(path);
    }

    pub(crate) fn states(&self) -> FileStates {
        self.0.lock().clone()
    }
}

impl Neighbors {
    fn entry(&self, name: &str) -> Option<(PathBuf, Metadata)> {
        let path = self.path.join(name);
        self.probed.add(&path);
        let metadata = match self.follows_links {
            true => path.metadata(),
            false => path.symlink_metadata(),
        };
        Some((path, metadata.ok()?))
    }
}

impl SiblingFiles {
    const MAX_LISTED: usize = 10_000;

    pub(crate) fn find(&self, name: &str) -> Result<Option<Input>, ImportError> {
        if name.is_empty() || name == ".." || name.contains(['/', '\\']) {
            return Ok(None);
        }
        match self {
            SiblingFiles::None => Ok(None),
            SiblingFiles::Folder(folder) => {
                let file = folder.entry(name).filter(|(_, entry)| entry.is_file());
                let open = |path: &Path| match folder.follows_links {
                    true => Input::open(path, folder.progress.clone()),
                    false => Input::open_without_links(path, folder.progress.clone()),
                };
                file.map(|(path, _)| open(&path)).transpose()
            }
            SiblingFiles::Archive(folder) => folder.find(name),
        }
    }

    pub(crate) fn has_folder(&self, name: &str) -> bool {
        match self {
            SiblingFiles::None => false,
            SiblingFiles::Folder(folder) => {
                folder.entry(name).is_some_and(|(_, entry)| entry.is_dir())
            }
            SiblingFiles::Archive(folder) => folder.has_folder(name),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            SiblingFiles::None => Vec::new(),
            SiblingFiles::Folder(folder) => {
                let path = match folder.path.as_os_str().is_empty() {
                    true => Path::new("."),
                    false => &folder.path,
                };
                // the folder's state changes whenever a file is created or removed
                folder.probed.add(path);
                let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
                let names = entries
                    .take(Self::MAX_LISTED)
                    .map(|entry| entry.file_name());
                names.filter_map(|name| name.into_string().ok()).collect()
            }
            SiblingFiles::Archive(folder) => folder.names(),
        }
    }
}

fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    #[cfg(unix)]
    let is_same_inode = {
        use std::os::unix::fs::MetadataExt;
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    };
    #[cfg(not(unix))]
    let is_same_inode = true;
    is_same_inode && a.len() == b.len() && a.modified().ok() == b.modified().ok()
}

/// Opens a regular file whose path contains no links.
#[cfg(unix)]
pub(crate) fn open_without_links(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::path::Component;
    let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, messages::NO_REGULAR_FILE);
    let parts: Vec<Component> = path.components().collect();
    let (name, folders) = parts.split_last().ok_or_else(not_a_file)?;
    let flags = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    // traversing a folder needs fewer permissions than listing it
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let through = flags | OFlags::DIRECTORY | OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let through = flags | OFlags::DIRECTORY;
    let mut folder: Option<OwnedFd> = None;
    for part in folders {
        let parent = folder.as_ref().map_or(CWD, OwnedFd::as_fd);
        folder = Some(openat(parent, part.as_os_str(), through, Mode::empty())?);
    }
    let parent = folder.as_ref().map_or(CWD, OwnedFd::as_fd);
    // don't wait for the other end of a pipe
    let flags = flags | OFlags::NONBLOCK;
    let file = File::from(openat(parent, name.as_os_str(), flags, Mode::empty())?);
    let is_file = file.metadata()?.is_file();
    is_file.then_some(file).ok_or_else(not_a_file)
}

/// Opens a regular file; outside of Unix, links are followed.
#[cfg(not(unix))]
pub(crate) fn open_without_links(path: &Path) -> io::Result<File> {
    File::open(path)
}

impl Input {
    pub fn open(path: &Path, progress: Progress) -> Result<Input, ImportError> {
        Input::from_file(path, File::open(path), true, progress)
    }

    /// Opens a regular file whose path contains no links. Links among the files next to it are not followed either.
    pub(crate) fn open_without_links(
        path: &Path,
        progress: Progress,
    ) -> Result<Input, ImportError> {
        Input::from_file(path, open_without_links(path), false, progress)
    }

    fn from_file(
        path: &Path,
        file: io::Result<File>,
        follows_links: bool,
        progress: Progress,
    ) -> Result<Input, ImportError> {
        let name = path.display().to_string();
        let folder_failure = || {
            Failure::new(&name, "", messages::IS_A_FOLDER).advice(messages::NAME_PROFILE_IN_FOLDER)
        };
        let failure = |error: io::Error| {
            // Windows refuses to open folders
            if error.kind() == io::ErrorKind::PermissionDenied && path.is_dir() {
                return folder_failure();
            }
            let advice = match error.kind() {
                io::ErrorKind::NotFound => "check the path",
                io::ErrorKind::PermissionDenied => "check its permissions",
                _ => "",
            };
            Failure::new(&name, "", messages::cant_open(&plain(&error))).advice(advice)
        };
        let file = file.map_err(failure)?;
        let meta = file.metadata().map_err(failure)?;
        if meta.is_dir() {
            return Err(folder_failure().into());
        }
        progress.add_total_bytes(meta.len());
        let file_name = path.file_name().unwrap_or_default().to_string_lossy();
        let input = Input::new(name, file_name.into_owned(), Box::new(file), progress)?;
        Ok(Input {
            path: Some(path.to_path_buf()),
            siblings: SiblingFiles::Folder(Neighbors {
                path: path.parent().map(Path::to_path_buf).unwrap_or_default(),
                progress: input.progress.clone(),
                follows_links,
                probed: ProbedFiles::default(),
            }),
            size_bytes: usize::try_from(meta.len()).unwrap_or(0),
            opened: Some(meta),
            ..input
        })
    }

    /// The neighbors that reading looks up; its result depends on them.
    pub(crate) fn probed_files(&self) -> ProbedFiles {
        match &self.siblings {
            SiblingFiles::Folder(folder) => folder.probed.clone(),
            SiblingFiles::None | SiblingFiles::Archive(_) => ProbedFiles::default(),
        }
    }

    pub(crate) fn modified(&self) -> Option<std::time::SystemTime> {
        self.opened.as_ref()?.modified().ok()
    }

    /// Opens the file again, for random access; `None` for a stream or a replaced file.
    pub(crate) fn reopen(&self) -> Option<(File, Metadata)> {
        // such a path may be a stream that shares this one's file position
        let path = self.path.as_deref();
        let path = path.filter(|path| !path.starts_with("/dev"))?;
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = options.open(path).ok()?;
        let metadata = file.metadata().ok()?;
        let is_same = metadata.is_file() && is_same_file(self.opened.as_ref()?, &metadata);
        is_same.then_some((file, metadata))
    }

    pub fn stream(
        name: &str,
        stream: Box<dyn Read + Send>,
        progress: Progress,
    ) -> Result<Input, ImportError> {
        Input::new(name.to_string(), String::new(), stream, progress)
    }

    pub(crate) fn unpacked(
        name: String,
        file_name: String,
        stream: Box<dyn Read + Send>,
        progress: Progress,
        siblings: SiblingFiles,
        packaging: Packaging,
    ) -> Result<Input, ImportError> {
        let input = Input::new(name, file_name, stream, progress)?;
        Ok(Input {
            siblings,
            packaging,
            ..input
        })
    }

    fn new(
        name: String,
        file_name: String,
        mut stream: Box<dyn Read + Send>,
        progress: Progress,
    ) -> Result<Input, ImportError> {
        let mut head = Vec::new();
        let mut read_until = |head: &mut Vec<u8>, end: usize| {
            let more = end.saturating_sub(head.len()) as u64;
            let read = stream.by_ref().take(more).read_to_end(head);
            let failure = |error| Failure::new(&name, "", messages::cant_read(&plain(&error)));
            read.map_err(|error| ImportError::from(failure(error)))
        };
        read_until(&mut head, HEAD_BYTES)?;
        if may_be_json(&head) {
            read_until(&mut head, JSON_HEAD_BYTES)?;
        }
        Ok(Input {
            name,
            path: None,
            progress,
            siblings: SiblingFiles::None,
            packaging: Packaging::default(),
            opened: None,
            file_name,
            size_bytes: 0,
            head,
            head_read: 0,
            stream,
        })
    }

    pub(crate) fn continue_with(&mut self, stream: Box<dyn Read + Send>) {
        self.head_read = self.head.len();
        self.stream = stream;
    }

    fn count(&self, bytes: usize) {
        if !self.packaging.is_packed() {
            self.progress.add_bytes(bytes as u64);
            self.packaging.add_read(bytes as u64);
        }
    }

    pub fn head(&self) -> Head<'_> {
        Head {
            bytes: &self.head,
            name: &self.file_name,
        }
    }

    pub fn read_all(&mut self) -> Result<Vec<u8>, ImportError> {
        Ok(self.read_at_most(u64::MAX)?.unwrap_or_default())
    }

    /// Reads the rest; `None` if that is more than `limit` bytes.
    pub fn read_at_most(&mut self, limit: u64) -> Result<Option<Vec<u8>>, ImportError> {
        let mut bytes = Vec::new();
        // the reported size is only a hint; without that much memory, the vector grows on demand
        let _ = bytes.try_reserve_exact(self.size_bytes.saturating_add(1));
        bytes.extend_from_slice(&self.head[self.head_read..]);
        self.count(bytes.len());
        self.head_read = self.head.len();
        loop {
            self.progress.check_cancelled()?;
            let piece = self
                .stream
                .by_ref()
                .take(PIECE_BYTES)
                .read_to_end(&mut bytes);
            let count = piece.map_err(|error| {
                Failure::new(&self.name, "", messages::cant_read(&plain(&error)))
            })?;
            if count == 0 {
                return Ok(Some(bytes));
            }
            self.count(count);
            if bytes.len() as u64 > limit {
                return Ok(None);
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let unread_head = &self.head[self.head_read..];
        let count = match unread_head {
            [] => self.stream.read(buffer)?,
            mut bytes => bytes.read(buffer)?,
        };
        self.head_read = self.head.len().min(self.head_read + count);
        self.count(count);
        Ok(count)
    }
}

#[cfg(all(test, unix))]
mod tests;
