//! Shared by all framings: how a file ends, and how damaged blocks are reported.

use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::{Failure, ImportError};

/// How the blocks of a file came to an end.
#[derive(Debug)]
pub(super) enum StreamEnding {
    /// With the mark that says so.
    Complete,
    /// The file ended before, at this offset: in a block, whose name is empty if it was not read yet, or between two.
    Cut { at: u64, inside: Option<String> },
    /// What follows can't be read.
    Damaged(Box<Failure>),
}

/// Why no further block was read.
pub(super) enum Halt {
    Failed(ImportError),
    Ended(StreamEnding),
}

impl From<ImportError> for Halt {
    fn from(error: ImportError) -> Halt {
        Halt::Failed(error)
    }
}

/// What of a block was wrong: the offset in it where reading had to stop.
pub(super) type BlockResult = Result<(), usize>;

/// The failure of a file that came to its end before it said what a recording says first.
pub(super) fn no_header(stream: &Stream, ending: StreamEnding) -> Failure {
    match ending {
        StreamEnding::Damaged(failure) => *failure,
        StreamEnding::Complete => stream
            .failure(messages::ONLY_A_HEADER)
            .advice("record it again"),
        StreamEnding::Cut { at, .. } => header_cut(stream, at),
    }
}

/// A name from the file, short and harmless, for a message.
pub(super) fn printable(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_graphic() { c } else { '?' })
        .take(40)
        .collect()
}

/// What is said of a file that ends within its header.
pub(super) fn header_cut(stream: &Stream, at: u64) -> Failure {
    stream
        .failure(messages::RECORDING_ENDS_IN_HEADER)
        .at(at)
        .advice(messages::STOPPED_TOO_EARLY)
}
