//! What importers read from.

use super::{Failure, ImportError, Progress, Stage, dtp};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// How many bytes of a file detection looks at.
const HEAD_BYTES: usize = 4096;
/// How many of what may be JSON: its members come in any order, and the telling one may stand behind a long one.
const JSON_HEAD_BYTES: usize = 256 * 1024;
/// How much of a file is read before a watcher is told, and asked whether to go on.
const PIECE_BYTES: u64 = 1 << 20;

/// The start of a file, by which its format is recognised.
pub struct Head<'a> {
    /// The first bytes, at most 4,096; of what may be JSON, 262,144.
    pub bytes: &'a [u8],
    /// The file name without folders, bad Unicode replaced; empty for standard input.
    pub name: &'a str,
}

impl Head<'_> {
    /// Whether the file starts like a JSON object or array.
    pub fn may_be_json(&self) -> bool {
        may_be_json(self.bytes)
    }
}

fn may_be_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// A profile to be read: a stream of bytes with a name.
pub struct Input {
    /// The name as the user gave it, for messages; `standard input` where there is no file.
    pub name: String,
    /// The file, for formats that are spread over several; `None` for streams.
    pub path: Option<PathBuf>,
    /// Told about every byte that is read.
    pub progress: Progress,
    file_name: String,
    size_bytes: usize,
    head: Vec<u8>,
    head_read: usize,
    rest: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file.
    ///
    /// # Errors
    /// A sentence that says why it can't be read; a folder can't.
    pub fn open(path: &Path, progress: Progress) -> Result<Input, ImportError> {
        let name = path.display().to_string();
        let fail = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::NotFound => "check the path",
                io::ErrorKind::PermissionDenied => "check its permissions",
                _ => "",
            };
            let failure = Failure::new(&name, "", format!("can't be opened: {}", plain(&error))).advice(advice);
            ImportError::from(if dtp::is_named_like_one(path) { failure.stage(Stage::Input) } else { failure })
        };
        let file = File::open(path).map_err(fail)?;
        let meta = file.metadata().map_err(fail)?;
        if meta.is_dir() {
            let failure = Failure::new(&name, "", "is a folder, and a file was expected");
            return Err(failure.advice("name the profile in it").into());
        }
        progress.add_total_bytes(meta.len());
        let mut input = Input::new(name, Some(path.to_path_buf()), Box::new(file), progress)?;
        input.size_bytes = usize::try_from(meta.len()).unwrap_or(0);
        Ok(input)
    }

    /// Reads from a stream that is no file.
    pub fn stream(name: &str, stream: Box<dyn Read + Send>, progress: Progress) -> Result<Input, ImportError> {
        Input::new(name.to_string(), None, stream, progress)
    }

    fn new(
        name: String,
        path: Option<PathBuf>,
        mut rest: Box<dyn Read + Send>,
        progress: Progress,
    ) -> Result<Input, ImportError> {
        let mut head = Vec::new();
        let mut read_until = |head: &mut Vec<u8>, end: usize| {
            let more = end.saturating_sub(head.len()) as u64;
            let read = rest.by_ref().take(more).read_to_end(head);
            read.map_err(|error| Failure::new(&name, "", format!("can't be read: {}", plain(&error))))
        };
        read_until(&mut head, HEAD_BYTES)?;
        if may_be_json(&head) {
            read_until(&mut head, JSON_HEAD_BYTES)?;
        }
        let file_name = path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let file_name = file_name.unwrap_or_default();
        Ok(Input { name, path, progress, file_name, size_bytes: 0, head, head_read: 0, rest })
    }

    /// What detection looks at.
    pub fn head(&self) -> Head<'_> {
        Head { bytes: &self.head, name: &self.file_name }
    }

    /// Reads all that is left into memory.
    ///
    /// # Errors
    /// A sentence with the system's reason, or the wish to stop.
    pub fn read_all(&mut self) -> Result<Vec<u8>, ImportError> {
        let mut bytes = Vec::new();
        // the size that the system tells is a hint only; without the memory for it the vector grows as it is filled
        let _ = bytes.try_reserve_exact(self.size_bytes.saturating_add(1));
        bytes.extend_from_slice(&self.head[self.head_read..]);
        self.progress.add_bytes(bytes.len() as u64);
        self.head_read = self.head.len();
        loop {
            self.progress.go_on()?;
            let piece = self.rest.by_ref().take(PIECE_BYTES).read_to_end(&mut bytes);
            let count =
                piece.map_err(|error| Failure::new(&self.name, "", format!("can't be read: {}", plain(&error))))?;
            if count == 0 {
                break;
            }
            self.progress.add_bytes(count as u64);
        }
        Ok(bytes)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = &self.head[self.head_read..];
        let count = if left.is_empty() {
            self.rest.read(buffer)?
        } else {
            let count = left.len().min(buffer.len());
            buffer[..count].copy_from_slice(&left[..count]);
            self.head_read += count;
            count
        };
        self.progress.add_bytes(count as u64);
        Ok(count)
    }
}

/// A system error without the `(os error 2)` that says nothing to people.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
