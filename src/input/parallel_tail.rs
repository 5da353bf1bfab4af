//! Reads the second half of a file on another thread.

use super::{Input, Progress};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// In a smaller file, the second thread would hardly have started.
const MIN_FILE_BYTES: u64 = 4 << 20;
/// Where to look for the start of the second half. Freeing a larger buffer leaves glibc's heap with holes (11 MB of
/// 96).
const WINDOW_BYTES: u64 = 64 << 10;

pub(crate) fn has_two_processors() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
}

pub(crate) struct ParallelTail {
    pub offset: u64,
    /// Direct reads from it are not counted.
    pub file: File,
    progress: Progress,
    is_stopped: Arc<AtomicBool>,
}

/// Stops the second thread once its result is no longer wanted.
struct TailStop(Arc<AtomicBool>);

impl Drop for TailStop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ParallelTail {
    /// The second half, starting where `find` says, given what follows the first `percent` of the file. `None` if one
    /// thread is enough.
    pub(crate) fn of(
        input: &Input,
        percent: u64,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<ParallelTail> {
        if !has_two_processors() {
            return None;
        }
        let (mut file, found) = input.reopen().filter(|_| !input.packaging.is_packed())?;
        let size = found.len();
        if size < MIN_FILE_BYTES {
            return None;
        }
        let middle = size / 100 * percent;
        file.seek(SeekFrom::Start(middle)).ok()?;
        let mut window = Vec::new();
        let mut after_middle = file.by_ref().take(WINDOW_BYTES);
        after_middle.read_to_end(&mut window).ok()?;
        let offset = middle + find(&window)? as u64;
        ParallelTail::at(input, file, offset)
    }

    fn at(input: &Input, mut file: File, offset: u64) -> Option<ParallelTail> {
        file.seek(SeekFrom::Start(offset)).ok()?;
        Some(ParallelTail {
            offset,
            file,
            progress: input.progress.clone(),
            is_stopped: Arc::default(),
        })
    }

    #[cfg(test)]
    pub(crate) fn of_any(input: &Input, offset: u64) -> ParallelTail {
        let file = File::open(input.path.as_deref().unwrap()).unwrap();
        ParallelTail::at(input, file, offset).unwrap()
    }

    /// Runs `second` on its own thread while `first` reads up to the offset that it is passed; `None` without a second
    /// thread. `first` gets the result by calling its other argument. Afterwards the second thread stops.
    pub(crate) fn run_alongside<S: Send, R>(
        self,
        second: impl FnOnce(ParallelTail) -> S + Send,
        first: impl FnOnce(Option<u64>, &mut dyn FnMut() -> Option<S>) -> R,
    ) -> R {
        let (offset, stop) = (self.offset, TailStop(Arc::clone(&self.is_stopped)));
        thread::scope(|scope| {
            let second = thread::Builder::new()
                .name("second half".into())
                .spawn_scoped(scope, move || second(self));
            // dropped before the scope waits for the thread
            let _stop = stop;
            let mut second = second.ok();
            first(second.is_some().then_some(offset), &mut || {
                let result = second.take()?.join();
                Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
            })
        })
    }

    pub(crate) fn go_to(&self, offset: u64) -> bool {
        (&self.file).seek(SeekFrom::Start(offset)).is_ok()
    }
}

impl Read for ParallelTail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(io::Error::other("no longer wanted"));
        }
        let count = self.file.read(buffer)?;
        self.progress.add_bytes(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
