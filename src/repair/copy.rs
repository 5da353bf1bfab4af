//! Copies the text of a file up to offsets that a reader of its structure tells.

use super::events::Failed;
use crate::input::Progress;
use crate::input::json::{JsonError, JsonProblem};
use std::io::{self, Read, Write};

/// What is copied at once.
const PIECE_BYTES: usize = 64 * 1024;

/// A text that is read once from its start to its end.
pub(super) struct Text<R> {
    source: R,
    offset: u64,
    progress: Progress,
}

impl<R: Read> Text<R> {
    /// The text of `source`, until `progress` is cancelled.
    pub(super) fn new(source: R, progress: Progress) -> Text<R> {
        Text {
            source,
            offset: 0,
            progress,
        }
    }

    /// Appends what stands in front of `end` to `bytes`, which is little: an event.
    pub(super) fn read_to(&mut self, end: u64, bytes: &mut Vec<u8>) -> Result<(), Failed> {
        let count = end.saturating_sub(self.offset);
        let read = self
            .source
            .by_ref()
            .take(count)
            .read_to_end(bytes)
            .map_err(changed)?;
        self.offset += read as u64;
        if (read as u64) < count {
            Err(Failed::Changed)
        } else {
            Ok(())
        }
    }

    /// Writes what stands in front of `end`.
    pub(super) fn copy_to(&mut self, end: u64, out: &mut dyn Write) -> Result<(), Failed> {
        let left = self.copy_at_most(end.saturating_sub(self.offset), out)?;
        if left > 0 {
            Err(Failed::Changed)
        } else {
            Ok(())
        }
    }

    /// Writes all that is left.
    pub(super) fn copy_rest(&mut self, out: &mut dyn Write) -> Result<(), Failed> {
        self.copy_at_most(u64::MAX, out).map(drop)
    }

    /// Writes so many bytes, or as many as there are. Gives how many were missing.
    fn copy_at_most(&mut self, mut count: u64, out: &mut dyn Write) -> Result<u64, Failed> {
        let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(count).unwrap_or(PIECE_BYTES))];
        while count > 0 {
            let go_on = self.progress.go_on();
            go_on.map_err(|_| JsonError::new(self.offset, JsonProblem::Cancelled))?;
            let most = piece
                .len()
                .min(usize::try_from(count).unwrap_or(PIECE_BYTES));
            match self.source.read(&mut piece[..most]) {
                Ok(0) => break,
                Ok(read) => {
                    out.write_all(&piece[..read])?;
                    self.offset += read as u64;
                    count = count.saturating_sub(read as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(changed(error)),
            }
        }
        Ok(count)
    }
}

/// The file could be read a moment ago.
#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn changed(_: io::Error) -> Failed {
    Failed::Changed
}
