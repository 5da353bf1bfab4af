//! The second half of a file, for a thread that reads it while another reads the first.

use super::{Input, Progress};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Smaller files are read by one thread: the other would hardly have begun.
const MIN_FILE_BYTES: u64 = 4 << 20;
/// How far behind the middle a place is looked for where the second half can begin.
const WINDOW_BYTES: usize = 1 << 20;

/// The part of a file from some place near its middle on.
pub(crate) struct SecondHalf {
    /// Where it begins in the file.
    pub offset: u64,
    file: File,
    progress: Progress,
    is_stopped: Arc<AtomicBool>,
}

/// Stops whoever reads a second half once nobody wants it any more.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl SecondHalf {
    /// That of a file of which nothing was read so far. It begins at the place that `find` finds in what stands behind the middle.
    /// `None` where the input is no file or small, and where there is no such place.
    pub(crate) fn of(input: &Input, find: impl Fn(&[u8]) -> Option<usize>) -> Option<SecondHalf> {
        let path = input.path.as_deref().filter(|_| !input.is_packed())?;
        let mut file = File::open(path).ok()?;
        let size = file.metadata().ok().filter(|known| known.is_file())?.len();
        if size < MIN_FILE_BYTES {
            return None;
        }
        let middle = size / 2;
        file.seek(SeekFrom::Start(middle)).ok()?;
        let mut window = Vec::new();
        file.by_ref().take(WINDOW_BYTES as u64).read_to_end(&mut window).ok()?;
        let offset = middle + find(&window)? as u64;
        file.seek(SeekFrom::Start(offset)).ok()?;
        Some(SecondHalf { offset, file, progress: input.progress.clone(), is_stopped: Arc::default() })
    }

    /// The part of any file from a place on.
    #[cfg(test)]
    pub(crate) fn at(input: &Input, offset: u64) -> SecondHalf {
        let mut file = File::open(input.path.as_deref().unwrap()).unwrap();
        file.seek(SeekFrom::Start(offset)).unwrap();
        SecondHalf { offset, file, progress: input.progress.clone(), is_stopped: Arc::default() }
    }

    /// Goes to a place in the file, if it can.
    pub(crate) fn can_go_to(&self, offset: u64) -> bool {
        (&self.file).seek(SeekFrom::Start(offset)).is_ok()
    }

    /// The file alone, whose bytes count no more.
    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// What ends its reading when it is dropped.
    pub(crate) fn stop(&self) -> Stop {
        Stop(Arc::clone(&self.is_stopped))
    }
}

impl Read for SecondHalf {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(io::Error::other("nobody wants the second half any more"));
        }
        let count = self.file.read(buffer)?;
        self.progress.add_bytes(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_second_half_begins_where_it_can() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let line = [&[b'x'; 99][..], b"\n"].concat();
        file.write_all(&line.repeat(50_000)).unwrap();
        let input = Input::open(file.path(), Progress::default()).unwrap();
        let behind_line = |window: &[u8]| memchr::memchr(b'\n', window).map(|at| at + 1);
        let mut half = SecondHalf::of(&input, behind_line).unwrap();
        assert_eq!(half.offset, 2_500_100);
        let mut rest = Vec::new();
        half.read_to_end(&mut rest).unwrap();
        assert_eq!(rest.len(), 2_499_900);
        assert_eq!(input.progress.now().0, 2_499_900);
        drop(half.stop());
        assert!(half.read(&mut [0; 9]).is_err(), "it was stopped");
        assert!(SecondHalf::of(&input, |_| None).is_none());
        file.as_file().set_len(MIN_FILE_BYTES - 1).unwrap();
        assert!(SecondHalf::of(&input, behind_line).is_none(), "it is small");
        let stream = Input::stream("x", Box::new(io::repeat(b'x')), Progress::default()).unwrap();
        assert!(SecondHalf::of(&stream, behind_line).is_none());
    }
}
